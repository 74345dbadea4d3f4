/**
 * Runs the main workflow with the built program against the sandbox, and prints each command line first. Pictures and
 * speech are saved in ./demo-output; the sandbox's state is temporary.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandFailed, openShell } from "./demo-shell.ts";

const home = await mkdtemp(join(tmpdir(), "gpuctl-demo-"));
const { say, run, runRejected } = openShell(home);

async function demo(): Promise<void> {
  say("GPUCTL_SANDBOX=1 is set: the service runs inside gpuctl. --yes skips confirmation prompts.");

  say("Rent a virtual machine and wait until it is running.");
  const vm = await run("gpuctl rentals create vm --gpus 2 --gpu h200 --label trainer -o id --yes");
  await run("gpuctl rentals list");
  await run(`gpuctl rentals wait ${vm} --interval 1s`);
  await run("gpuctl rentals summary");

  say("Reserve it for 30 days. The service rejects an unexpected price; the error shows the actual one.");
  const rejection = await runRejected(`gpuctl reserve convert ${vm} --days 30 --expected-price 1.00 --yes`);
  const cents = /must be (\d+)/.exec(rejection)?.[1] ?? "";
  await run(`gpuctl reserve convert ${vm} --days 30 --expected-total-price-cents ${cents} --yes`);

  say("Rent bare metal and attach a storage volume to it.");
  const metal = await run("gpuctl rentals create bare-metal --gpus 8 --network-type infiniband -o id --yes");
  const volume = await run(
    "gpuctl volumes create --region us-central-1 --label data --size-in-gb 1024 -o id",
  );
  await run(`gpuctl volumes attach ${volume} ${metal}`);
  await run("gpuctl volumes list");
  await run("gpuctl rentals list");

  say("Chat with a model. The one in the sandbox repeats your message.");
  await run('gpuctl chat "Which GPU for a 70B model?"');

  say("Generate a picture, a variation of it, and speech. Existing files are not overwritten.");
  await mkdir("demo-output", { recursive: true });
  const picture = await run('gpuctl image "a lighthouse at dusk" --seed 7 --out demo-output/lighthouse.png');
  await run(`gpuctl image "the same at dawn" --image "${picture}" --strength 0.4 --out demo-output/dawn.png`);
  await run('gpuctl tts "Your GPU is ready." --out demo-output/ready.wav');

  say("Done. Nothing was rented or paid for. The generated files are in demo-output.");
}

try {
  await demo();
} catch (error) {
  if (!(error instanceof CommandFailed)) throw error;
  process.stderr.write(`\n${error.message}\n`);
  process.exitCode = 1;
} finally {
  await rm(home, { recursive: true, force: true });
}
