import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claimJob } from "../../src/jobs/watch.ts";
import { processes } from "../../src/system/files.ts";
import type { Prompts } from "../../src/system/types.ts";
import { firstMoment, type SeenRequest } from "../support/cli.ts";
import { storeJob } from "../support/jobs.ts";
import {
  deadProcess,
  hour,
  inContainer,
  isCreate,
  isTerminate,
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

/** Flags of a job that continues without gpuctl. */
const leased = ["--detach", "--lease", "1h"];

/** A job whose gpuctl process was killed before the command started. */
async function createKilled(...flags: readonly string[]) {
  const renter = await createRenter();
  const line = sh("exit 4", "--detach", "--lease", "1h", ...flags);
  const env = renter.network({ ONE: "a", TWO: "a" });
  await renter.run(line, env);
  await changeJob(renter, { phase: "starting", process: deadProcess });
  return { ...renter, renter, line, env };
}

describe.skipIf(process.platform === "win32")("a job", () => {
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

  test("is resumed by a command line with the values of repeated flags in another order", async () => {
    const renter = await createRenter();
    const lineWith = (...flags: readonly string[]) => sh("exit 4", "--detach", "--lease", "1h", ...flags);
    await renter.run(lineWith("--env", "A=1", "--fetch", "x", "--env", "B=2", "--fetch", "y"));
    await changeJob(renter, { phase: "starting", process: deadProcess });
    const flags = ["--fetch", "y", "--env", "B=0", "--env", "B=2", "--env", "A=1", "--fetch", "x"];
    const { err, requests } = await renter.run(lineWith(...flags));
    expect(err).toMatch(/^Resuming job /m);
    expect(requests.filter(isCreate)).toEqual([]);
  });

  test("is resumed with a note that its command, which already runs, keeps the first values of --env", async () => {
    const renter = await createRenter();
    const line = sh("exit 4", "--keep", "--env", "TOKEN");
    await renter.run(line, renter.network({ TOKEN: "old" }));
    await changeJob(renter, { phase: "running", process: deadProcess });
    const { code, err } = await renter.run(line, renter.network({ TOKEN: "new" }));
    expect(code, err).toBe(4);
    expect(err).toMatch(/^Resuming job .* Its command keeps the values of --env that it started with\.$/m);
  });

  test("is still listed with its rental if the first lookup of the resumed job fails", async () => {
    let refuses = false;
    const renter = await createRenter({
      respond: () => (refuses ? Response.json({}, { status: 403 }) : undefined),
    });
    const line = sh("exit 4", "--detach", "--lease", "1h");
    await renter.run(line);
    await changeJob(renter, { phase: "starting", process: deadProcess });
    refuses = true;
    const { code, err } = await renter.run(line);
    expect(code, err).toBe(4);
    expect(err).toContain(
      "The job was not resumed. `gpuctl rentals jobs list` shows whether it has a rental.",
    );
    expect(await renter.jobs()).toMatchObject([{ rentalId: "1001" }]);
  });

  test("is resumed by only one of two processes that try at the same time", async () => {
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
    ["another process attaches to the job", { process: otherProcess }],
    ["the job ends", { phase: "ended" }],
  ])(
    "does not lead to a new rental or to a confirmation prompt if %s while its command line is run again",
    async (_, fields) => {
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
      expect(err).toContain("`gpuctl rentals jobs list --all` shows the job.");
      expect(requests.filter(isCreate)).toEqual([]);
      expect(await active()).toHaveLength(1);
    },
  );
});

describe.skipIf(process.platform === "win32")("a command line that is run again", () => {
  test.each([
    ["budget.maxBurn", "50", "60"],
    ["rentals.gpuType", "h200", "h100"],
    ["rentals.region", "us-central-1", "eu-north-4"],
  ])("resumes the job even after `config set %s`", async (key, before, after) => {
    const renter = await createRenter();
    const { run } = renter;
    const line = sh("exit 4", "--detach", "--lease", "1h");
    await run(`config set ${key} ${before}`);
    expect(await run(line)).toMatchObject({ code: 0 });
    await changeJob(renter, { phase: "starting", process: deadProcess });
    for (const change of [`config set ${key} ${after}`, `config unset ${key}`]) {
      expect(await run(change)).toMatchObject({ code: 0 });
      await changeJob(renter, { phase: "starting", process: deadProcess });
      const { err, requests } = await run(line);
      expect(err).toMatch(/^Resuming job/m);
      expect(requests.filter(isCreate)).toEqual([]);
    }
  });

  test("resumes the job although the price of a new rental is unknown", async () => {
    let fails = true;
    const renter = await createRenter({
      respond: async (request) => {
        if (fails) return isTerminate(request) ? Response.json({}, { status: 500 }) : undefined;
        return request.path.endsWith("/rental-options") ? Response.json([]) : undefined;
      },
    });
    const line = sh("exit 3", "--max-cost", "5");
    expect(await renter.run(line)).toMatchObject({ code: 10 });
    fails = false;
    await renter.run("config set rentals.gpuType b200");
    // The clock of the test is fast, so the limit may stop the command.
    const { code, err } = await renter.run(line);
    expect([3, 8], err).toContain(code);
    expect(err).toMatch(/^Resuming job/);
    expect(await renter.active()).toEqual([]);
  });

  test("starts a new job if the value of --max-burn differs", async () => {
    const { run, line } = await createKilled("--max-burn", "50");
    const { err, requests } = await run(line.map((word) => (word === "50" ? "60" : word)));
    expect(err).not.toContain("Resuming");
    expect(requests.filter(isCreate)).toHaveLength(1);
  });

  test("resumes the job if flags replace the answers to the prompts, as in the line that gpuctl printed", async () => {
    const renter = await createRenter();
    const choose: Prompts["choose"] = async ({ choices }) => choices[1] ?? choices[0] ?? "";
    const line = sh("exit 4", "--detach", "--lease", "1h").filter((word) => !["--gpus", "1"].includes(word));
    const { code, err } = await renter.run(line, { terminal: 200, prompts: { choose } });
    expect(code, err).toBe(0);
    await changeJob(renter, { phase: "starting", process: deadProcess });
    const [, again = ""] = /^To run this again without prompts: gpuctl (.*)$/m.exec(err) ?? [];
    const same = await renter.run(again);
    expect(same.err).toMatch(/^Resuming job/);
    expect(same.requests.filter(isCreate)).toEqual([]);
  });

  test("keeps the lease of the job in the first lease file if the environment selects another one", async () => {
    let fails = true;
    const guarded: string[] = [];
    const renter = await createRenter({
      respond: async (request) => {
        if (!isTerminate(request)) return undefined;
        if (fails) return Response.json({}, { status: 500 });
        // While the job is resumed, a guard that reads the first lease file must not end the rental.
        if (guarded.length > 0) return undefined;
        guarded.push("asked");
        const guard = await renter.run("rentals guard --once --yes -o json", first);
        guarded.push(...JSON.parse(guard.out).map(({ event }: { event: string }) => event));
        return undefined;
      },
    });
    const { run, folder, active } = renter;
    const first = renter.network({ GPUCTL_LEASE_FILE: join(folder, "first") });
    const other = renter.network({ GPUCTL_LEASE_FILE: join(folder, "other") });
    const line = sh("exit 3");
    expect(await run(line, first)).toMatchObject({ code: 10 });
    fails = false;
    const text = await readFile(join(folder, "first"), "utf8");
    await writeFile(join(folder, "first"), text.replaceAll(processes.self, deadProcess));
    const { code, err, requests } = await run(line, other);
    expect(code, err).toBe(3);
    expect(err).toMatch(/^Resuming job/);
    expect(requests.filter(isCreate)).toEqual([]);
    expect(guarded).toEqual(["asked"]);
    expect(await active()).toEqual([]);
    expect(await leasesOf(renter, join(folder, "first"))).toEqual([]);
  });

  test("names the lease file of the job if its rental is not listed", async () => {
    let fails = true;
    const renter = await createRenter({
      respond: async (request) =>
        fails && isCreate(request) ? Response.json({}, { status: 500 }) : undefined,
    });
    const first = join(renter.folder, "first");
    const line = sh("exit 4");
    expect(await renter.run(line, renter.network({ GPUCTL_LEASE_FILE: first }))).toMatchObject({ code: 10 });
    fails = false;
    const { err } = await renter.run(line);
    expect(err).toContain(
      `If the rental appears later, \`gpuctl rentals guard --lease-file ${first}\` ends it.`,
    );
  });
});

describe.skipIf(process.platform === "win32")("a job of another process", () => {
  const line = sh("exit 4", "--detach", "--lease", "1h");

  /** A job that has a rental and whose process is on another machine, unless `fields` changes that. */
  async function createDistant(fields: object = {}) {
    const renter = await createRenter();
    await renter.run(line);
    await changeJob(renter, { phase: "starting", process: "host-a pid:[1] 7", ...fields });
    const [{ id }] = await renter.jobs();
    return { ...renter, id };
  }

  test("causes an error if its command line is run again and the process cannot be checked; nothing is rented", async () => {
    const { run, id, active } = await createDistant();
    const asked: string[] = [];
    const confirm = async ({ message }: { readonly message: string }) => asked.push(message) > 0;
    const atTerminal = line.filter((word) => word !== "--yes");
    for (const outcome of [await run(line), await run(atTerminal, { terminal: 80, prompts: { confirm } })]) {
      expect(outcome.code, outcome.err).toBe(2);
      expect(outcome.err).toContain("process 7 on host-a may still be attached to it");
      expect(outcome.err).toContain(`gpuctl rentals jobs attach ${id} --take-over`);
      expect(outcome.err).toContain(`gpuctl rentals jobs cancel ${id}`);
      expect(outcome.requests.filter(isCreate)).toEqual([]);
    }
    expect(asked).toEqual([]);
    expect(await active()).toHaveLength(1);
  });

  test("does not prevent a run with another --label from creating a rental", async () => {
    const { run } = await createDistant();
    const { code, err, requests } = await run([...line.slice(0, 2), "--label", "other", ...line.slice(2)]);
    expect(code, err).toBe(0);
    expect(requests.filter(isCreate)).toHaveLength(1);
  });

  test("is taken over by `jobs attach --take-over`, which then ends the rental", async () => {
    const { run, active } = await createDistant();
    const { code, err } = await run("rentals jobs attach --take-over");
    expect(code, err).toBe(4);
    expect(await active()).toEqual([]);
  });

  test("is not taken over by `jobs attach --take-over` if the attached process runs on this machine", async () => {
    const { run, active } = await createDistant({ process: otherProcess });
    const { code, err } = await run("rentals jobs attach --take-over", {
      answerSignal: () => AbortSignal.timeout(500),
    });
    expect(code, err).toBe(130);
    expect(err).toContain("Another gpuctl process is attached");
    expect(await active()).toHaveLength(1);
  });

  test("makes `jobs attach` name the process and --take-over if the process cannot be checked", async () => {
    const { run } = await createDistant();
    const { code, err } = await run("rentals jobs attach", { answerSignal: () => AbortSignal.timeout(500) });
    expect(code, err).toBe(130);
    expect(err).toContain("process 7 on host-a, which cannot be checked from here");
    expect(err).toContain("--take-over");
  });

  test("has no attached process after `jobs attach` is interrupted", async () => {
    const { run, active, folder, id } = await createDistant({ phase: "running", process: deadProcess });
    const { code } = await run("rentals jobs attach", { answerSignal: () => AbortSignal.abort() });
    expect(code).toBe(130);
    const path = join(folder, "state", "jobs", id, "job.json");
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ phase: "running", process: "" });
    expect(await run("rentals jobs attach")).toMatchObject({ code: 4 });
    expect(await active()).toEqual([]);
  });

  test("does not prevent a new job after --take-over if it has no rental", async () => {
    const { run, active } = await createDistant({
      phase: "creating",
      rentalId: undefined,
      rentalLabel: "train-nothing",
    });
    const [second, third] = [{ processes: inContainer(2) }, { processes: inContainer(3) }];
    expect((await run("rentals jobs cancel --all --yes", second)).err).toContain("--take-over` first");
    expect((await run("rentals jobs attach --take-over", second)).err).toContain(
      "no active rental has the label of job",
    );
    expect((await run(line, third)).err).toContain("so a new job starts");
    expect(await active()).toHaveLength(2);
  });

  /**
   * The processes that a container sees. While gpuctl checks whether the first process of a job still runs, a process
   * in another container attaches to the job.
   */
  const whereTaken = ({ folder, id }: Awaited<ReturnType<typeof createDistant>>) => {
    const path = join(folder, "state", "jobs", id, "job.json");
    const own = inContainer(2);
    let lookups = 0;
    const isRunning = (name: string) => {
      if (name !== "first") return own.isRunning(name);
      lookups += 1;
      if (lookups < 4) return true;
      const job = JSON.parse(readFileSync(path, "utf8"));
      writeFileSync(path, JSON.stringify({ ...job, process: inContainer(3).self }));
      return false;
    };
    return { ...own, isRunning, isHere: (name: string) => name === "first" || own.isHere(name) };
  };

  test("makes `jobs attach` name the process in another container that has just taken the job over", async () => {
    const distant = await createDistant({ process: "first" });
    const { code, err } = await distant.run("rentals jobs attach", {
      processes: whereTaken(distant),
      answerSignal: () => AbortSignal.timeout(500),
    });
    expect(code, err).toBe(130);
    expect(err).toContain("process 1 on node, which cannot be checked from here");
  });

  test("can be taken over from a process in another container that has just taken the job over", async () => {
    const distant = await createDistant({ process: "first" });
    const { code, err } = await distant.run("rentals jobs attach --take-over", {
      processes: whereTaken(distant),
      answerSignal: () => AbortSignal.timeout(5_000),
    });
    expect(code, err).toBe(4);
  });
});

