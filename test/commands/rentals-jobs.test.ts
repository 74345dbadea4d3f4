import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { Interrupted } from "../../src/core/errors.ts";
import type { Processes } from "../../src/core/tasks/lock.ts";
import { firstMoment } from "../support/cli.ts";
import { fillDisk } from "../support/full-disk.ts";
import { storeJob } from "../support/jobs.ts";
import { deadProcess, hour, isCreate, isTerminate, leaseFile, otherProcess } from "../support/leases.ts";
import { createRenter, sh, waitFor } from "../support/renter.ts";
import { serviceUrl } from "../support/service.ts";
import { sample } from "../support/thorough.ts";

/** The processes as the process `self` sees them: all of them run on this machine. */
const processNamed = (self: string): Processes => ({
  self,
  isHere: () => true,
  isRunning: (name) => name !== "",
});

const detached = (script: string, ...flags: readonly string[]) =>
  sh(script, "--label", "train", "--detach", "--lease", "1h", ...flags);

describe.skipIf(process.platform === "win32")("rentals jobs", () => {
  test("a detached job continues after `rentals run` exits; `attach` copies the results back, ends the rental and exits with the status of the command", async () => {
    const { run, active, jobs, leases, folder } = await createRenter();
    const started = await run(
      detached("echo one; echo two >&2; echo 42 > model; exit 4", "--fetch", "model"),
    );
    expect(started.code, started.err).toBe(0);
    expect(started.err).toMatch(/gpuctl rentals jobs attach \w+/);
    expect(started.out).toMatch(/^COST: +\$0\.0\d$/m);
    expect(await jobs()).toMatchObject([{ label: "train", state: "detached", detached: true }]);
    expect(await leases()).toMatchObject([{ rentalId: "1001", label: expect.stringMatching(/^train-/) }]);
    expect(await run("rentals jobs logs --follow train")).toMatchObject({ code: 0, out: "one\n" });
    const { code, out, err } = await run("rentals jobs attach train");
    expect({ code, out }, err).toEqual({ code: 4, out: "one\n" });
    expect(existsSync(join(folder, "model"))).toBe(true);
    expect([await active(), await leases()]).toEqual([[], []]);
    // stdout and stderr arrive separately, in either order.
    const logs = await run("rentals jobs logs train");
    expect([logs.code, ...logs.out.split("\n").sort()]).toEqual([0, "", "one", "two"]);
    const again = await run("rentals jobs attach train");
    expect(again).toMatchObject({ code: 2 });
    expect(again.err).toMatch(/has ended: exited with status 4/);
  });

  test("logs --follow shows the output until the command ends", async () => {
    const { run, remote } = await createRenter();
    const { home } = remote;
    await run(detached(`echo one; ${waitFor("$HOME/go")}; echo two`));
    const { stream } = remote.programs;
    const programs: typeof remote.programs = {
      ...remote.programs,
      stream: (program, args, options) =>
        stream(program, args, {
          ...options,
          onStdout: async (bytes) => {
            await options.onStdout(bytes);
            // This file lets the command end once its first output has arrived.
            await writeFile(join(home, "go"), "");
          },
        }),
    };
    expect(await run("rentals jobs logs --follow", { programs })).toMatchObject({
      code: 0,
      out: "one\ntwo\n",
    });
  });

  test.each([
    ["stdout is a closed pipe", "EPIPE", 0],
    ["the disk is full", "ENOSPC", 1],
  ])("logs --follow ends, although the command still runs, if %s", async (_name, code, expected) => {
    const { run, remote } = await createRenter();
    await run(detached(`echo one; ${waitFor("$HOME/go")}`));
    const writeFails = Object.assign(new Error("no space left on the disk"), { code });
    const outcome = await run("rentals jobs logs --follow", { writeFails });
    expect(outcome.code, outcome.err).toBe(expected);
    if (expected === 1) expect(outcome.err).toContain("the output cannot be written: no space left");
    await writeFile(join(remote.home, "go"), "");
  });

  test("logs --follow of a detached job exits with 130 after Ctrl-C", async () => {
    const { run, remote } = await createRenter();
    await run(detached(`echo one; ${waitFor("$HOME/go")}`));
    const stop = new AbortController();
    const messages = { read: Readable.from([]), write: () => stop.abort(new Interrupted()) };
    const line = "rentals jobs logs --follow";
    const { code, out } = await run(line, { messages, answerSignal: () => stop.signal });
    expect({ code, out }).toEqual({ code: 130, out: "one\n" });
    await writeFile(join(remote.home, "go"), "");
  });

  test("a job file is ignored if its ID is a path to another folder or if it is a pipe, but not if its times are out of range", async () => {
    const { run, jobs, folder } = await createRenter();
    await run(detached("sleep 5"));
    const [{ id }] = await jobs();
    const stored = join(folder, "state", "jobs");
    const job = JSON.parse(await readFile(join(stored, id, "job.json"), "utf8"));
    for (const [name, content] of Object.entries({
      elsewhere: { ...job, id: "../../outside" },
      late: { ...job, id: "late", createdAt: 1e300, endedAt: -1e300 },
    })) {
      await mkdir(join(stored, name));
      await writeFile(join(stored, name, "job.json"), JSON.stringify(content));
    }
    await mkdir(join(stored, "pipe"));
    execFileSync("mkfifo", [join(stored, "pipe", "job.json")]);
    expect((await jobs()).map((one: { id: string }) => one.id).sort()).toEqual([id, "late"].sort());
    await run("rentals jobs cancel --all --yes");
    expect(existsSync(join(folder, "outside"))).toBe(false);
  });

  const unreadable: readonly [string, string, (text: string) => string | undefined][] = [
    ["was cut off", "job.json is damaged", (text: string) => text.slice(0, 40)],
    ["lacks a field", "job.json is damaged", (text: string) => text.replace('"line"', '"lime"')],
    [
      "is of a newer version",
      "it has format 2; this gpuctl reads format 1",
      (text: string) => text.replace('"version": 1', '"version": 2'),
    ],
    ["is not a file", "is not a regular file", () => undefined],
  ];

  describe.each(sample(unreadable, 0, 2, 3))("a job whose job.json %s", (_, reason, change) => {
    const line = sh("sleep 5", "--detach", "--lease", "1h");

    /** A job that can be read, and a job that cannot. */
    async function createUnreadable(service?: string) {
      const renter = await createRenter();
      await renter.run(detached("sleep 5"));
      await renter.run(line);
      const [readable, { id }] = await renter.jobs();
      const folder = join(renter.folder, "state", "jobs", id);
      const path = join(folder, "job.json");
      const text = (await readFile(path, "utf8")).replace(serviceUrl, service ?? serviceUrl);
      const changed = change(text);
      await rm(path);
      if (changed === undefined) await mkdir(path);
      else await writeFile(path, changed);
      const message = `the job in ${folder} cannot be read: `;
      return { ...renter, readable, id, folder, message };
    }

    test("is reported by `rentals run`, which then rents nothing", async () => {
      const { run, message } = await createUnreadable();
      for (const words of [line, sh("true"), line.filter((word) => word !== "--yes")]) {
        const { code, err, requests } = await run(words, { terminal: 80 });
        expect(code, err).toBe(2);
        expect(err).toContain(message);
        expect(err).toContain(reason);
        expect(err).toMatch(
          reason.includes("format")
            ? /^Nothing was rented, because .* Update gpuctl\.$/m
            : /gpuctl rentals list`: the label of the job's rental ends in the name of the folder/,
        );
        expect(requests.filter(isCreate)).toEqual([]);
      }
    });

    test("is reported by the commands of `rentals jobs`, which still show or cancel the other jobs", async () => {
      const { run, readable, id, message, active } = await createUnreadable();
      for (const words of [
        "list",
        "logs",
        "attach",
        "cancel any --yes",
        ...["logs", "attach", "cancel --yes"].map((verb) => `${verb} ${id}`),
      ]) {
        const { code, err } = await run(`rentals jobs ${words}`);
        expect({ words, code }, err).toEqual({ words, code: 2 });
        expect(err).toContain(message);
      }
      const { out } = await run("rentals jobs list -o json");
      expect(JSON.parse(out)).toMatchObject([{ id: readable.id }]);
      expect(await run(`rentals jobs logs ${readable.id}`)).toMatchObject({ code: 0 });
      const canceled = await run("rentals jobs cancel --all --yes");
      expect(canceled).toMatchObject({ code: 12 });
      expect(canceled.err).toContain(message);
      expect(await active()).toMatchObject([{ id: 1002 }]);
    });

    test("is reported by `rentals guard`, which still ends rentals", async () => {
      const { run, active, folder, message, advance } = await createUnreadable();
      advance(hour);
      const { code, out } = await run("rentals guard --once --yes -o json");
      expect(code).toBe(12);
      const events = JSON.parse(out);
      expect(events).toMatchObject([{ event: "unreadable" }, { rentalId: "1001" }, { rentalId: "1002" }]);
      expect(events[0].token).toBe(folder);
      expect(events[0].message).toContain(message);
      expect(await active()).toEqual([]);
    });

    test.runIf(reason.includes("format"))("is ignored if it belongs to another service", async () => {
      const { run } = await createUnreadable("https://other.example.com");
      expect(await run("rentals jobs list")).toMatchObject({ code: 0 });
      expect(await run(sh("true"))).toMatchObject({ code: 0 });
    });
  });

  test("a job is resumed although another job cannot be read", async () => {
    const { run, jobs, folder } = await createRenter();
    await run(detached("exit 4"));
    const [{ id }] = await jobs();
    const stored = join(folder, "state", "jobs");
    const path = join(stored, id, "job.json");
    const job = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...job, phase: "starting", process: deadProcess }));
    await mkdir(join(stored, "damaged"));
    await writeFile(join(stored, "damaged", "job.json"), "{");
    const { code, err, requests } = await run(detached("exit 4"));
    expect(code, err).toBe(4);
    expect(err).toMatch(/^Resuming job/);
    expect(requests.filter(isCreate)).toEqual([]);
  });

  test("other files in the folder of jobs are ignored", async () => {
    const { run, folder } = await createRenter();
    const stored = join(folder, "state", "jobs");
    await mkdir(join(stored, "empty"), { recursive: true });
    await writeFile(join(stored, ".DS_Store"), "");
    expect(await run("rentals jobs list")).toMatchObject({ code: 0 });
    expect(await run(sh("true"))).toMatchObject({ code: 0 });
  });

  test("a folder of jobs that cannot be read is reported, and nothing is rented", async () => {
    const { run, folder } = await createRenter();
    await mkdir(join(folder, "state"), { recursive: true });
    await writeFile(join(folder, "state", "jobs"), "");
    const { code, err, requests } = await run(sh("true"));
    expect(code, err).toBe(2);
    expect(err).toMatch(
      /the jobs in \S+ cannot be read: part of the path is a file\n.*Move the file away\.$/m,
    );
    expect(requests.filter(isCreate)).toEqual([]);
  });

  test("Ctrl-C during `attach` leaves a detached job running", async () => {
    const { run, active } = await createRenter();
    await run(detached("sleep 5"));
    const { code, err } = await run("rentals jobs attach", { answerSignal: () => AbortSignal.abort() });
    expect(code).toBe(130);
    expect(err).toMatch(/continues, and rental 1001 is billed/);
    expect(await active()).toMatchObject([{ id: 1001 }]);
  });

  test("`cancel` stops the command and ends the rental", async () => {
    const { run, active, leases, jobs } = await createRenter();
    await run(detached("sleep 30"));
    const { code, err } = await run("rentals jobs cancel --all --yes");
    expect(code, err).toBe(0);
    expect(err).toMatch(/^Job \w+ was stopped, and rental 1001 has ended\.$/m);
    expect([await active(), await leases()]).toEqual([[], []]);
    expect(await jobs()).toMatchObject([{ state: "ended", outcome: "canceled" }]);
  });

  test("`cancel` ends the rental although the disk is full", async () => {
    const { run, active, folder } = await createRenter();
    await run(detached("sleep 5"));
    fillDisk(join(folder, "state", "jobs"));
    const { code, err } = await run("rentals jobs cancel --all --yes");
    expect(code, err).toBe(0);
    expect(err).toMatch(/^Warning: cannot save .*job\.json: no space left on the disk\./m);
    expect(err).toMatch(/^Job \w+ was stopped, and rental 1001 has ended\.$/m);
    expect(await active()).toEqual([]);
  });

  test.each([
    [
      "attach",
      "rentals jobs attach",
      /^Rental 1001 of job \w+ may be billed\. `gpuctl rentals jobs cancel \w+` ends it\.$/m,
    ],
    [
      "running the same command line again",
      detached("sleep 5"),
      /^The job was not resumed\. `gpuctl rentals jobs list` shows whether/m,
    ],
  ])("%s says how to find or end the rental if the disk is full", async (_, line, message) => {
    const { run, folder, jobs } = await createRenter();
    await run(detached("sleep 5"));
    const [{ id }] = await jobs();
    const path = join(folder, "state", "jobs", id, "job.json");
    const job = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...job, phase: "starting", process: deadProcess }));
    fillDisk(join(folder, "state", "jobs"));
    const { code, err, requests } = await run(line);
    expect(code, err).toBe(2);
    expect(err).toMatch(/^Error: cannot save .*: no space left on the disk$/m);
    expect(err).toMatch(message);
    expect(requests.filter(isCreate)).toEqual([]);
  });

  test("`cancel` from another process ends the job as canceled in both processes", async () => {
    const { run, active, jobs, remote, leases } = await createRenter();
    const { stream } = remote.programs;
    let canceling: ReturnType<typeof run> | undefined;
    const programs: typeof remote.programs = {
      ...remote.programs,
      stream: (program, args, options) =>
        stream(program, args, {
          ...options,
          onStdout: async (bytes) => {
            await options.onStdout(bytes);
            if (`${bytes}`.includes("started"))
              canceling ??= run("rentals jobs cancel --all --yes", { processes: processNamed("two") });
          },
        }),
    };
    const attached = await run(sh("echo started; sleep 30"), { programs, processes: processNamed("one") });
    const canceled = await canceling;
    expect(canceled?.code, canceled?.err).toBe(0);
    expect(attached.code, attached.err).toBe(130);
    expect(attached.err).toMatch(/^Error: job \w+ was canceled$/m);
    expect(attached.err).toMatch(/^Rental 1001 has ended\./m);
    expect(await jobs()).toMatchObject([{ state: "ended", outcome: "canceled" }]);
    expect([await active(), await leases()]).toEqual([[], []]);
  });

  test("`cancel` does not change the outcome of a job that ends in another process meanwhile", async () => {
    const { run, jobs, folder } = await createRenter({
      respond: async (request) => {
        if (isTerminate(request)) await endElsewhere();
        return undefined;
      },
    });
    await run(detached("sleep 30"));
    const endElsewhere = async () => {
      const [{ id }] = await jobs();
      const path = join(folder, "state", "jobs", id, "job.json");
      const job = JSON.parse(await readFile(path, "utf8"));
      const ended = { phase: "ended", status: 0, endedAt: firstMoment, outcome: "exited with status 0" };
      await writeFile(path, JSON.stringify({ ...job, ...ended }));
    };
    const { code, err } = await run("rentals jobs cancel --all --yes");
    expect(code, err).toBe(0);
    expect(await jobs()).toMatchObject([{ state: "ended", status: 0, outcome: "exited with status 0" }]);
  });

  test("`cancel --all --dry-run` shows a request for each job", async () => {
    const { run, jobs } = await createRenter();
    await run(detached("sleep 5"));
    await run(detached("sleep 6"));
    const { err, out } = await run("rentals jobs cancel --all --dry-run");
    for (const { rentalId } of await jobs()) expect(out + err).toContain(`?rentalId=${rentalId}`);
  });

  test("`cancel --all` asks for no confirmation if there is no job to cancel", async () => {
    const { run } = await createRenter();
    const confirm = async () => expect.fail("was asked");
    const { code, err } = await run("rentals jobs cancel --all", { terminal: 80, prompts: { confirm } });
    expect(code, err).toBe(0);
  });

  test.each([1, 2])(
    "if it is interrupted, `cancel` of %i jobs names the rental that it may not have ended",
    async (count) => {
      const interruption = new AbortController();
      const { run } = await createRenter({
        respond: (request) => {
          if (!isTerminate(request)) return undefined;
          interruption.abort();
          return Response.json({}, { status: 500 });
        },
      });
      for (let label = 1; label <= count; label += 1)
        await run(sh("sleep 30", "--label", `job${label}`, "--detach", "--lease", "1h"));
      const { code, err } = await run("rentals jobs cancel --all --yes", { signal: interruption.signal });
      expect(code).toBe(130);
      expect(err).toMatch(
        /rental 1001 .*may still be billed. End rental 1001 with `gpuctl rentals terminate 1001 /i,
      );
      expect(err.match(/End rental 1001 with/g)).toHaveLength(1);
      expect(err.match(/not tried, because of the interruption/g) ?? []).toHaveLength(count - 1);
    },
  );

  test("after Ctrl-C, `cancel` ends the rental of the job that it is canceling, and tries no other job", async () => {
    const stop = new AbortController();
    const { run, active } = await createRenter({
      trouble: ({ input }) => {
        if (input.includes("kill -s TERM")) stop.abort();
        return undefined;
      },
    });
    for (const label of ["one", "two", "three"])
      await run(sh("sleep 30", "--label", label, "--detach", "--lease", "1h"));
    const line = "rentals jobs cancel --all --yes -o json";
    const { code, out, err } = await run(line, { answerSignal: () => stop.signal });
    expect(code, err).toBe(130);
    expect(JSON.parse(out)).toMatchObject([{ label: "one", state: "ended" }]);
    expect(err).toContain("2 of 3 jobs could not be canceled");
    expect(err.match(/not tried, because of the interruption/g)).toHaveLength(2);
    expect(await active()).toMatchObject([{ id: 1002 }, { id: 1003 }]);
  });

  test("`cancel` names the rentals and ends none if several rentals have the label of the job's rental", async () => {
    const { run, active, folder } = await createRenter();
    await storeJob(join(folder, "state"), {
      service: serviceUrl,
      rentalLabel: "twice",
      rentedAt: firstMoment,
    });
    for (const _ of [1, 2]) await run("rentals create vm --gpus 1 --label twice --yes");
    const { code, err } = await run("rentals jobs cancel --all --yes");
    expect(code).toBe(7);
    expect(err).toContain("Error: 2 rentals have the label twice: 1001, 1002\n");
    expect(err).toContain("end all but one of them with `gpuctl rentals terminate`");
    expect(await active()).toHaveLength(2);
  });

  test.each(["attach train", "cancel train --yes"])(
    "`%s` does not change another rental that now has the ID of the job's rental",
    async (verb) => {
      const { run, active, jobs, sandbox, remote } = await createRenter();
      await run(detached("sleep 5"));
      await sandbox.reset();
      await run("rentals create vm --gpus 1 --label prod --yes");
      const before = remote.connections.length;
      const { code, err } = await run(`rentals jobs ${verb}`);
      expect(code, err).not.toBe(0);
      expect(err).toMatch(/rental 1001 does not have the job's label train-\w+, so it was left alone/);
      expect(remote.connections).toHaveLength(before);
      expect(await active()).toMatchObject([{ id: 1001, label: "prod" }]);
      expect(await jobs()).toMatchObject([{ state: "ended" }]);
    },
  );

  test.each([
    ["refuses a login from here", "Permission denied (publickey).", 7],
    ["cannot be reached from here", "Connection refused", 8],
    ["has another host key", "Host key verification failed.", 7],
  ])("`attach` leaves a detached job running if its machine %s", async (_name, stderr, expected) => {
    let isUp = true;
    const { run, active, jobs } = await createRenter({ trouble: () => (isUp ? undefined : { stderr }) });
    await run(detached("sleep 30"));
    isUp = false;
    const { code, err } = await run("rentals jobs attach train");
    expect(code, err).toBe(expected);
    expect(err).toMatch(/Job \w+ continues, and rental 1001 is billed\./);
    expect(await active()).toMatchObject([{ id: 1001 }]);
    expect(await jobs()).toMatchObject([{ state: "detached" }]);
    isUp = true;
    await run("rentals jobs cancel train --yes");
  });

  test("`attach` keeps the rental if scp, and then ssh, can no longer connect to its machine", async () => {
    let isUp = true;
    const { run, active } = await createRenter({
      trouble: ({ program }) => {
        if (program === "scp") isUp = false;
        if (isUp) return undefined;
        return program === "scp"
          ? { stderr: "Connection reset", status: 255 }
          : { stderr: "Permission denied (publickey)." };
      },
    });
    await run(detached("echo 42 > model", "--fetch", "model"));
    const { code, err } = await run("rentals jobs attach train");
    expect(isUp).toBe(false);
    expect(code, err).toBe(7);
    expect(err).toMatch(/Job \w+ continues, and rental 1001 is billed\./);
    expect(await active()).toMatchObject([{ id: 1001 }]);
    isUp = true;
    await run("rentals jobs cancel train --yes");
  });

  test("`cancel` ends a rental whose machine cannot be reached", async () => {
    let isUp = true;
    const { run, active } = await createRenter({
      trouble: () => (isUp ? undefined : { stderr: "Connection refused" }),
    });
    await run(detached("sleep 5"));
    isUp = false;
    expect(await run("rentals jobs cancel train --yes")).toMatchObject({ code: 0 });
    expect(await active()).toEqual([]);
  });

  test("`cancel` does not mark a job as ended if its rental is kept and its command could not be stopped", async () => {
    let isUp = true;
    const { run, active, jobs } = await createRenter({
      trouble: () => (isUp ? undefined : { stderr: "Connection refused" }),
    });
    await run(detached("sleep 30", "--keep"));
    isUp = false;
    const failed = await run("rentals jobs cancel train --yes");
    expect(failed.code, failed.err).toBe(7);
    expect(failed.err).toMatch(
      /^Error: the command of job \w+ could not be stopped: .*the connection was refused\n.*may still be running/m,
    );
    expect(failed.err).not.toMatch(/was stopped/);
    expect(await jobs()).toMatchObject([{ state: "detached" }]);
    isUp = true;
    const { code, err } = await run("rentals jobs cancel train --yes");
    expect(code, err).toBe(0);
    expect(err).toMatch(/was stopped\. Rental 1001 was kept/);
    expect(await active()).toMatchObject([{ id: 1001 }]);
    expect(await jobs()).toMatchObject([{ state: "ended", outcome: "canceled" }]);
  });

  test("a job whose rental is kept does not start its command once another process has canceled it", async () => {
    const { run, active, jobs, remote } = await createRenter({
      trouble: async ({ input }) => {
        if (!/command -v rsync/.test(input) || canceling !== undefined) return undefined;
        canceling = run("rentals jobs cancel --all --yes", { processes: processNamed("two") });
        await canceling;
        return undefined;
      },
    });
    let canceling: ReturnType<typeof run> | undefined;
    const attached = await run(sh("echo ran > $HOME/ran", "--keep"), { processes: processNamed("one") });
    expect(await canceling).toMatchObject({ code: 0, err: expect.stringMatching(/Job \w+ was stopped/) });
    expect(attached.code, attached.err).toBe(130);
    expect(attached.err).toMatch(/^Error: job \w+ was canceled$/m);
    expect(existsSync(join(remote.home, "ran"))).toBe(false);
    expect(await jobs()).toMatchObject([{ state: "ended", outcome: "canceled" }]);
    expect(await active()).toMatchObject([{ id: 1001 }]);
  });

  test.each([
    ["does not end a job whose process may be about to rent", otherProcess, 2, "creating"],
    ["ends a job whose process was killed before it rented", deadProcess, 0, "ended"],
  ])("`cancel` %s", async (_, process, exitCode, state) => {
    const { run, jobs, folder } = await createRenter();
    await storeJob(join(folder, "state"), { service: serviceUrl, process });
    const { code, err } = await run("rentals jobs cancel --all --yes");
    expect(code, err).toBe(exitCode);
    if (exitCode !== 0) expect(err).toMatch(/another gpuctl process may be about to rent for job job/);
    expect(await jobs()).toMatchObject([{ state }]);
  });

  test("`cancel` prints a `rentals terminate` command for each rental that could not be ended", async () => {
    const { run } = await createRenter({
      respond: async (request) => (isTerminate(request) ? Response.json({}, { status: 500 }) : undefined),
    });
    for (const seconds of [30, 31]) await run(detached(`sleep ${seconds}`));
    const { code, err } = await run("rentals jobs cancel --all --yes");
    expect(code).toBe(10);
    expect(err).toMatch(/^ {2}\w+: rental 1001 may still be billed: it could not be ended \(/m);
    expect(err).toContain(
      "End rental 1001 with `gpuctl rentals terminate 1001 --yes`. End rental 1002 with `gpuctl rentals terminate 1002 --yes`.",
    );
  });

  test("`cancel` keeps the lease if the job sent a create during the confirmation prompt", async () => {
    const { run, folder } = await createRenter();
    const state = join(folder, "state");
    const lease = join(state, "leases.jsonl");
    const job = { service: serviceUrl, process: deadProcess, leaseFile: lease };
    const stored = await storeJob(state, job);
    const confirm = async () => {
      await storeJob(state, { ...stored, rentedAt: firstMoment });
      return true;
    };
    const { code, err } = await run("rentals jobs cancel --all", { terminal: 80, prompts: { confirm } });
    expect(code, err).toBe(0);
    expect(err).toMatch(
      /^The service lists no rental for job \w+\. The rental may still appear, or it may belong to another account\. The lease stays/m,
    );
  });

  test("`cancel` with another account's key does not say that the rental has ended", async () => {
    const { run, network, active, leases, jobs, sandbox } = await createRenter();
    const account = { keys: [{ value: "key-of-another-account", access: "full" }] };
    await sandbox.seed(JSON.stringify({ accounts: [account] }));
    await run(detached("sleep 30"));
    const other = network({ GPUCTL_API_KEY: "key-of-another-account" });
    const { code, err } = await run("rentals jobs cancel train --yes", other);
    expect(code, err).toBe(10);
    expect(err).toMatch(
      /^Error: rental 1001 may still be billed: it could not be ended \(the service finds no rental 1001 in this account\)$/m,
    );
    expect(err).toMatch(
      /Use the API key of the account that created the rental\. If the rental has ended, delete \S+, so that/,
    );
    expect(await active()).toMatchObject([{ id: 1001 }]);
    expect(await leases()).toHaveLength(1);
    expect(await run("rentals jobs cancel train --yes")).toMatchObject({ code: 0 });
    expect([await active(), await leases(), await jobs()]).toMatchObject([[], [], [{ state: "ended" }]]);
  });

  test("`cancel` with another account's key keeps the lease of a job whose create had an unknown outcome", async () => {
    let fails = true;
    const renter = await createRenter({
      respond: async (request) =>
        fails && isCreate(request) ? Response.json({}, { status: 500 }) : undefined,
    });
    const { run, network, active, leases, jobs, sandbox, advance } = renter;
    const account = { keys: [{ value: "key-of-another-account", access: "full" }] };
    await sandbox.seed(JSON.stringify({ accounts: [account] }));
    expect(await run(sh("sleep 30", "--lease", "1h"))).toMatchObject({ code: 10 });
    fails = false;
    const [{ rentalLabel }] = await jobs();
    await run(`rentals create vm --gpus 1 --yes --label ${rentalLabel}`);
    advance(hour);
    const other = network({ GPUCTL_API_KEY: "key-of-another-account" });
    expect(await run("rentals jobs cancel --all --yes", other)).toMatchObject({ code: 0 });
    expect(await active()).toMatchObject([{ label: rentalLabel }]);
    expect(await leases()).toMatchObject([{ label: rentalLabel }]);
  });

  test.each([
    ["--time-limit", "2m", /the time limit of 2m is reached/],
    ["--max-cost", "0.10", /the cost limit of \$0\.10 is reached/],
  ])("`attach` applies %s and the lease to a rental that is listed late", async (flag, value, message) => {
    let fails = true;
    let isBound = false;
    const renter = await createRenter({
      respond: async (request) => {
        if (fails && isCreate(request)) return Response.json({}, { status: 500 });
        if (isTerminate(request)) {
          isBound = (await readFile(leaseFile(renter), "utf8")).includes('"rentalId":"1001"');
        }
        return undefined;
      },
    });
    const { run, active, jobs, leases } = renter;
    expect(await run(sh("sleep 30", flag, value))).toMatchObject({ code: 10 });
    fails = false;
    const [{ rentalLabel }] = await jobs();
    await run(`rentals create vm --gpus 1 --yes --label ${rentalLabel}`);
    const { code, err } = await run("rentals jobs attach");
    expect(code, err).toBe(8);
    expect(err).toMatch(message);
    expect({ isBound, active: await active(), leases: await leases() }).toEqual({
      isBound: true,
      active: [],
      leases: [],
    });
  });

  test("`attach` says that the rental may be billed if the lease file cannot be read", async () => {
    const { run, jobs, folder } = await createRenter();
    await run(detached("sleep 5"));
    const [{ id }] = await jobs();
    await writeFile(leaseFile({ folder }), "damaged");
    const { code, err } = await run("rentals jobs attach");
    expect(code, err).toBe(2);
    expect(err).toContain(
      `Rental 1001 of job ${id} may be billed. \`gpuctl rentals jobs cancel ${id}\` ends it.`,
    );
  });

  test("`attach` says that the rental may be billed if the rental cannot be looked up", async () => {
    let isBroken = false;
    const { run, jobs } = await createRenter({
      respond: ({ method }) =>
        isBroken && method === "GET"
          ? Response.json({ code: "UNAUTHORIZED", message: "no", issues: [] }, { status: 401 })
          : undefined,
    });
    await run(detached("sleep 5"));
    const [{ id }] = await jobs();
    isBroken = true;
    const { code, err } = await run("rentals jobs attach");
    expect(code, err).toBe(3);
    expect(err).toContain(
      `Rental 1001 of job ${id} may be billed. \`gpuctl rentals jobs cancel ${id}\` ends it.`,
    );
  });

  test("`attach` reports that the rental was ended by another command", async () => {
    const { run, leases } = await createRenter();
    await run(detached("sleep 5"));
    await run("rentals terminate 1001 --yes");
    const { code, err } = await run("rentals jobs attach train");
    expect(code).toBe(7);
    expect(err).toMatch(/rental 1001 ended before the job was done\nRental 1001 has ended\. It cost/);
    expect(await leases()).toEqual([]);
  });

  describe("a detached job with --keep", () => {
    const kept = (script: string, ...flags: readonly string[]) =>
      sh(script, "--label", "train", "--detach", "--keep", ...flags);

    test("can be started, left and canceled, and no message says that the rental ends", async () => {
      const { run, active } = await createRenter();
      const { err } = await run(kept("sleep 30"));
      expect(err).not.toMatch(/end the rental/);
      expect(err).toMatch(/gpuctl rentals terminate 1001 .*# end its rental/);
      const left = await run("rentals jobs attach", { answerSignal: () => AbortSignal.abort() });
      expect(left.err).toMatch(/rental 1001 is billed\. `gpuctl rentals jobs cancel \w+` stops the job\./);
      const canceled = await run("rentals jobs cancel train --yes");
      expect(canceled.err).toMatch(
        /was stopped\. Rental 1001 was kept and is still billed; `gpuctl rentals terminate 1001` ends it\./,
      );
      expect(await active()).toMatchObject([{ id: 1001 }]);
    });

    test("keeps the lease that --lease asked for", async () => {
      const { run, leases } = await createRenter();
      await run(kept("sleep 30", "--lease", "2h"));
      await run("rentals jobs cancel train --yes");
      expect(await leases()).toMatchObject([{ rentalId: "1001" }]);
    });
  });

  test("`list` says so if every job has ended", async () => {
    const { run } = await createRenter();
    await run(sh("true"));
    expect(await run("rentals jobs list")).toMatchObject({ code: 0, err: "No unfinished jobs.\n" });
    expect((await run("rentals jobs list --all")).out).toMatch(/ended +1001/);
  });

  test("`list` suggests commands for a job whose gpuctl process was killed", async () => {
    const { run, folder } = await createRenter();
    const { id } = await storeJob(join(folder, "state"), { service: serviceUrl, process: deadProcess });
    const { err } = await run("rentals jobs list");
    expect(err).toMatch(new RegExp(`gpuctl rentals jobs attach ${id} +# resume it`));
    expect(err).toMatch(new RegExp(`gpuctl rentals jobs cancel ${id} +# end it`));
  });

  test("`logs` removes escape sequences from the stored output on a terminal, and prints it unchanged in a pipe", async () => {
    const { run } = await createRenter();
    const script = "printf 'a\\033]0;title\\007b\\302\\233' && printf '2J\\r50%%\\r100%%\\nend'";
    await run(sh(script));
    expect(await run("rentals jobs logs", { terminal: 80 })).toMatchObject({
      code: 0,
      out: "ab\n50%\n100%\nend\n",
    });
    expect((await run("rentals jobs logs")).out).toBe("a\u001b]0;title\u0007b\u009b2J\r50%\r100%\nend");
  });

  test("`logs --follow` shows the unfinished last line after Ctrl-C on a terminal", async () => {
    const { run, folder } = await createRenter();
    const { id } = await storeJob(join(folder, "state"), {
      service: serviceUrl,
      phase: "running",
      rentalId: "1001",
      process: otherProcess,
    });
    await writeFile(join(folder, "state", "jobs", id, "output.log"), "one\ntwo");
    const stop = new AbortController();
    // Ctrl-C comes in the first pause, after the existing output was read.
    const options = { terminal: 80, signal: stop.signal, onSleep: () => stop.abort(new Interrupted()) };
    const { code, out, err } = await run(`rentals jobs logs --follow ${id}`, options);
    expect({ code, out }, err).toEqual({ code: 130, out: "one\ntwo\n" });
  });

  test("`logs --follow` goes on showing the output after another process has taken the job over", async () => {
    const { run, folder } = await createRenter();
    const state = join(folder, "state");
    const job = await storeJob(state, {
      service: serviceUrl,
      phase: "running",
      rentalId: "1001",
      process: otherProcess,
    });
    const log = join(state, "jobs", job.id, "output.log");
    await writeFile(log, "one\n");
    let pauses = 0;
    const processes: Processes = {
      ...processNamed("self"),
      // The first process ends during the first pause, and another one takes over.
      isRunning: (name) => name === "second" || (name === otherProcess && pauses === 0),
    };
    const onSleep = async () => {
      pauses += 1;
      if (pauses === 1) return storeJob(state, { ...job, process: "second" });
      if (pauses > 2) return undefined;
      await writeFile(log, "one\ntwo\n");
      return storeJob(state, { ...job, process: "second", phase: "ended" });
    };
    const { code, out, err } = await run(`rentals jobs logs --follow ${job.id}`, { processes, onSleep });
    expect({ code, out, err }).toEqual({ code: 0, out: "one\ntwo\n", err: "" });
  });

  test("`logs` of a job whose rental has ended names the file with the output so far", async () => {
    const { run, jobs, folder } = await createRenter();
    await run(detached("echo hi; sleep 5"));
    const [{ id }] = await jobs();
    const log = join(folder, "state", "jobs", id, "output.log");
    await writeFile(log, "hi\n");
    await run("rentals terminate 1001 --yes");
    const { code, err } = await run("rentals jobs logs train");
    expect(code).toBe(7);
    expect(err).toContain(`Output that arrived earlier: ${log}\n`);
  });

  test("`logs` tries only once to reach the rental, and says why that failed", async () => {
    let isUp = true;
    const { run } = await createRenter({
      trouble: () => (isUp ? undefined : { stderr: "Connection refused" }),
    });
    await run(detached("sleep 30"));
    isUp = false;
    const { code, err, slept } = await run("rentals jobs logs train");
    expect({ code, slept }).toEqual({ code: 8, slept: [] });
    expect(err).toContain("Error: rental 1001 could not be reached: the connection was refused\n");
    isUp = true;
    await run("rentals jobs cancel train --yes");
  });

  test.each(["attach", "logs"])("`%s` of an unknown job exits with 5", async (verb) => {
    const { run } = await createRenter();
    const { code, err } = await run(`rentals jobs ${verb} nothing`);
    expect(code).toBe(5);
    expect(err).toMatch(/job nothing not found[\s\S]*rentals jobs list/);
  });
});
