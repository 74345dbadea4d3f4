/**
 * The main job from start to end, with the built command and the sandbox. Prints each command line before it runs.
 * Pictures and speech stay in ./demo-output; the sandbox's state is in a folder of its own that goes away again.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failed, openShell } from "./demo-shell.ts";

const home = await mkdtemp(join(tmpdir(), "gpuctl-demo-"));
const { say, run, refused } = openShell(home);

async function demo(): Promise<void> {
  say(
    "GPUCTL_SANDBOX=1 is set: the service runs inside gpuctl. --yes answers what a terminal would be asked.",
  );

  say("Rent a virtual machine, and wait until it runs.");
  const vm = await run("gpuctl rentals create vm --gpus 2 --gpu h200 --label trainer -o id --yes");
  await run("gpuctl rentals list");
  await run(`gpuctl rentals wait ${vm} --interval 1s`);
  await run("gpuctl rentals summary");

  say(
    "Reserve it for 30 days. A price that is not the service's own is refused; the refusal names the right one.",
  );
  const refusal = await refused(`gpuctl reserve convert ${vm} --days 30 --expected-price 1.00 --yes`);
  const cents = /must be (\d+)/.exec(refusal)?.[1] ?? "";
  await run(`gpuctl reserve convert ${vm} --days 30 --expected-total-price-cents ${cents} --yes`);

  say("Rent bare metal, and attach a storage volume to it.");
  const metal = await run("gpuctl rentals create bare-metal --gpus 8 --network-type infiniband -o id --yes");
  const volume = await run(
    "gpuctl volumes create --region us-central-1 --label data --size-in-gb 1024 -o id",
  );
  await run(`gpuctl volumes attach ${volume} ${metal}`);
  await run("gpuctl volumes list");
  await run("gpuctl rentals list");

  say("Ask the chat model. The sandbox's one says back what it heard.");
  await run('gpuctl chat "Which GPU for a 70B model?"');

  say(
    "Draw a picture, then another one after it, and speak. Files that are there already are never replaced.",
  );
  await mkdir("demo-output", { recursive: true });
  const picture = await run('gpuctl image "a lighthouse at dusk" --seed 7 --out demo-output/lighthouse.png');
  await run(`gpuctl image "the same at dawn" --image "${picture}" --strength 0.4 --out demo-output/dawn.png`);
  await run('gpuctl tts "Your GPU is ready." --out demo-output/ready.wav');

  say("Done. Nothing was rented and nothing was paid. Look at what is in demo-output.");
}

try {
  await demo();
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  process.stderr.write(`\n${error.message}\n`);
  process.exitCode = 1;
} finally {
  await rm(home, { recursive: true, force: true });
}