describe.skipIf(process.platform === "win32")("a job without an attached process", () => {
  const line = sh("exit 6", "--detach", "--lease", "1h", "--env", "MODE=fast");

  /** A job without an attached process. The service refuses the requests that `service.refuses` selects. */
  async function createLeft(fields: object = {}) {
    const service = { refuses: (_: SeenRequest): boolean => false };
    const renter = await createRenter({
      respond: (request) => (service.refuses(request) ? Response.json({}, { status: 403 }) : undefined),
    });
    await renter.run(line);
    await changeJob(renter, { phase: "starting", process: "", ...fields });
    return { ...renter, service };
  }

  test.each([
    ["a rerun whose lookup fails", line, {}, (request: SeenRequest) => request.method === "GET", 4],
    ["jobs attach, which has no values of --env", "rentals jobs attach", {}, () => false, 2],
    [
      "jobs attach, whose lookup fails",
      "rentals jobs attach",
      { phase: "running" },
      (request: SeenRequest) => request.method === "GET",
      4,
    ],
    ["jobs cancel, which cannot end the rental", "rentals jobs cancel --all --yes", {}, isTerminate, 10],
  ])("can be resumed in another container after %s", async (_, failing, fields, refuses, exitCode) => {
    const { run, service, active } = await createLeft(fields);
    service.refuses = refuses;
    const failed = await run(failing, { processes: inContainer(1) });
    expect(failed.code, failed.err).toBe(exitCode);
    service.refuses = () => false;
    const resumed = await run("phase" in fields ? "rentals jobs attach" : line, {
      processes: inContainer(2),
      answerSignal: () => AbortSignal.timeout(5_000),
    });
    expect(resumed.code, resumed.err).toBe(6);
    expect(resumed.requests.filter(isCreate)).toEqual([]);
    expect(await active()).toEqual([]);
  });

  test("can be resumed in another container, and its lease stays, if the outcome of its create is unknown", async () => {
    const attached = sh("exit 6", "--lease", "1h");
    let fails = true;
    const { run, jobs, active, leases } = await createRenter({
      respond: (request) => (fails && isCreate(request) ? Response.json({}, { status: 500 }) : undefined),
    });
    expect(await run(attached, { processes: inContainer(1) })).toMatchObject({ code: 10 });
    fails = false;
    const [{ rentalLabel }] = await jobs();
    expect(await leases()).toMatchObject([{ label: rentalLabel }]);
    await run(`rentals create vm --gpus 1 --yes --label ${rentalLabel}`);
    const { code, err, requests } = await run(attached, { processes: inContainer(2) });
    expect(code, err).toBe(6);
    expect(requests.filter(isCreate)).toEqual([]);
    expect([await active(), await leases()]).toEqual([[], []]);
  });

  test("keeps the exit status of its command if `jobs cancel` cannot end the rental", async () => {
    const { run, service, active } = await createLeft({ phase: "ending", status: 3 });
    service.refuses = isTerminate;
    expect(await run("rentals jobs cancel --all --yes")).toMatchObject({ code: 10 });
    service.refuses = () => false;
    const { code, err } = await run(line);
    expect(code, err).toBe(3);
    expect(await active()).toEqual([]);
  });

  describe("whose limit was reached", () => {
    const reached = { process: deadProcess, stopsAt: 1, limit: "the time limit of 2h" };

    test("is stopped by `jobs attach`, and its results are copied back", async () => {
      const renter = await createRenter();
      await renter.run(sh("echo a > model; sleep 30; touch late", "--fetch", "model", ...leased));
      await changeJob(renter, { ...reached, phase: "running" });
      const [{ id }] = await renter.jobs();
      const { code, err } = await renter.run(`rentals jobs attach ${id}`);
      expect(code, err).toBe(8);
      expect(err).toContain("Stopping the command: the time limit of 2h is reached.");
      expect(await readFile(join(renter.folder, "model"), "utf8")).toBe("a\n");
      expect(existsSync(join(renter.remote.home, "gpuctl-jobs", id, "late"))).toBe(false);
      expect(await renter.active()).toEqual([]);
    }, 20_000);

    test("is stopped as soon as its rental can be reached again", async () => {
      let refused = 0;
      const renter = await createRenter({
        trouble: ({ input }) => {
          if (!input.includes("kill -s TERM") || refused === 3) return undefined;
          refused += 1;
          return { stderr: "Connection refused" };
        },
      });
      await renter.run(sh("sleep 30; touch late", ...leased));
      await changeJob(renter, { ...reached, phase: "running" });
      const [{ id }] = await renter.jobs();
      const { code, err } = await renter.run(`rentals jobs attach ${id}`);
      expect([code, refused], err).toEqual([8, 3]);
      expect(existsSync(join(renter.remote.home, "gpuctl-jobs", id, "late"))).toBe(false);
      expect(await renter.active()).toEqual([]);
    }, 20_000);

    test("makes `jobs attach` exit with the status of its command if the command had ended by itself, and its results are copied back", async () => {
      const renter = await createRenter();
      await renter.run(sh("echo a > model; echo done; exit 3", "--fetch", "model", ...leased));
      const [{ id }] = await renter.jobs();
      await renter.run(`rentals jobs logs --follow ${id}`);
      await changeJob(renter, { ...reached, phase: "running" });
      const { code, out, err } = await renter.run(`rentals jobs attach ${id}`);
      expect({ code, out }, err).toEqual({ code: 3, out: "done\n" });
      expect(err).toContain("The command had already ended by itself.");
      expect(err).not.toContain("was stopped");
      expect(await readFile(join(renter.folder, "model"), "utf8")).toBe("a\n");
      expect(await renter.active()).toEqual([]);
    });

    test("makes `jobs attach` exit with 8 if the connection breaks off while gpuctl stops its command", async () => {
      const renter = await createRenter();
      await renter.run(sh("trap 'exit 9' TERM; sleep 30 & wait", ...leased));
      await changeJob(renter, { ...reached, phase: "running" });
      const [{ id }] = await renter.jobs();
      const { stream } = renter.remote.programs;
      let stops = 0;
      const breaking: typeof stream = async (program, args, options) => {
        const status = await stream(program, args, options);
        if (!options.input?.includes("kill -s TERM")) return status;
        stops += 1;
        return stops === 1 ? 255 : status;
      };
      const programs = { ...renter.remote.programs, stream: breaking };
      const { code, err } = await renter.run(`rentals jobs attach ${id}`, { programs });
      expect([code, stops], err).toEqual([8, 2]);
    });

    test("makes `jobs attach` exit with 8 even if its results cannot be copied back", async () => {
      let isStopped = false;
      const renter = await createRenter({
        trouble: ({ input }) => {
          if (isStopped) return { stderr: "Host key verification failed." };
          isStopped = input.includes("kill -s TERM");
          return undefined;
        },
      });
      await renter.run(sh("echo a > model; sleep 30", "--fetch", "model", ...leased));
      await changeJob(renter, { ...reached, phase: "running" });
      const [{ id }] = await renter.jobs();
      const { code, err } = await renter.run(`rentals jobs attach ${id}`);
      expect(code, err).toBe(8);
      expect(err).toMatch(
        /^Warning: not everything was copied back: rental 1001 cannot be used: the rental's host key has changed/m,
      );
      expect(err).toContain("Error: the command was stopped: the time limit of 2h is reached");
      expect(await renter.active()).toEqual([]);
    });

    test("makes `jobs attach` exit with 8 even if its command had not started", async () => {
      const renter = await createRenter({
        // The command does not start, as if the first gpuctl process had been killed right before starting it.
        trouble: ({ input }) =>
          input.includes("exec sh -c") ? { stderr: "no such shell", status: 20 } : undefined,
      });
      await renter.run(sh("touch late", "--keep"));
      await changeJob(renter, { ...reached, phase: "running" });
      const [{ id }] = await renter.jobs();
      const { code, err } = await renter.run(`rentals jobs attach ${id}`);
      expect(code, err).toBe(8);
      expect(err).not.toContain("missing");
    });
  });

  test("is not mentioned in the error if a new job starts instead and fails", async () => {
    const { run, service } = await createLeft({
      phase: "creating",
      rentalId: undefined,
      rentalLabel: "nothing",
    });
    service.refuses = isCreate;
    const { code, err } = await run(line);
    expect(code, err).toBe(4);
    expect(err).toContain("so a new job starts");
    expect(err).not.toContain("The job was not resumed");
  });
});

