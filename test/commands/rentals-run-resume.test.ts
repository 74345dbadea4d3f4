import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claimJob } from "../../src/jobs/watch.ts";
import { processes } from "../../src/system/files.ts";
import { firstMoment } from "../support/cli.ts";
import { storeJob } from "../support/jobs.ts";
import {
  deadProcess,
  hour,
  isCreate,
  leaseFile,
  leasesOf,
  otherProcess,
  writeLeases,
} from "../support/leases.ts";
import { createRenter, sh } from "../support/renter.ts";
import { serviceUrl } from "../support/service.ts";

type Renter = Awaited<ReturnType<typeof createRenter>>;

async function changeJob({ jobs, folder }: Renter, fields: object): Promise<void> {
  const [{ id }] = await jobs();
  const path = join(folder, "state", "jobs", id, "job.json");
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, "utf8")), ...fields }));
}

/** A job that was killed before its command started. */
async function createKilled(...flags: readonly string[]) {
  const renter = await createRenter();
  const line = sh("exit 4", "--detach", "--lease", "1h", ...flags);
  const env = renter.network({ ONE: "a", TWO: "a" });
  await renter.run(line, env);
  await changeJob(renter, { phase: "starting", process: deadProcess });
  return { ...renter, renter, line, env };
}

describe.skipIf(process.platform === "win32")("a job that is resumed", () => {
  test.each([
    ["another value", "MODE=first", "MODE=second"],
    ["another variable", "ONE", "TWO"],
  ])("is not resumed by a command line with %s", async (_, variable, other) => {
    const { run, line, jobs, env } = await createKilled("--env", variable);
    const changed = await run(
      line.map((word) => (word === variable ? other : word)),
      env,
    );
    expect(changed.err).not.toContain("Resuming");
    expect(changed.requests.filter(isCreate)).toHaveLength(1);
    const [first] = await jobs();
    expect(first).not.toHaveProperty("values");
    const same = await run(line, env);
    expect(same.err).toContain(`Resuming job ${first.id}`);
    expect(same.requests.filter(isCreate)).toEqual([]);
  });

  test("says that a command that runs keeps the values of --env", async () => {
    const renter = await createRenter();
    const line = sh("exit 4", "--keep", "--env", "TOKEN");
    await renter.run(line, renter.network({ TOKEN: "old" }));
    await changeJob(renter, { phase: "running", process: deadProcess });
    const { code, err } = await renter.run(line, renter.network({ TOKEN: "new" }));
    expect(code, err).toBe(4);
    expect(err).toMatch(/^Resuming job .* Its command keeps the values of --env that it started with\.$/m);
  });

  test("is attended by only one of two processes that resume it at once", async () => {
    const { folder } = await createRenter();
    const state = join(folder, "state");
    const { id } = await storeJob(state, { process: deadProcess });
    const names = ["one", "two"].map((name) => `${processes.self}-${name}`);
    const taken = await Promise.all(
      names.map((self) =>
        claimJob(id, {
          state,
          processes: { self, isRunning: (name) => names.includes(name), isHere: () => true },
        }),
      ),
    );
    expect(taken.filter((journal) => journal !== undefined)).toHaveLength(1);
  });

  test.each([
    ["another process attends it", { process: otherProcess }],
    ["it has ended", { phase: "ended" }],
  ])("rents nothing without a question if meanwhile %s", async (_, fields) => {
    const { run, line, remote, renter, active } = await createKilled();
    const which = async (program: string) => {
      await changeJob(renter, fields);
      return remote.programs.which(program);
    };
    const { code, err, requests } = await run(
      line.filter((word) => word !== "--yes"),
      { terminal: 80, programs: { ...remote.programs, which } },
    );
    expect(code, err).toBe(2);
    expect(err).toContain("another gpuctl process has just resumed or ended the job of this command line");
    expect(requests.filter(isCreate)).toEqual([]);
    expect(await active()).toHaveLength(1);
  });
});

describe.skipIf(process.platform === "win32")("the lease of a job", () => {
  /** A detached job that was killed before its lease outlived its process. */
  async function createDetached(trouble?: () => Promise<undefined>) {
    const renter = await createRenter({ ...(trouble && { trouble }) });
    await renter.run(sh("sleep 0.3; exit 4", "--detach", "--lease", "1h"));
    const path = leaseFile(renter);
    const [header = "", line = ""] = (await readFile(path, "utf8")).split("\n");
    const { lease } = JSON.parse(line);
    const left = { lease: { ...lease, process: deadProcess, endsWithProcess: true } };
    await writeFile(path, `${header}\n${JSON.stringify(left)}\n`);
    return renter;
  }

  test("keeps a guard from ending the rental while jobs attach waits", async () => {
    let guard: (() => Promise<unknown>) | undefined;
    const { run } = await createDetached(async () => {
      await guard?.();
      return undefined;
    });
    guard = () => run("rentals guard --once --yes");
    const { code, err } = await run("rentals jobs attach");
    expect(code, err).toBe(4);
  });

  test("outlives jobs attach that is interrupted", async () => {
    const { run, leases } = await createDetached();
    const { code } = await run("rentals jobs attach", { answerSignal: () => AbortSignal.abort() });
    expect(code).toBe(130);
    expect(await leases()).toMatchObject([{ rentalId: "1001", process: processes.self }]);
    expect((await leases())[0]).not.toHaveProperty("endsWithProcess");
  });

  test.each([
    ["is removed if nothing was requested", undefined, 0],
    ["is removed if the rental would be listed by now", firstMoment - hour, 0],
    ["stays if the rental may still appear", firstMoment, 1],
  ])("of a job that is cancelled without a rental %s", async (_, rentedAt, left) => {
    const renter = await createRenter();
    const job = { service: serviceUrl, process: deadProcess, rentedAt, leaseFile: leaseFile(renter) };
    const { id: token, rentalLabel: label } = await storeJob(join(renter.folder, "state"), job);
    await writeLeases(renter, [{ token, label, service: serviceUrl, process: deadProcess }]);
    const { code, err } = await renter.run("rentals jobs cancel --all --yes");
    expect(code, err).toBe(0);
    expect(await leasesOf(renter)).toHaveLength(left);
    expect(err.includes("Its lease stays")).toBe(left === 1);
  });
});
