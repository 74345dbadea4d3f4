import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deadProcess, isCreate, leaseFile, leasesOf } from "../support/leases.ts";
import type { Connection } from "../support/remote.ts";
import { createRenter, sh } from "../support/renter.ts";
import { sample } from "../support/thorough.ts";

type Renter = Awaited<ReturnType<typeof createRenter>>;

const leased = ["--detach", "--lease", "1h"];
const isStart = ({ input }: Connection) => input.includes('mkdir "$d/started"');

async function jobFile({ jobs, folder }: Renter): Promise<string> {
  const [{ id }] = await jobs();
  return join(folder, "state", "jobs", id, "job.json");
}

async function changeJob(renter: Renter, fields: object): Promise<void> {
  const path = await jobFile(renter);
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, "utf8")), ...fields }));
}

async function createKilled(script: string, ...flags: readonly string[]) {
  const renter = await createRenter();
  const line = sh(script, ...leased, ...flags);
  await runKilled(renter, line);
  return { ...renter, renter, line };
}

/** Runs a job whose gpuctl process is killed after it has started the command, and before it stores that fact. */
async function runKilled(renter: Renter, line: readonly string[]): Promise<void> {
  await renter.run(line);
  await changeJob(renter, { phase: "running", started: false, process: deadProcess });
  const path = leaseFile(renter);
  const [header = "", text = ""] = (await readFile(path, "utf8")).split("\n");
  const lease = { ...JSON.parse(text).lease, process: deadProcess, endsWithProcess: true };
  await writeFile(path, `${header}\n${JSON.stringify({ lease })}\n`);
}