describe.skipIf(process.platform === "win32")("the lease of a job", () => {
  /** A detached job whose process was killed while the lease was still set to end with that process. */
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

  test("prevents a guard from ending the rental while `jobs attach` waits", async () => {
    let guard: (() => Promise<unknown>) | undefined;
    const { run } = await createDetached(async () => {
      await guard?.();
      return undefined;
    });
    guard = () => run("rentals guard --once --yes");
    const { code, err } = await run("rentals jobs attach");
    expect(code, err).toBe(4);
  });

  test("stays after `jobs attach` is interrupted", async () => {
    const { run, leases } = await createDetached();
    const { code } = await run("rentals jobs attach", { answerSignal: () => AbortSignal.abort() });
    expect(code).toBe(130);
    expect(await leases()).toMatchObject([{ rentalId: "1001", process: processes.self }]);
    expect((await leases())[0]).not.toHaveProperty("endsWithProcess");
  });

  test.each([
    ["is removed if no rental was requested", undefined, 0],
    ["stays if the rental may belong to another account", firstMoment - hour, 1],
    ["stays if the rental may still appear", firstMoment, 1],
  ])("%s (after `jobs cancel` of a job without a rental)", async (_, rentedAt, left) => {
    const renter = await createRenter();
    const job = { service: serviceUrl, process: deadProcess, rentedAt, leaseFile: leaseFile(renter) };
    const { id: token, rentalLabel: label } = await storeJob(join(renter.folder, "state"), job);
    await writeLeases(renter, [{ token, label, service: serviceUrl, process: deadProcess }]);
    const { code, err } = await renter.run("rentals jobs cancel --all --yes");
    expect(code, err).toBe(0);
    expect(await leasesOf(renter)).toHaveLength(left);
    expect(err.includes("The lease stays")).toBe(left === 1);
  });
});

describe.skipIf(process.platform === "win32")("a job that was started before the clock was set back", () => {
  /** A detached job that, by the clock, begins in ten hours. */
  async function createEarly(script: string) {
    const renter = await createRenter();
    await renter.run(sh(script, ...leased));
    const later = firstMoment + 10 * hour;
    await changeJob(renter, { createdAt: later, rentedAt: later });
    return renter;
  }

  test("ends with a report of its price, without a time and a cost", async () => {
    const { run } = await createEarly("exit 3");
    const { code, err } = await run("rentals jobs attach");
    expect(code, err).toBe(3);
    expect(err).toMatch(
      /^Job \w+ exited with status 3\. Rental 1001 has ended\. It cost an unknown amount at \$2\.00 an hour: the clock of this machine was set back, so the time is not known\.$/m,
    );
  });

  test("ends with JSON that has no time and no cost", async () => {
    const { run } = await createEarly("exit 3");
    const { code, out, err } = await run("rentals jobs attach -o json");
    expect(code, err).toBe(3);
    const result = JSON.parse(out);
    expect(result).toMatchObject({ status: 3 });
    for (const name of ["seconds", "estimatedCost"]) expect(result).not.toHaveProperty(name);
  });
});
