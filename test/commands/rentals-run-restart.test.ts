import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../support/programs.ts";
import type { Connection } from "../support/remote.ts";
import { createRenter, sh } from "../support/renter.ts";
import { sample } from "../support/thorough.ts";

/** A command that writes a result, and then sleeps until the restart kills it. */
const script = "echo 42 > model; echo ready; sleep 30";
const vanished = "the command on rental 1001 is no longer running and left no exit status";

/** What a restarted machine looks like. */
interface Restart {
  /** Whether the rental has a boot ID, which changes when the machine restarts. */
  readonly hasBootId: boolean;
  /** Whether another program now has the process ID of the command. */
  readonly reusesPid: boolean;
}

const restarts: readonly (readonly [string, Restart])[] = [
  ["no program has the process ID of the command", { hasBootId: true, reusesPid: false }],
  ["another program has the process ID of the command", { hasBootId: true, reusesPid: true }],
  ["the rental has no boot ID", { hasBootId: false, reusesPid: false }],
];

/** A rental whose machine restarts. `onCopy` is called at each copy. */
async function createRestarting(
  { hasBootId, reusesPid }: Restart,
  onCopy: (connection: Connection) => { stderr: string; status: number } | undefined = () => undefined,
) {
  const renter = await createRenter({
    trouble: (connection) => (connection.program === "scp" ? onCopy(connection) : undefined),
  });
  const { home, programs } = renter.remote;
  let other: ChildProcess | undefined;
  const restart = async () => {
    const [id = ""] = await readdir(join(home, ".gpuctl-jobs"));
    const at = (name: string) => join(home, ".gpuctl-jobs", id, name);
    process.kill(-Number(await readFile(at("pid"), "utf8")), "SIGKILL");
    if (hasBootId) await writeFile(at("boot_id"), `${crypto.randomUUID()}\n`);
    else await rm(at("boot_id"));
    if (!reusesPid) return;
    other = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
    onTestFinished(() => void other?.kill());
    await once(other, "spawn");
    await writeFile(at("pid"), `${other.pid}\n`);
  };
  /** The programs that reach the rental. Its machine restarts as soon as the command has written its result. */
  const restarting: typeof programs = {
    ...programs,
    stream: async (program, args, options) => {
      const broken = new AbortController();
      const status = await programs.stream(program, args, {
        ...options,
        signal: AbortSignal.any([options.signal, broken.signal]),
        onStdout: async (bytes) => {
          await options.onStdout(bytes);
          if (broken.signal.aborted || !`${bytes}`.includes("ready")) return;
          await restart();
          broken.abort();
        },
      });
      return broken.signal.aborted ? 255 : status;
    },
  };
  return { ...renter, restarting, restart, isOtherRunning: () => other?.signalCode === null };
}

/** A detached job whose machine has restarted since the command wrote its result. */
async function createDetached(restart: Restart, ...flags: readonly string[]) {
  const renter = await createRestarting(restart);
  await renter.run(sh(script, "--fetch", "model", "--detach", "--lease", "1h", ...flags));
  await renter.run("rentals jobs logs --follow", { programs: renter.restarting });
  return renter;
}

describe.runIf(process.platform === "linux")("if the machine restarts while the command runs", () => {
  // Without setsid, the command has no process group of its own that the restart could kill.
  needs("setsid");

  test.each(sample(restarts, 1, 2))(
    "`rentals run` copies the results back and then ends the rental if %s",
    async (_, restart) => {
      const { run, restarting, folder, active, leases, jobs, isOtherRunning } =
        await createRestarting(restart);
      const { code, out, err } = await run(sh(script, "--fetch", "model"), { programs: restarting });
      expect({ code, out }, err).toEqual({ code: 7, out: "ready\n" });
      expect(err).toContain(`Error: ${vanished}; the machine may have restarted\n`);
      expect(err).toMatch(/^Copied model to .*model: 1 file, 3 bytes\.$/m);
      expect(await readFile(join(folder, "model"), "utf8")).toBe("42\n");
      expect([await active(), await leases()]).toEqual([[], []]);
      expect(await jobs()).toMatchObject([{ state: "ended", outcome: expect.stringContaining(vanished) }]);
      expect(isOtherRunning()).toBe(restart.reusesPid);
    },
  );

  test("`rentals run` says what could not be copied back, and ends the rental", async () => {
    const { run, restarting, folder, active } = await createRestarting(
      { hasBootId: true, reusesPid: false },
      () => ({ stderr: "read: Input/output error", status: 1 }),
    );
    const { code, err } = await run(sh(script, "--fetch", "model"), { programs: restarting });
    expect(code, err).toBe(7);
    expect(err).toMatch(/^Warning: not everything was copied back: model: scp exited with status 1: read/m);
    expect(err).toContain(`Error: ${vanished}`);
    expect(existsSync(join(folder, "model"))).toBe(false);
    expect(await active()).toEqual([]);
  });

  test.each(sample(restarts, 0))("`jobs attach` copies the results back if %s", async (_, restart) => {
    const { run, folder, active } = await createDetached(restart);
    const { code, err } = await run("rentals jobs attach");
    expect(code, err).toBe(7);
    expect(err).toContain(`Error: ${vanished}`);
    expect(await readFile(join(folder, "model"), "utf8")).toBe("42\n");
    expect(await active()).toEqual([]);
  });

  const reused = { hasBootId: true, reusesPid: true };

  test("if a limit was reached, `jobs attach` copies the results back, and does not stop the program that now has the process ID", async () => {
    const { run, folder, active, jobs, isOtherRunning } = await createDetached(reused);
    const [{ id }] = await jobs();
    const path = join(folder, "state", "jobs", id, "job.json");
    const limit = { stopsAt: 1, limit: "the time limit of 2h" };
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, "utf8")), ...limit }));
    const { code, err } = await run("rentals jobs attach");
    expect(code, err).toBe(8);
    expect(await readFile(join(folder, "model"), "utf8")).toBe("42\n");
    expect([await active(), isOtherRunning()]).toEqual([[], true]);
  });

  test("`jobs cancel` stops no other program", async () => {
    const { run, jobs, isOtherRunning } = await createDetached(reused, "--keep");
    const { code, err } = await run("rentals jobs cancel --all --yes");
    expect(code, err).toBe(0);
    expect(await jobs()).toMatchObject([{ state: "ended", outcome: "canceled" }]);
    expect(isOtherRunning()).toBe(true);
  });

  test("`jobs logs --follow` shows the output and ends", async () => {
    const { run } = await createDetached(reused);
    expect(await run("rentals jobs logs --follow")).toMatchObject({ code: 0, out: "ready\n" });
  });
});