describe.skipIf(process.platform === "win32")("a detached job", () => {
  const moments: readonly (readonly [string, (connection: Connection) => boolean])[] = [
    ["while the rental boots", ({ input }) => input.includes("echo none")],
    ["while the rental is prepared", ({ input }) => input.includes("command -v rsync")],
    ["during the upload", ({ program }) => program === "scp"],
    ["at the start of the command", isStart],
  ];

  test.each(sample(moments, 0, 3))("ends its rental after Ctrl-C %s", async (_, at) => {
    const stop = new AbortController();
    const { run, active, leases, jobs, folder } = await createRenter({
      trouble: (connection) => {
        if (at(connection)) stop.abort();
        return undefined;
      },
    });
    await mkdir(join(folder, "in"));
    const { code, err } = await run(sh("sleep 30", "--sync", "in", ...leased), {
      answerSignal: () => stop.signal,
    });
    expect(code, err).toBe(130);
    expect(err).toMatch(/^Interrupted: stopping the command and ending the rental\./m);
    expect(err).toContain("Rental 1001 has ended.");
    expect(err).not.toContain("continues");
    expect([await active(), await leases()]).toEqual([[], []]);
    expect(await jobs()).toMatchObject([{ state: "ended", outcome: "interrupted" }]);
  });

  test("is resumed by the same line, and no second machine is rented, if it is not known whether its command has started", async () => {
    const { run, line, active, jobs } = await createKilled("exit 4");
    expect(await jobs()).toMatchObject([{ state: "unattended" }]);
    const { code, err, requests } = await run(line);
    expect(code, err).toBe(4);
    expect(err).toMatch(/^Resuming job/);
    expect(requests.filter(isCreate)).toEqual([]);
    expect(await active()).toEqual([]);
  });

  test("is started by `jobs attach`, which waits for its end, if its command had not started", async () => {
    const { run, renter, remote, active, folder } = await createKilled(
      "echo 42 > model; exit 4",
      "--fetch",
      "model",
    );
    await rm(join(remote.home, ".gpuctl-jobs"), { recursive: true });
    await changeJob(renter, { phase: "starting" });
    const { code, out, err } = await run("rentals jobs attach");
    expect(code, err).toBe(4);
    expect(out).not.toContain("detached");
    expect(await readFile(join(folder, "model"), "utf8")).toBe("42\n");
    expect(await active()).toEqual([]);
  });

  test.each([
    ["a run of the same line", undefined],
    ["jobs attach", "rentals jobs attach"],
  ])("goes on after Ctrl-C during %s, and its lease no longer ends with a process", async (_, words) => {
    const { run, renter, line, remote, active, jobs } = await createKilled("echo one; sleep 30");
    const stop = new AbortController();
    const { stream } = remote.programs;
    const programs: typeof remote.programs = {
      ...remote.programs,
      stream: (program, args, options) =>
        stream(program, args, {
          ...options,
          onStdout: async (bytes) => {
            await options.onStdout(bytes);
            if (`${bytes}`.includes("one")) stop.abort();
          },
        }),
    };
    const { code, err } = await run(words ?? line, { programs, answerSignal: () => stop.signal });
    expect(code, err).toBe(130);
    expect(err).toContain("continues, and rental 1001 is billed");
    expect(await active()).toHaveLength(1);
    expect(await leasesOf(renter)).toEqual([expect.not.objectContaining({ endsWithProcess: true })]);
    expect(await jobs()).toMatchObject([{ state: "detached" }]);
  });

  test("keeps its rental after Ctrl-C while its results are copied back", async () => {
    const stop = new AbortController();
    const { run, active, folder } = await createRenter({
      trouble: ({ program }) => {
        if (program === "scp") stop.abort();
        return undefined;
      },
    });
    await run(sh("echo 42 > model; exit 3", "--fetch", "model", ...leased));
    const { code, err } = await run("rentals jobs attach", { answerSignal: () => stop.signal });
    expect(code, err).toBe(130);
    expect(err).toContain("continues, and rental 1001 is billed");
    expect(await active()).toHaveLength(1);
    const again = await run("rentals jobs attach");
    expect(again.code, again.err).toBe(3);
    expect(await readFile(join(folder, "model"), "utf8")).toBe("42\n");
    expect(await active()).toEqual([]);
  });

  describe("with --env whose process was killed", () => {
    test("is not started by `jobs attach`, which says how to resume it", async () => {
      const { run, active, remote } = await createKilled("echo $MODE > $HOME/ran", "--env", "MODE=fast");
      await rm(join(remote.home, ".gpuctl-jobs"), { recursive: true });
      await rm(join(remote.home, "ran"), { force: true });
      const { code, err } = await run("rentals jobs attach");
      expect(code, err).toBe(2);
      expect(err).toMatch(
        /^Error: job \w+ may not have started its command, and the values of --env are not stored$/m,
      );
      expect(err).toContain("To resume the job, repeat the command line that started it.");
      expect(existsSync(join(remote.home, "ran"))).toBe(false);
      expect(await active()).toHaveLength(1);
    });

    test.each([
      ["an older version did not store whether it was started", { started: undefined }],
      ["its files are missing", { started: true }],
    ])("is not started without the values of --env if %s", async (_, fields) => {
      const { run, renter, active, remote } = await createKilled("touch $HOME/ran", "--env", "MODE=fast");
      await run("rentals jobs logs --follow");
      await changeJob(renter, fields);
      await rm(join(remote.home, ".gpuctl-jobs"), { recursive: true });
      await rm(join(remote.home, "ran"));
      const { code, err } = await run("rentals jobs attach");
      expect(code, err).toBe(7);
      expect(err).toContain("Error: the files of the job are missing on rental 1001\n");
      expect(existsSync(join(remote.home, "ran"))).toBe(false);
      expect(await active()).toEqual([]);
    });

    test("is attended by `jobs attach` if an older version did not store whether it was started", async () => {
      const { run, renter, active } = await createKilled("exit 4", "--env", "MODE=fast");
      await changeJob(renter, { started: undefined, process: "" });
      const { code, err } = await run("rentals jobs attach");
      expect(code, err).toBe(4);
      expect(await active()).toEqual([]);
    });
  });

  describe("whose lease cannot be changed once its command runs", () => {
    const createStuck = async () => {
      const renter: Renter = await createRenter({
        trouble: async (connection) => {
          if (!isStart(connection)) return undefined;
          const text = await readFile(leaseFile(renter), "utf8");
          await writeFile(leaseFile(renter), `damaged${text}`);
          return undefined;
        },
      });
      return renter;
    };

    test("is reported with the command that sets another lease, and gpuctl exits with 1", async () => {
      const renter = await createStuck();
      const { run, active, jobs, leases } = renter;
      const { code, out, err } = await run(sh("sleep 30", "--detach", "--lease", "12h", "-o", "json"));
      const [{ id }] = await jobs();
      expect(code, err).toBe(1);
      expect(JSON.parse(out)).toMatchObject({ id, rentalId: "1001", state: "detached" });
      const { error } = JSON.parse(err);
      expect(error.message).toMatch(
        new RegExp(
          `^job ${id} is running on rental 1001, but the lease of the rental ends with this gpuctl process: .*damaged`,
        ),
      );
      const [, line = ""] =
        /set a new lease with `gpuctl (rentals lease set 1001 12h)`/.exec(error.hint) ?? [];
      expect(error.hint).toContain("`gpuctl rentals guard` ends the rental.");
      expect(await active()).toHaveLength(1);
      const text = await readFile(leaseFile(renter), "utf8");
      await writeFile(leaseFile(renter), text.replace("damaged", ""));
      expect(await run(line)).toMatchObject({ code: 0 });
      expect(await leases()).toEqual([expect.not.objectContaining({ endsWithProcess: true })]);
    });

    test("is reported with a warning if it is resumed and its rental then cannot be reached", async () => {
      let isKilled = false;
      let isDown = false;
      const renter: Renter = await createRenter({
        trouble: async () => {
          if (isDown) return { stderr: "Connection refused" };
          if (!isKilled) return undefined;
          isDown = true;
          const text = await readFile(leaseFile(renter), "utf8");
          await writeFile(leaseFile(renter), `damaged${text}`);
          return undefined;
        },
      });
      const line = sh("sleep 30", ...leased);
      await runKilled(renter, line);
      isKilled = true;
      const { code, err } = await renter.run(line);
      expect(code, err).toBe(8);
      expect(err).toMatch(
        /^Warning: job \w+ is running on rental 1001, but the lease of the rental ends with this gpuctl process: .*damaged/m,
      );
      expect(err).toContain("Error: rental 1001 could not be reached for 10m");
    });

    test("does not make gpuctl fail if its rental is kept, because the lease of a kept rental does not end with a process", async () => {
      const { run } = await createStuck();
      const { code, err } = await run(sh("sleep 30", "--keep", ...leased));
      expect(code, err).toBe(0);
    });
  });

  test("is stored with the data that shows whether its command has started", async () => {
    const { run, remote, ...renter } = await createRenter();
    await run(sh("sleep 30", ...leased));
    const stored = JSON.parse(await readFile(await jobFile({ run, remote, ...renter }), "utf8"));
    expect(stored).toMatchObject({ phase: "running", started: true });
    const [id = ""] = await readdir(join(remote.home, ".gpuctl-jobs"));
    expect(await readdir(join(remote.home, ".gpuctl-jobs", id))).toContain("boot_id");
    expect((await renter.jobs())[0]).not.toHaveProperty("started");
  });
});
