import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { asRecord } from "../../src/core/json.ts";
import { maxLease } from "../../src/core/values/durations.ts";
import { whileLocked } from "../../src/jobs/leases.ts";
import { processes } from "../../src/system/files.ts";
import type { Prompts } from "../../src/system/types.ts";
import { createCli, firstMoment, type Responder } from "../support/cli.ts";
import { fillDisk, separateDisk } from "../support/full-disk.ts";
import { deadProcess, hour, isCreate, isList, leaseFile, reusedProcess } from "../support/leases.ts";
import { requestOf } from "../support/nonstandard-services.ts";
import { runProgram } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { type Connection, createRemote } from "../support/remote.ts";
import { createRenter, sh, waitFor } from "../support/renter.ts";
import { overNetwork, serviceUrl } from "../support/service.ts";
import { sample } from "../support/thorough.ts";
import { endTimeLimits, endTimeLimitsOf, steadyClock } from "../support/time-limits.ts";
import { words } from "../support/words.ts";

/** What ssh prints at the end if its jump host closes the connection. */
const closedByJump =
  "kex_exchange_identification: Connection closed by remote host\nConnection closed by UNKNOWN port 65535";

const terminates = "/v2/on-demand/virtual-machine-rentals/terminate";

const isStart = ({ input }: Connection) => input.includes('mkdir "$d/started"');
const isFollow = ({ input }: Connection) => input.includes("tail -c");
const isStop = ({ input }: Connection) => input.includes("kill -s TERM");

/** The longest time in milliseconds before gpuctl checks the limits again. */
const limitCheck = 30_000;

/** A promise, and the function that resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe.skipIf(process.platform === "win32")("rentals run", () => {
  test("passes on the output and the exit status, copies files both ways, ends the rental and reports the cost", async () => {
    const { run, folder, active, jobs, leases, remote } = await createRenter();
    await mkdir(join(folder, "input"));
    await writeFile(join(folder, "input", "data.txt"), "hello\n");
    await mkdir(join(folder, "results"));
    await writeFile(join(folder, "results", "old.txt"), "kept");
    const script =
      'read x < data.txt; echo "in $x $SECRET"; echo warn >&2; mkdir -p results/deep; echo 42 > results/deep/a; exit 3';
    const line = sh(script, "--sync", "input", "--fetch", "results/", "--env", "SECRET=it's $HOME");
    const { code, out, err } = await run(line);
    expect({ code, out }).toEqual({ code: 3, out: "in hello it's $HOME\n" });
    expect(err).toMatch(/^warn$/m);
    expect(err).toMatch(/^Copied results to .*results: 1 file, 3 bytes\.$/m);
    expect(err).toMatch(
      /exited with status 3 after .*Rental 1001 has ended\. It cost about \$\d.*an estimate/,
    );
    expect(await readFile(join(folder, "results", "deep", "a"), "utf8")).toBe("42\n");
    expect(await readFile(join(folder, "results", "old.txt"), "utf8")).toBe("kept");
    expect(await active()).toEqual([]);
    expect(await leases()).toEqual([]);
    const [job] = await jobs();
    expect(job).toMatchObject({ state: "ended", rentalId: "1001", status: 3 });
    expect(await readFile(join(folder, "state", "jobs", job.id, "output.log"), "utf8")).toContain("in hello");
    await expect(readdir(join(folder, "state", "jobs", job.id))).resolves.toContain("ssh_config");
    for (const { args } of remote.connections) expect(args.join(" ")).not.toContain("it's");
    expect(
      JSON.stringify(await readFile(join(folder, "state", "jobs", job.id, "job.json"), "utf8")),
    ).not.toContain("it's");
  });

  test("prints the job and its rental before any output of the command", async () => {
    const { run, jobs } = await createRenter();
    const { err } = await run(sh("echo first >&2"));
    const [{ id }] = await jobs();
    expect(err).toContain(`Job ${id} is running on rental 1001.\nfirst\n`);
    expect(err).toMatch(/^Output: .*output\.log$/m);
    const silent = await run(sh("true"));
    expect(silent.err, "a command that prints nothing has no log").not.toContain("output.log");
  });

  test("does not open a new connection for each part of the output", async () => {
    const { run, remote } = await createRenter();
    expect(await run(sh("echo one; sleep 1; echo two"))).toMatchObject({ code: 0, out: "one\ntwo\n" });
    const following = remote.connections.filter(({ input }) => input.includes("tail -c"));
    // A second connection may fetch the end of the output.
    expect(following.length).toBeLessThanOrEqual(2);
  });

  test("prints the path of the log in a line of its own before the error", async () => {
    const { run } = await createRenter();
    const { code, err } = await run(sh("echo hi", "--fetch", "missing"));
    expect(code).toBe(1);
    expect(err).toMatch(/^Output: .*output\.log\nError: not everything was copied back/m);
  });

  test("says how to find the rental if the outcome of the create is unknown", async () => {
    const { run, jobs } = await createRenter({
      respond: ({ method, path }) =>
        method === "POST" && path !== terminates ? Response.json({}, { status: 500 }) : undefined,
    });
    const { code, err } = await run(sh("true", "--lease-file", "leases"));
    const [{ id }] = await jobs();
    expect(code).toBe(10);
    expect(err).toMatch(
      new RegExp(
        `^If you repeat the command line, gpuctl first looks for the rental of job ${id}\\. If the rental appears, \`gpuctl rentals guard --lease-file /\\S+/leases\` ends it\\. Nothing new is listed yet`,
        "m",
      ),
    );
  });

  test.each([["--lease", "2h"], ["--time-limit", "2h"], []])(
    "warns that the rental may be billed longer if the two clocks differ: %s %s",
    async (...limit) => {
      const { run, sandbox } = await createRenter();
      sandbox.clock.advance(9 * hour);
      const { err } = await run(sh("true", ...limit));
      const warning = "Warning: this computer's clock is 9h behind the service's.";
      expect(err.split(warning)).toHaveLength(limit.length > 0 ? 2 : 1);
    },
  );

  describe("with --keep", () => {
    test("keeps the lease that --lease asked for, and `rentals guard` ends the rental when the lease is over", async () => {
      const { run, leases, active, advance } = await createRenter();
      const { code, err } = await run(sh("true", "--keep", "--lease", "2h"));
      expect(code, err).toBe(0);
      expect(err).toMatch(
        /Rental 1001 was kept and is still billed; `gpuctl rentals guard` ends it when its lease is over\. So far, it has cost about \$/,
      );
      expect(await leases()).toMatchObject([{ rentalId: "1001" }]);
      advance(3 * hour);
      await run("rentals guard --yes");
      expect([await active(), await leases()]).toEqual([[], []]);
    });

    test("prints a `rentals guard` command with the path of the lease file", async () => {
      const { run, active, leases, advance } = await createRenter();
      const { err } = await run(sh("true", "--keep", "--lease", "2h", "--lease-file", "my leases"));
      const [, command = ""] =
        /`gpuctl (rentals guard [^`]*)` ends it when its lease is over/.exec(err) ?? [];
      expect(command).toMatch(/^rentals guard --lease-file '\/.*\/my leases'$/);
      advance(3 * hour);
      await run([...words(command), "--yes"]);
      expect([await active(), await leases()]).toEqual([[], []]);
    });

    test("prints the `rentals terminate` command if there is no lease", async () => {
      const { run, leases } = await createRenter();
      const { err } = await run(sh("true", "--keep"));
      expect(err).toContain("was kept and is still billed; `gpuctl rentals terminate 1001` ends it.");
      expect(await leases()).toEqual([]);
    });

    test("says after Ctrl-C that the rental is kept", async () => {
      const stop = new AbortController();
      const { run, active } = await createRenter({
        trouble: (connection) => {
          if (isFollow(connection)) stop.abort();
          return undefined;
        },
      });
      const { err } = await run(sh("sleep 30", "--keep"), { answerSignal: () => stop.signal });
      expect(err).toMatch(/^Interrupted: stopping the command\. The rental is kept\./m);
      expect(err).not.toMatch(/ending the rental/);
      expect(await active()).toMatchObject([{ id: 1001 }]);
    });
  });

  test("rejects an empty --sync, which would copy the whole current folder", async () => {
    const { run } = await createRenter();
    expect(await run(sh("true", "--sync", ""))).toMatchObject({
      code: 2,
      requests: [],
      err: "Error: --sync must not be empty\nNothing was sent.\n",
    });
  });

  test("reports a missing --sync folder before it asks for confirmation", async () => {
    const { run } = await createRenter();
    const confirm = async () => {
      throw new Error("asked");
    };
    const words = "rentals run --gpus 1 --sync missing -- true".split(" ");
    const { code, err } = await run(words, { terminal: 80, prompts: { confirm } });
    expect({ code, err }).toEqual({
      code: 2,
      err: "Error: --sync missing: no such folder\nNothing was sent.\n",
    });
  });

  test("passes the arguments of the command on unchanged", async () => {
    const { run } = await createRenter();
    const words = ["a b", "$HOME", "", "it's", "*", "-n", "\n"];
    const { out, code } = await run([..."rentals run --gpus 1 --yes -- printf <%s>".split(" "), ...words]);
    expect({ out, code }).toEqual({ out: words.map((word) => `<${word}>`).join(""), code: 0 });
  });

  test("prints one JSON document with -o json, and writes the output of the command to the log", async () => {
    const { run } = await createRenter();
    const { code, out } = await run(sh("echo shown; exit 2", "-o", "json"));
    expect(code).toBe(2);
    const { log, ...result } = JSON.parse(out);
    expect(result).toMatchObject({ status: 2, state: "ended", rentalId: "1001", fetched: [] });
    expect(await readFile(log, "utf8")).toBe("shown\n");
  });

  const notYet: readonly (readonly [string, string])[] = [
    ["a refused connection", "ssh: connect to host x port 22: Connection refused\r\n"],
    ["a missing SSH banner", "Connection timed out during banner exchange\r\n"],
    ["a login refused because the keys are missing", "ubuntu@x: Permission denied (publickey).\r\n"],
  ];

  test.each(sample(notYet, 2))("connects again after %s", async (_, stderr) => {
    let left = 3;
    const { run, active } = await createRenter({
      trouble: () => (left-- > 0 ? { stderr } : undefined),
    });
    expect(await run(sh("echo up"))).toMatchObject({ code: 0, out: "up\n" });
    expect(await active()).toEqual([]);
  });

  test.each([
    ["never answers", "Connection refused", 8, /could not be reached for 1m: the connection was refused/],
    ["refuses the login", "Permission denied (publickey).", 7, /login failed/],
    ["has another host key", "Host key verification failed.", 7, /rental's host key has changed/],
    [
      "is behind a jump host whose key is not known",
      `Host key verification failed.\n${closedByJump}`,
      7,
      /host key of the jump host is not known, or has changed: connect to it once with ssh/,
    ],
    [
      "is behind a jump host that refuses the login",
      `bastion: Permission denied (publickey).\n${closedByJump}`,
      7,
      /login failed: bastion: Permission denied/,
    ],
  ])("ends the rental if its SSH server %s", async (_, stderr, exitCode, message) => {
    const { run, active, leases } = await createRenter({ trouble: () => ({ stderr }) });
    const wait = exitCode === 8 ? ["--wait-timeout", "1m"] : [];
    const { code, err } = await run(sh("echo up", ...wait));
    expect(code).toBe(exitCode);
    expect(err).toMatch(message);
    expect(err).toMatch(/Rental 1001 has ended/);
    expect([await active(), await leases()]).toEqual([[], []]);
  });

  test("says how long it tried to connect, even if the last attempt went past --wait-timeout", async () => {
    const renter = await createRenter({
      trouble: () => {
        renter.advance(70_000);
        return { stderr: "Connection refused" };
      },
    });
    const { code, err } = await renter.run(sh("true", "--wait-timeout", "1m"));
    expect(code, err).toBe(8);
    expect(err).toMatch(/could not be reached for 1m (1|[5-9])\d?s: the connection was refused/);
  });

  test("does not count the time during which this machine was suspended toward --wait-timeout", async () => {
    let sleeps = 0;
    const renter = await createRenter({
      trouble: () => (sleeps < 3 ? { stderr: "Connection refused" } : undefined),
    });
    const onSleep = () => {
      sleeps += 1;
      if (sleeps === 1) renter.advance(2 * hour);
    };
    const { code, err } = await renter.run(sh("echo up", "--wait-timeout", "1m"), { onSleep });
    expect(code, err).toBe(0);
    expect(await renter.active()).toEqual([]);
  });

  test("shows the output on stderr if -o json is set and the output cannot be stored", async () => {
    const { run, remote, folder } = await createRenter();
    const { stream } = remote.programs;
    const programs: typeof remote.programs = {
      ...remote.programs,
      stream: async (program, args, options) => {
        // A folder in place of the file that stores stdout: nothing can be appended to it.
        const [job = ""] = await readdir(join(folder, "state", "jobs")).catch(() => []);
        if (job !== "") await mkdir(join(folder, "state", "jobs", job, "stdout"), { recursive: true });
        return stream(program, args, options);
      },
    };
    const { code, err } = await run(sh("echo precious", "-o", "json"), { programs });
    expect(code, err).toBe(0);
    expect(err).toContain("From now on, the output is not stored.");
    expect(err).toMatch(/^precious$/m);
  });

  test("ends the rental after --wait-timeout although a lookup gets no response", async () => {
    const end = endTimeLimits();
    let lookups = 0;
    const renter = await createRenter({
      respond: ({ path }) => {
        if (path !== "/v2/on-demand/rental") return undefined;
        lookups += 1;
        if (lookups > 1) return undefined;
        renter.advance(70_000);
        setImmediate(end);
        return new Promise(() => {});
      },
    });
    const { code, err } = await renter.run(sh("true", "--wait-timeout", "1m"));
    expect(code, err).toBe(8);
    expect(err).toMatch(/could not be reached for 1m (1|[5-9])\d?s: its state could not be read in time/);
    expect(await renter.active()).toEqual([]);
  });

  test("ends the rental after --wait-timeout although the clock is set back", async () => {
    const renter = await createRenter({ trouble: () => ({ stderr: "Connection refused" }) });
    let sleeps = 0;
    const onSleep = () => {
      sleeps += 1;
      if (sleeps === 10) renter.advance(-hour);
    };
    const { code, err, slept } = await renter.run(sh("true", "--wait-timeout", "1m"), { onSleep });
    expect(code, err).toBe(8);
    expect(err).toContain("rental 1001 could not be reached for 1m: ");
    expect(slept.length).toBeLessThan(50);
    expect(await renter.active()).toEqual([]);
  });

  test("ends the rental after --wait-timeout although the clock is set back while attempts take long", async () => {
    const pass = steadyClock();
    let attempts = 0;
    let isOver = false;
    let running: unknown;
    const renter: Awaited<ReturnType<typeof createRenter>> = await createRenter({
      // The rental goes on running, although by the clock it has not started yet.
      respond: async (seen) => {
        if (seen.path === terminates && !isOver) {
          isOver = true;
          renter.advance(attempts * hour);
        }
        if (seen.path !== "/v2/on-demand/rental" || isOver) return undefined;
        if (attempts === 0) running = await (await renter.sandbox.fetch(requestOf(seen))).json();
        return Response.json(running);
      },
      trouble: () => {
        attempts += 1;
        if (attempts > 10) throw new Error("still trying");
        renter.advance(-hour);
        pass(10_000);
        return { stderr: "Connection refused" };
      },
    });
    const { code, err } = await renter.run(sh("true", "--wait-timeout", "1m"));
    expect(code, err).toBe(8);
    expect(attempts).toBeLessThan(8);
    expect(await renter.active()).toEqual([]);
  });

  test("ends a rental that fails to boot", async () => {
    const { run, active, sandbox } = await createRenter();
    sandbox.boots.add({ outcome: "failed" });
    const { code, err } = await run(sh("echo up"));
    expect(code).toBe(7);
    expect(err).toMatch(/^Error: rental 1001 has failed\n[\s\S]*Rental 1001 has ended/m);
    expect(await active()).toEqual([]);
  });

  test("lets the command continue when the connection is lost, and neither loses nor repeats output", async () => {
    let lost = 0;
    const renter = await createRenter({
      trouble: async (connection) => {
        if (!isFollow(connection) || lost === 2) return undefined;
        lost += 1;
        return {
          stderr:
            lost === 1
              ? "client_loop: send disconnect: Broken pipe"
              : "Connection to 203.0.113.7 closed by remote host.",
        };
      },
    });
    const { code, out, err } = await renter.run(sh("echo one; sleep 0.3; echo two; exit 4"));
    expect({ code, out }).toEqual({ code: 4, out: "one\ntwo\n" });
    expect(err).toContain(
      "The connection was lost: client_loop: send disconnect: Broken pipe. That does not stop the command. Connecting again.\n",
    );
    expect(err).toContain(
      "The connection was lost: Connection to 203.0.113.7 closed by remote host. That does not stop the command. Connecting again.\n",
    );
    expect(await renter.active()).toEqual([]);
  });

  test("what ssh writes to stderr when it loses the connection is no output of the command", async () => {
    const { run, jobs, folder, remote } = await createRenter();
    const { stream } = remote.programs;
    const goOn = join(folder, "go-on");
    let lost = false;
    const lossy: typeof stream = async (program, args, options) => {
      if (lost || !String(options.input).includes("tail -c")) return stream(program, args, options);
      const stop = new AbortController();
      const onStderr = async (bytes: Uint8Array) => {
        await options.onStderr?.(bytes);
        if (!String(bytes).includes("Connection to db")) return;
        lost = true;
        stop.abort();
      };
      const signal = AbortSignal.any([options.signal, stop.signal]);
      await stream(program, args, { ...options, onStderr, signal }).catch(() => {});
      await writeFile(goOn, "");
      await options.onStderr?.(Buffer.from("Connection to 127.0.0.1 closed by"));
      await options.onStderr?.(Buffer.from(" remote host.\r\n"));
      return 255;
    };
    const script = `echo 'Connection to db' >&2; ${waitFor(goOn)}; printf 'Connection to gpu' >&2; exit 4`;
    const { code, err } = await run(sh(script), { programs: { ...remote.programs, stream: lossy } });
    expect({ code, lost }, err).toEqual({ code: 4, lost: true });
    const [{ id }] = await jobs();
    const log = await readFile(join(folder, "state", "jobs", id, "output.log"), "utf8");
    expect(log).toBe("Connection to db\nConnection to gpu");
    expect(err).toContain("The connection was lost: Connection to 127.0.0.1 closed by remote host.");
  });

  test("does not print the greeting of the remote shell as output", async () => {
    const { run, remote } = await createRenter();
    const { stream } = remote.programs;
    const greeting: typeof stream = async (program, args, options) => {
      await options.onStdout(Buffer.from("Welcome to the GPU clou"));
      await options.onStdout(Buffer.from("d!\n"));
      return stream(program, args, options);
    };
    const { code, out } = await run(sh("printf done"), {
      programs: { ...remote.programs, stream: greeting },
    });
    expect({ code, out }).toEqual({ code: 0, out: "done" });
  });

  test("removes escape sequences from the output on a terminal, and keeps them in the log", async () => {
    const { run, jobs, folder } = await createRenter();
    const { out } = await run(sh("printf 'a\\033]0;title\\007b\\r50%%\\r100%%\\n'"), { terminal: 80 });
    expect(out).toBe("ab\n50%\n100%\n");
    const [{ id }] = await jobs();
    expect(await readFile(join(folder, "state", "jobs", id, "output.log"), "latin1")).toContain(
      "\u001b]0;title",
    );
  });

  test("writes a very long line to a terminal in parts", async () => {
    const { run } = await createRenter();
    const parts: string[] = [];
    const messages = { read: Readable.from([]), write: (text: string) => void parts.push(text) };
    const script = "head -c 1000000 /dev/zero | tr '\\0' x; printf '\\na'";
    const { out } = await run(sh(script), { terminal: 80, messages });
    expect(out).toBe(`${"x".repeat(1_000_000)}\na\n`);
    // A part has at most 64 KiB that gpuctl held back, plus 64 KiB, the most that the test's pipe delivers at once.
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(128 * 1024);
  });

  test("lets the command continue when the reader of the output exits", async () => {
    const { run, active, jobs } = await createRenter();
    const writeFails = Object.assign(new Error("EPIPE"), { code: "EPIPE" });
    expect(await run(sh("echo a; echo b; exit 6"), { writeFails })).toMatchObject({ code: 6 });
    expect(await active()).toEqual([]);
    expect((await jobs())[0].status).toBe(6);
  });

  test.each([0, 6])(
    "fails if gpuctl's output cannot be written and the command exits with %i",
    async (status) => {
      const { run, active } = await createRenter();
      const writeFails = Object.assign(new Error("no space left on the disk"), { code: "ENOSPC" });
      const { code, err } = await run(sh(`echo a; exit ${status}`), { writeFails });
      expect(code).toBe(status === 0 ? 1 : 6);
      expect(err).toContain("the output cannot be written: no space left on the disk");
      expect(err).toMatch(/^Output: .*output\.log$/m);
      expect(await active()).toEqual([]);
    },
  );

  test("copies with scp if rsync does not have the options that gpuctl uses", async () => {
    const { run, remote, folder } = await createRenter();
    const asked: (readonly string[])[] = [];
    const programs: typeof remote.programs = {
      which: async (program) => `/usr/bin/${program}`,
      stream: async (program, args, options) => {
        // The rental reports that it has rsync, even if this machine, on which its commands run, has none.
        const input = options.input?.replace("command -v rsync", "true");
        if (program !== "rsync")
          return remote.programs.stream(program, args, { ...options, ...(input !== undefined && { input }) });
        asked.push(args);
        await options.onStderr(Buffer.from("rsync: -rlptzs: unknown option\n"));
        return 1;
      },
    };
    const { code, err } = await run(sh("echo 42 > model; exit 6", "--fetch", "model"), { programs });
    expect(code, err).toBe(6);
    expect(await readFile(join(folder, "model"), "utf8")).toBe("42\n");
    expect(asked).toEqual([["-rlptzs", "--copy-unsafe-links", "--version"]]);
  });

  describe("if rsync could not copy some files of --sync", () => {
    const missingTarget = 'symlink has no referent: "/home/ada/in/link"';
    const closing =
      "rsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1338) [sender=3.2.7]";

    /** Runs a job whose uploads print these lines and exit with 23, except those that copy links as links. */
    async function runWith(lines: readonly string[]) {
      const { run, remote, folder } = await createRenter();
      await mkdir(join(folder, "in"));
      const uploads: string[] = [];
      const programs: typeof remote.programs = {
        which: async (program) => `/usr/bin/${program}`,
        stream: async (program, args, options) => {
          const input = options.input?.replace("command -v rsync", "true");
          if (program !== "rsync")
            return remote.programs.stream(program, args, {
              ...options,
              ...(input !== undefined && { input }),
            });
          if (args.includes("--version")) return 0;
          const isSecond = args.includes("--ignore-existing");
          uploads.push(isSecond ? "second" : "first");
          if (isSecond) return 0;
          // The output may arrive in parts that are not whole lines.
          for (const part of `${lines.join("\n")}\n`.match(/[\s\S]{1,700}/g) ?? [])
            await options.onStderr(Buffer.from(part));
          return 23;
        },
      };
      return { ...(await run(sh("exit 6", "--sync", "in"), { programs })), uploads };
    }

    test("copies a link as a link if its target does not exist, and runs the command", async () => {
      const noise = "bash: warning: setlocale: LC_ALL: cannot change locale (en_US.UTF-8)";
      const { code, err, uploads } = await runWith([noise, ...Array(50).fill(missingTarget), closing]);
      expect(code, err).toBe(6);
      expect(uploads).toEqual(["first", "second"]);
    });

    test("does not run the command if a file was not copied for another reason", async () => {
      const denied =
        'rsync: [sender] send_files failed to open "/home/ada/in/data/secret": Permission denied (13)';
      const { code, err, uploads } = await runWith([
        missingTarget,
        denied,
        ...Array(50).fill(missingTarget),
        closing,
      ]);
      expect(code, err).toBe(7);
      expect(err).toContain(`rental 1001 cannot be used: rsync exited with status 23: ${denied}`);
      expect(uploads).toEqual(Array(5).fill("first"));
    });
  });

  describe("if scp could not copy some files of --sync", () => {
    /** Runs a job whose uploads print lines about the folder, leave out a link without a target, and exit with 1. */
    async function runWith(linesAbout: (folder: string) => readonly string[]) {
      const { run, remote, folder } = await createRenter();
      const sync = join(folder, "in");
      await mkdir(sync);
      await writeFile(join(sync, "data"), "here\n");
      await symlink("gone", join(sync, "link"));
      let uploads = 0;
      const programs: typeof remote.programs = {
        ...remote.programs,
        stream: async (program, args, options) => {
          if (program !== "scp") return remote.programs.stream(program, args, options);
          uploads += 1;
          const [, path = ""] = args.at(-1)?.split(":") ?? [];
          await mkdir(join(remote.home, path));
          await copyFile(join(sync, "data"), join(remote.home, path, "data"));
          await options.onStderr(
            Buffer.from(
              linesAbout(sync)
                .map((line) => `${line}\n`)
                .join(""),
            ),
          );
          return 1;
        },
      };
      const outcome = await run(sh("cat data; exit 6", "--sync", "in"), { programs });
      return { ...outcome, uploads };
    }

    const failed = (folder: string) => `scp: failed to upload directory ${folder} to gpuctl-jobs/sync`;

    test.each([
      ["before OpenSSH 9", (folder: string) => [`${folder}/link: No such file or directory`]],
      [
        "of OpenSSH 9",
        (folder: string) => [
          `scp: open local "${folder}/link": No such file or directory`,
          `scp: upload "${folder}/link" to "gpuctl-jobs/sync/link" failed`,
          failed(folder),
        ],
      ],
      [
        "that names only the link",
        (folder: string) => ['scp: local stat "link": No such file or directory', failed(folder)],
      ],
    ])("runs the command if only the target of a link does not exist, with an scp %s", async (_, lines) => {
      const { code, out, err, uploads } = await runWith(lines);
      expect({ code, out, uploads }, err).toEqual({ code: 6, out: "here\n", uploads: 1 });
    });

    test.each([
      [
        "another file cannot be read",
        (folder: string) => `scp: open local "${folder}/data": Permission denied`,
      ],
      ["another file does not exist", (folder: string) => `${folder}/data: No such file or directory`],
      ["the disk of the rental is full", () => "scp: gpuctl-jobs/sync/data: No space left on device"],
    ])("does not run the command if %s", async (_, other) => {
      const { code, err } = await runWith((folder) => [
        `${folder}/link: No such file or directory`,
        other(folder),
      ]);
      expect(code, err).toBe(7);
      expect(err).toMatch(/rental 1001 cannot be used: scp exited with status 1: .*data.*/);
    });
  });

  test("copies results back to a folder on another disk", async () => {
    const { run, folder } = await createRenter();
    separateDisk("/results/");
    const { code, err } = await run(
      sh("mkdir -p results/a; echo 42 > results/a/model", "--fetch", "results"),
    );
    expect(code, err).toBe(0);
    expect(await readFile(join(folder, "results", "a", "model"), "utf8")).toBe("42\n");
    expect(await readdir(join(folder, "results", "a"))).toEqual(["model"]);
  });

  test("copies back names that are not UTF-8, and folders with their modes, but always writable for the owner", async () => {
    const { run, folder } = await createRenter();
    const script = `mkdir -p results/private results/read-only; cd results; echo 1 > "$(printf 'caf\\351')"; echo 2 > z; echo 3 > read-only/a; chmod 700 private; chmod 555 read-only`;
    const { code, err } = await run(sh(script, "--fetch", "results"));
    expect(code, err).toBe(0);
    expect(err).toMatch(/Copied results to .*results: 3 files, 6 bytes\.$/m);
    const results = Buffer.from(join(folder, "results/"));
    const name = Buffer.concat([results, Buffer.from([0x63, 0x61, 0x66, 0xe9])]);
    if (process.platform === "linux") expect(await readFile(name, "utf8")).toBe("1\n");
    const modeOf = async (path: string) => (await stat(join(folder, "results", path))).mode & 0o777;
    expect([await modeOf("private"), await modeOf("read-only")]).toEqual([0o700, 0o755]);
    expect((await readdir(folder)).filter((one) => one.startsWith(".gpuctl-"))).toEqual([]);
  });

  test("says that the rental has ended if the reader of the result exits", async () => {
    const { run } = await createRenter();
    const writeFails = Object.assign(new Error("EPIPE"), { code: "EPIPE" });
    const { err } = await run(sh("exit 0", "-o", "json"), { writeFails });
    expect(err).toContain("Rental 1001 has ended.");
    expect(err).not.toContain("may still be billed");
  });

  test("waits until the rental has ended if the response to the terminate request is not an object", async () => {
    const states: string[] = [];
    const renter = await createRenter({
      respond: ({ path }) => {
        if (path === terminates) {
          states.push("Terminating", "Terminating", "Terminated");
          return Response.json(null);
        }
        const status = path === "/v2/on-demand/rental" ? states.shift() : undefined;
        if (status === undefined) return;
        return Response.json({ id: 1001, label: "train", rentalType: "virtual-machine", status });
      },
    });
    const { code, err } = await renter.run(sh("exit 6"));
    expect(code, err).toBe(6);
  });

  test("exits with 10 if the response to the terminate request is not an object and later lookups of the rental fail", async () => {
    const states: (string | undefined)[] = [];
    let isFailing = false;
    const renter = await createRenter({
      respond: ({ path }) => {
        if (path === terminates) {
          states.push("Terminating", "Terminating");
          isFailing = true;
          return Response.json(null);
        }
        if (path !== "/v2/on-demand/rental" || !isFailing) return;
        const status = states.shift();
        if (status === undefined) return Response.json({}, { status: 503 });
        return Response.json({ id: 1001, label: "train", rentalType: "virtual-machine", status });
      },
    });
    const { code, err } = await renter.run(sh("exit 6"));
    expect(code, err).toBe(10);
    expect(err).toContain("rental 1001 may still be billed");
    expect(err).toContain("End rental 1001 with `gpuctl rentals terminate 1001 --yes`.");
  });

  test("ends the rental although the output of the command is not read yet", async () => {
    let read = () => {};
    const isRead = new Promise<void>((resolve) => {
      read = resolve;
    });
    const renter = await createRenter({
      respond: ({ path }) => {
        if (path === terminates) read();
        return undefined;
      },
    });
    const messages = { read: Readable.from([]), write: () => isRead };
    const { code, out } = await renter.run(sh("echo a; echo b; exit 6"), { messages });
    expect({ code, out }).toEqual({ code: 6, out: "a\nb\n" });
    expect(await renter.active()).toEqual([]);
  });

  describe("limits", () => {
    test.each([
      ["--time-limit", "2m", /the time limit of 2m is reached/],
      ["--max-cost", "0.10", /the cost limit of \$0\.10 is reached/],
    ])(
      "%s stops the command, copies the results back, ends the rental and exits with 8",
      async (flag, value, message) => {
        const { run, active, folder } = await createRenter();
        const script = "echo partial > model; trap 'echo stopping; exit 9' TERM; sleep 30 & wait";
        const { code, out, err } = await run(sh(script, flag, value, "--fetch", "model"));
        expect(code, err).toBe(8);
        expect(err).toMatch(message);
        if (out !== "") expect(await readFile(join(folder, "model"), "utf8")).toBe("partial\n");
        expect(await active()).toEqual([]);
      },
    );

    test("in JSON, the error says what was copied back and what was not", async () => {
      const { opened, open } = gate();
      const { run, folder } = await createRenter({
        trouble: async (connection) => {
          if (isFollow(connection)) open();
          return undefined;
        },
      });
      await mkdir(join(folder, "in"));
      await writeFile(join(folder, "in", "model"), "partial\n");
      const flags = [
        "--time-limit",
        "2m",
        "--sync",
        "in",
        "--fetch",
        "model",
        "--fetch",
        "log",
        "-o",
        "json",
      ];
      const { code, err } = await run(sh("sleep 30", ...flags), {
        onSleep: (milliseconds) => milliseconds === limitCheck && opened,
      });
      expect(code, err).toBe(8);
      const { hint } = JSON.parse(err).error;
      expect(hint).toContain(`Copied model to ${join(folder, "model")}: 1 file, 8 bytes.`);
      expect(hint).toContain("Warning: not everything was copied back: log does not exist on the rental.");
    });

    test("--time-limit is checked at least every 30 seconds, because timers stop while the machine is suspended", async () => {
      const { run } = await createRenter();
      const { code, slept } = await run(sh("sleep 30", "--time-limit", "2h"));
      expect(code).toBe(8);
      expect(Math.max(...slept)).toBeLessThanOrEqual(30_000);
    });

    test.each([
      ["--time-limit", "2h"],
      ["--max-cost", "5"],
    ])("%s stops the command in time although the clock is set back", async (flag, value) => {
      const { run, advance } = await createRenter();
      let waits = 0;
      // gpuctl waits for the limit in many short waits. At the 20th, the command already runs.
      const onSleep = () => {
        waits += 1;
        if (waits === 20) advance(-24 * hour);
      };
      const { code, slept, err } = await run(sh("sleep 30", flag, value), { onSleep });
      expect(waits).toBeGreaterThan(40);
      expect(code, err).toBe(8);
      expect(slept.reduce((sum, one) => sum + one)).toBeLessThan(4 * hour);
    });

    test("a --max-cost that pays for more than a month does not stop the command before the money is spent", async () => {
      const days = 60 * 24 * hour;
      const { opened, open } = gate();
      const renter = await createRenter({
        trouble: async (connection) => {
          if (isFollow(connection)) open();
          return undefined;
        },
      });
      let checks = 0;
      const onSleep = async (milliseconds: number) => {
        if (milliseconds !== limitCheck) return;
        checks += 1;
        // The second wait never ends, as if the limit were far away.
        await (checks === 1 ? opened : new Promise(() => {}));
        renter.advance(days);
      };
      const { code, err } = await renter.run(sh("sleep 0.5; exit 3", "--max-cost", "10000"), { onSleep });
      expect([code, checks], err).toEqual([3, 2]);
      const [{ rentedAt, stopsAt, hourlyCost }] = await renter.jobs();
      const paid = (10_000 / hourlyCost) * hour;
      expect(paid).toBeGreaterThan(days);
      expect(Math.round(Date.parse(stopsAt) - Date.parse(rentedAt) - paid)).toBe(0);
    });

    test("a --max-cost that would be reached only after the latest possible date is stored as that date", async () => {
      const { run, jobs } = await createRenter();
      const onSleep = (milliseconds: number) =>
        milliseconds === limitCheck ? new Promise(() => {}) : undefined;
      const { code, err } = await run(sh("exit 3", "--max-cost", "9000000000000"), { onSleep });
      expect(code, err).toBe(3);
      expect((await jobs())[0].stopsAt).toBe("+275760-09-13T00:00:00.000Z");
    });

    test("a job without a limit has a lease of the maximum length", async () => {
      let ends = "";
      const renter = await createRenter({
        trouble: async () => {
          ends = (await renter.leases())[0].endsAt;
          return undefined;
        },
      });
      expect(await renter.run(sh("exit 3"))).toMatchObject({ code: 3 });
      expect(Date.parse(ends) - firstMoment).toBeGreaterThanOrEqual(maxLease);
    });

    const beforeStart: readonly (readonly [string, (connection: Connection) => boolean])[] = [
      ["while ssh does not answer yet", () => true],
      ["during the upload", ({ program }) => program === "scp"],
    ];

    test.each(beforeStart)("--time-limit ends the rental at once if it is reached %s", async (_, at) => {
      const { opened, open } = gate();
      const { run, active, folder, remote } = await createRenter({
        trouble: async (connection) => {
          if (!at(connection)) return undefined;
          open();
          // The limit is reached before this attempt ends.
          if (!connection.signal.aborted) await once(connection.signal, "abort");
          return { stderr: "Connection refused" };
        },
      });
      await mkdir(join(folder, "in"));
      const { code, err } = await run(sh("true", "--sync", "in", "--time-limit", "2m"), {
        onSleep: (milliseconds) => milliseconds === limitCheck && opened,
      });
      expect(code, err).toBe(8);
      expect(err).toContain("Error: the command was stopped: the time limit of 2m is reached");
      expect(remote.connections.filter(isStop)).toEqual([]);
      expect(await active()).toEqual([]);
    });

    test("budget.maxCost of the profile does not apply to a job, but budget.maxBurn does", async () => {
      const { run, network } = await createRenter();
      await run("config set budget.maxCost 0.0001", network());
      expect(await run(sh("exit 3"))).toMatchObject({ code: 3 });
      await run("config set budget.maxBurn 0.01", network());
      expect(await run(sh("exit 3"))).toMatchObject({ code: 11 });
    });

    describe("with a new rental whose price is shown as 0", () => {
      const createFree = async (price: number) => {
        const option = { gpuType: "h100", gpuCount: 1, costPerHourCents: price };
        const renter = await createRenter({
          respond: async ({ method, path, body }) => {
            if (path.endsWith("/rental-options")) return Response.json([option]);
            if (method !== "POST" || path === terminates) return undefined;
            const created = await renter.sandbox.fetch(
              new Request(new URL(path, "http://sandbox.localhost"), {
                method,
                headers: {
                  authorization: `Bearer ${renter.sandbox.keys.full}`,
                  "content-type": "application/json",
                },
                body: JSON.stringify(body),
              }),
            );
            return Response.json({
              ...asRecord(await created.json()),
              currentTerm: undefined,
              costPerHourCents: 0,
            });
          },
        });
        return renter;
      };

      test("--max-cost stops the command when the cost at the expected price reaches the limit", async () => {
        const { run, jobs } = await createFree(200);
        const { code, err } = await run(sh("sleep 30", "--max-cost", "0.10"));
        expect(code, err).toBe(8);
        expect(err).toContain("the cost limit of $0.10 is reached");
        expect(await jobs()).toMatchObject([{ hourlyCost: "2" }]);
      });

      test("if the expected price is also 0, a warning says that --max-cost has no effect", async () => {
        const { run } = await createFree(0);
        const { code, err } = await run(sh("exit 3", "--max-cost", "0.10"));
        expect(code, err).toBe(3);
        expect(err).toContain(
          "Warning: the price of rental 1001 is 0 according to the service, so --max-cost does not stop the command.",
        );
      });
    });

    test("--max-cost is an error if the price is unknown, and the error suggests --time-limit", async () => {
      const { run, active } = await createRenter({
        respond: ({ path }) => (path.endsWith("/rental-options") ? Response.json([]) : undefined),
      });
      const { code, err } = await run(sh("true", "--max-cost", "5"));
      expect({ code, active: await active() }).toEqual({ code: 11, active: [] });
      expect(err).toContain("so --max-cost cannot be checked; use --time-limit instead\nNothing was sent.");
    });

    test("--max-burn is checked before a create is sent", async () => {
      const { run, active, jobs } = await createRenter();
      expect(await run(sh("true", "--max-burn", "0.01"))).toMatchObject({ code: 11, out: "" });
      expect(await active()).toEqual([]);
      expect((await jobs())[0]).toMatchObject({ state: "ended", outcome: "nothing was rented" });
    });
  });

  test("checks --max-burn again if another process takes the lock for creates during the wait for the lease file", async () => {
    let lookUps = 0;
    const waits = new AbortController();
    const renter = await createRenter({
      respond: ({ path }) => {
        if (!path.endsWith("/active-rental-summary")) return undefined;
        lookUps += 1;
        return Response.json({ hourlyCostCents: lookUps === 1 ? 0 : 1000 });
      },
    });
    const path = leaseFile(renter);
    const other = whileLocked({ path, ownFolder: true, processes }, async () => {
      if (!waits.signal.aborted) await once(waits.signal, "abort");
      await writeFile(join(renter.folder, "state", "rentals-create"), "another process");
    });
    // The lease file is the only thing that gpuctl waits for here.
    const onSleep = () => waits.abort();
    const { code, requests } = await renter.run(sh("true", "--max-burn", "5"), { onSleep });
    await other;
    expect({ code, lookUps, creates: requests.filter(isCreate) }).toEqual({
      code: 11,
      lookUps: 2,
      creates: [],
    });
    expect(await renter.leases()).toEqual([]);
  });

  test("is refused without --keep if the service has no operation that ends rentals", async () => {
    const documented = await createCli({ negotiates: true, only: "documented" });
    const { programs } = await createRemote(documented.folder);
    const options = { ...overNetwork({ GPUCTL_API_KEY: documented.sandbox.keys.full }), programs };
    const refused = await documented.run(sh("echo hi"), options);
    expect(refused).toMatchObject({ code: 5, out: "" });
    expect(refused.requests.filter(({ method }) => method === "POST")).toEqual([]);
    expect(refused.err).toMatch(/--keep/);
    const kept = await documented.run(sh("echo hi", "--keep"), options);
    expect(kept).toMatchObject({ code: 0, out: "hi\n" });
    expect(kept.err).toMatch(/Rental 1001 was kept and is still billed/);
  });

  test("warns that --fetch does not expand patterns", async () => {
    const { run } = await createRenter();
    const { err } = await run(sh("touch 'a*'", "--fetch", "a*"));
    expect(err).toContain("Warning: --fetch a* is used as the name of one file or folder");
  });

  test.each([
    [["--sync", "nowhere"], /--sync nowhere: no such folder/],
    [["--fetch", "../x"], /--fetch "\.\.\/x" is neither a path inside/],
    [
      ["--fetch", "/a/model", "--fetch", "/b/model"],
      /\/a\/model and --fetch \/b\/model .* copied to model$/m,
    ],
    [
      ["--fetch", "model/", "--fetch", "/b/model"],
      /model and --fetch \/b\/model would both be copied to model$/m,
    ],
    [
      ["--fetch", "/b/run", "--fetch", "run/log"],
      /\/b\/run and --fetch run\/log would both be copied to run$/m,
    ],
    [["--fetch", ".", "--fetch", "/b/log"], /would both be copied to the current folder$/m],
    [
      ["--fetch", "Out", "--fetch", "out/"],
      /--fetch Out and --fetch out would be .* a disk that ignores case/,
    ],
    [["--fetch", "out", "--fetch", "OUT/log"], /on a disk that ignores case/],
    [["--fetch", "/a/Model", "--fetch", "/a/model"], /on a disk that ignores case/],
    [["--fetch", "/a/Model", "--fetch", "model"], /on a disk that ignores case/],
    [["--fetch", "caf\u00e9", "--fetch", "cafe\u0301"], /or Unicode forms/],
    [["--env", "1A=b"], /--env must be NAME=VALUE/],
    [["--env", "NOT_SET"], /--env NOT_SET: this variable is not set/],
    [["--env", "GPUCTL_API_KEY"], /--env GPUCTL_API_KEY: variables of gpuctl are not passed on/],
    [["--time-limit", "0s"], /--time-limit must be greater than 0/],
    [["--detach"], /--detach requires --lease or --keep/],
    [["--detach", "--lease", "1h", "--time-limit", "1h"], /cannot be used/],
  ])("with %j is refused before anything is rented", async (flags, message) => {
    const { run } = await createRenter();
    const { code, err, requests } = await run(sh("true", ...flags));
    expect({ code, posts: requests.filter(({ method }) => method === "POST") }).toEqual({
      code: 2,
      posts: [],
    });
    expect(err).toMatch(message);
  });

  test.each([
    [["--fetch", "out", "--fetch", "Out"], "on a disk that ignores case"],
    [["--sync", "nowhere"], "--sync nowhere: no such folder"],
    [["--env", "NOT_SET"], "this variable is not set"],
  ])("with %j is refused before a missing value is asked for", async (flags, message) => {
    const { run } = await createRenter();
    const asked = async () => expect.fail("was asked");
    for (const command of [["--", "true"], []]) {
      const words = ["rentals", "run", ...flags, ...command];
      const { code, err } = await run(words, { terminal: 80, prompts: { choose: asked, text: asked } });
      expect(code, err).toBe(2);
      expect(err).toContain(message);
    }
  });

  test("prints a line that runs the same command if the command was prompted for", async () => {
    const { run } = await createRenter();
    const prompts: Partial<Prompts> = {
      choose: async ({ choices }) => choices[0] ?? "",
      text: async () => "true",
      confirm: async () => true,
    };
    const asked = await run("rentals run --gpus 1 --gpu h100", { terminal: 80, prompts });
    expect(asked.code, asked.err).toBe(0);
    const [, line = ""] = /To run this again without prompts: gpuctl (.*)/.exec(asked.err) ?? [];
    expect(line).toMatch(/ --yes -- true$/);
    expect(await run(line, { terminal: 80 })).toMatchObject({ code: 0 });
  });

  test("--fetch accepts paths that cannot replace each other's files", async () => {
    const { run, folder } = await createRenter();
    const paths = ["run", "run/log", "run", "..x", "model"].flatMap((path) => ["--fetch", path]);
    const line = sh("mkdir run; echo 1 > run/log; echo 2 > ..x; echo 3 > model", ...paths);
    expect(await run(line)).toMatchObject({ code: 0 });
    const texts = ["run/log", "..x", "model"].map((path) => readFile(join(folder, path), "utf8"));
    expect(await Promise.all(texts)).toEqual(["1\n", "2\n", "3\n"]);
    const apart = ["/a/model", "/a/model", "/a/log", "/b/..x", "Model.bin", "Run/a", "run/b"].flatMap(
      (path) => ["--fetch", path],
    );
    expect(await run(sh("true", ...apart, "--dry-run"))).toMatchObject({ code: 0 });
  });

  test("refuses a command that is one word with spaces", async () => {
    const { run } = await createRenter();
    const { code, err } = await run(["rentals", "run", "--gpus", "1", "--yes", "--", "python train.py"]);
    expect(code).toBe(2);
    expect(err).toMatch(/one word with spaces[\s\S]*sh -c/);
  });

  test("--env NAME passes on the variable of this machine", async () => {
    const { run, network } = await createRenter();
    expect(await run(sh("echo $TOKEN", "--env", "TOKEN"), network({ TOKEN: "from here" }))).toMatchObject({
      code: 0,
      out: "from here\n",
    });
  });

  test("fails because of missing results only if the command succeeded; otherwise it prints a warning", async () => {
    const { run, active } = await createRenter();
    const missing = await run(sh("true", "--fetch", "none"));
    expect(missing.code).toBe(1);
    expect(missing.err).toMatch(/none does not exist on the rental[\s\S]*Rental 1001 has ended/);
    const failed = await run(sh("exit 5", "--fetch", "none"));
    expect(failed.code).toBe(5);
    expect(failed.err).toMatch(/Warning: .*none does not exist/);
    expect(await active()).toEqual([]);
  });

  test("copies results again after a failure, and replaces a local file only by a complete copy", async () => {
    let copies = 0;
    const { run, folder } = await createRenter({
      trouble: ({ program }) =>
        program === "scp" && copies++ < 2 ? { stderr: "lost connection", status: 1 } : undefined,
    });
    await writeFile(join(folder, "model"), "before");
    expect(await run(sh("echo after > model", "--fetch", "model"))).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, "model"), "utf8")).toBe("after\n");
    expect((await readdir(folder)).filter((name) => name.startsWith(".gpuctl"))).toEqual([]);
  });

  test("keeps the incomplete copy of a --fetch path in a separate folder, and copies the next --fetch path as usual", async () => {
    const renter = await createRenter();
    const { stream } = renter.remote.programs;
    let copies = 0;
    const failing: typeof stream = async (program, ...rest) => {
      const status = await stream(program, ...rest);
      copies += program === "scp" ? 1 : 0;
      return program === "scp" && copies <= 5 ? 1 : status;
    };
    const programs = { ...renter.remote.programs, stream: failing };
    const script = "mkdir one two; echo part > one/model; echo whole > two/log";
    const { code, err } = await renter.run(sh(script, "--fetch", "one", "--fetch", "two"), { programs });
    expect(code, err).toBe(1);
    expect(await readdir(join(renter.folder, "two"))).toEqual(["log"]);
    const [, kept = ""] = /one: scp exited with status 1\. What arrived is in (\S+?)\.?$/m.exec(err) ?? [];
    expect(await readdir(kept, { recursive: true }), err).toContain(join("fetch", "model"));
  });

  test("uploads again if the connection breaks off after more than ten minutes", async () => {
    let copies = 0;
    const renter = await createRenter({
      trouble: ({ program }) => {
        if (program !== "scp") return undefined;
        copies += 1;
        if (copies > 1) return undefined;
        renter.advance(hour / 5);
        return { stderr: "Broken pipe" };
      },
    });
    await mkdir(join(renter.folder, "in"));
    const { code, err } = await renter.run(sh("exit 3", "--sync", "in"));
    expect([code, copies], err).toEqual([3, 2]);
  });

  test("copies the results back although ssh does not answer for a minute", async () => {
    let refusals = 20;
    let isOut = false;
    const { run, folder } = await createRenter({
      trouble: ({ program }) => {
        isOut ||= program === "scp";
        if (!isOut || refusals === 0) return undefined;
        refusals -= 1;
        return { stderr: "Connection refused" };
      },
    });
    const { code, err } = await run(sh("echo 42 > model", "--fetch", "model"));
    expect([code, refusals], err).toEqual([0, 0]);
    expect(await readFile(join(folder, "model"), "utf8")).toBe("42\n");
  });

  test("copies the results back although lookups of the rental fail once the command has started", async () => {
    let isOut = false;
    const { run, folder, active } = await createRenter({
      trouble: (connection) => {
        isOut = isStart(connection) || (isOut && connection.program !== "scp");
        return undefined;
      },
      respond: ({ path }) =>
        isOut && path === "/v2/on-demand/rental" ? Response.json({}, { status: 502 }) : undefined,
    });
    const { code, err } = await run(sh("echo 42 > model", "--fetch", "model"));
    expect(code, err).toBe(0);
    expect(await readFile(join(folder, "model"), "utf8")).toBe("42\n");
    expect(await active()).toEqual([]);
  });

  test("ends the rental after five failed uploads instead of trying for ten minutes", async () => {
    const { run, folder, active, remote } = await createRenter({
      trouble: ({ program }) =>
        program === "scp" ? { stderr: "write: No space left on device", status: 1 } : undefined,
    });
    await mkdir(join(folder, "in"));
    const { code, err } = await run(sh("true", "--sync", "in"));
    expect(code, err).toBe(7);
    expect(err).toMatch(
      /rental 1001 cannot be used: scp exited with status 1: write: No space left on device/,
    );
    expect(remote.connections.filter(({ program }) => program === "scp")).toHaveLength(5);
    expect(await active()).toEqual([]);
  });

  test.each([
    ["in place of a folder", "results", "results"],
    ["above the path that is copied", "results/deep", "results"],
    ["inside the folder that is copied", "results", "results/deep"],
  ])("writes nothing through a symbolic link %s", async (_, path, link) => {
    const { run, folder, jobs, remote } = await createRenter();
    await mkdir(join(folder, "private"));
    await mkdir(join(folder, link, ".."), { recursive: true });
    await symlink(join(folder, "private"), join(folder, link));
    const { code, err } = await run(sh("mkdir -p results/deep; echo x > results/deep/f", "--fetch", path));
    expect(remote.connections.some(({ program }) => program === "scp")).toBe(true);
    expect(code).toBe(1);
    expect(err).toMatch(
      /is a symbolic link, and gpuctl does not copy files from a rental through symbolic links\. What arrived is in \S+\.gpuctl-/,
    );
    expect(await readdir(join(folder, "private"))).toEqual([]);
    const [{ id, state }] = await jobs();
    expect(state).toBe("ended");
    expect(await readdir(join(folder, `.gpuctl-${id}`))).toHaveLength(1);
  });

  test.each(sample(["Host key verification failed.", "git@x: Permission denied (publickey)."], 1))(
    "does not treat %j as an error of ssh if the command prints it",
    async (words) => {
      let lost = 0;
      const renter = await createRenter();
      const { stream } = renter.remote.programs;
      const breaking: typeof stream = async (program, args, options) => {
        const status = await stream(program, args, options);
        if (!options.input?.includes("tail -c") || lost === 1) return status;
        lost += 1;
        return 255;
      };
      const programs = { ...renter.remote.programs, stream: breaking };
      const script = `echo '${words}' >&2; sleep 0.2; echo done > result; exit 4`;
      const { code, err } = await renter.run(sh(script, "--fetch", "result"), { programs });
      expect({ code, lost }, err).toEqual({ code: 4, lost: 1 });
      expect(await readFile(join(renter.folder, "result"), "utf8")).toBe("done\n");
    },
  );

  test("does not treat an impossible exit status as success", async () => {
    const renter = await createRenter();
    const { stream } = renter.remote.programs;
    const lying: typeof stream = async (program, args, options) => {
      if (!options.input?.includes("wc -c")) return stream(program, args, options);
      await options.onStdout(Buffer.from("gpuctl-output-follows\n256 0 0\n"));
      return 0;
    };
    const programs = { ...renter.remote.programs, stream: lying };
    const { code } = await renter.run(sh("exit 1", "--wait-timeout", "5s"), { programs });
    expect(code).toBe(8);
    expect(await renter.active()).toEqual([]);
  });

  const lost = [
    ["succeeded", "exit 0", 1, "not everything was copied back: 995 bytes of the output did not arrive"],
    ["failed", "exit 6", 6, "Warning: not everything was copied back: 995 bytes of the output did not"],
  ] as const;

  test.each(sample(lost, 0))(
    "ends the rental although a part of the output never arrives, if the command %s",
    async (_, end, code, message) => {
      const renter = await createRenter();
      const { stream } = renter.remote.programs;
      const lying: typeof stream = (program, args, options) => {
        if (!options.input?.includes("wc -c")) return stream(program, args, options);
        const onStdout: typeof options.onStdout = (bytes) =>
          options.onStdout(Buffer.from(String(bytes).replace(/^(\d+) \d+ 0$/m, "$1 1000 0")));
        return stream(program, args, { ...options, onStdout });
      };
      const programs = { ...renter.remote.programs, stream: lying };
      const script = `echo data > model; echo here; ${end}`;
      const outcome = await renter.run(sh(script, "--fetch", "model"), { programs });
      expect(outcome).toMatchObject({ code, out: "here\n" });
      expect(outcome.err).toContain(message);
      expect(await readFile(join(renter.folder, "model"), "utf8")).toBe("data\n");
      expect(renter.remote.connections.filter(isFollow).length).toBeLessThan(15);
      expect(await renter.active()).toEqual([]);
    },
  );

  test("uses little memory if the rental floods the connection before the output", async () => {
    const renter = await createRenter();
    const { stream } = renter.remote.programs;
    const flood = Buffer.alloc(1024 * 1024, "x");
    const flooding: typeof stream = async (program, args, options) => {
      if (program === "ssh") for (let count = 0; count < 64; count += 1) await options.onStdout(flood);
      return stream(program, args, options);
    };
    const before = process.memoryUsage.rss();
    const programs = { ...renter.remote.programs, stream: flooding };
    expect(await renter.run(sh("echo up"), { programs })).toMatchObject({ code: 0, out: "up\n" });
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
  });

  test("lets the command continue if one lookup does not find the rental", async () => {
    let isStarted = false;
    let isFound = true;
    const renter = await createRenter({
      trouble: (connection) => {
        isStarted ||= isStart(connection);
        return undefined;
      },
      respond: ({ path }) => {
        if (!isStarted || !isFound || path !== "/v2/on-demand/rental") return undefined;
        isFound = false;
        return Response.json(null);
      },
    });
    const { code, err } = await renter.run(sh("echo 42 > model", "--fetch", "model"));
    expect({ code, isFound }, err).toEqual({ code: 0, isFound: false });
    expect(await readFile(join(renter.folder, "model"), "utf8")).toBe("42\n");
    expect(await renter.active()).toEqual([]);
  });

  test.each([
    ["is ended", 200, 8, []],
    ["is reported if it cannot be ended, and its lease stays", 404, 10, [{ id: 1001 }]],
  ])("a new rental that lookups do not find %s", async (_, status, code, left) => {
    let isListed = false;
    const renter = await createRenter({
      respond: ({ path }) => {
        if (isListed) return undefined;
        if (path === "/v2/on-demand/rental") return Response.json(null);
        if (status === 200) return undefined;
        return path === terminates
          ? Response.json({ code: "NOT_FOUND", message: "Not found", issues: [] }, { status })
          : undefined;
      },
    });
    const outcome = await renter.run(sh("true", "--wait-timeout", "5s"));
    isListed = true;
    expect(outcome.code, outcome.err).toBe(code);
    expect(await renter.active()).toMatchObject(left);
    expect(await renter.leases()).toHaveLength(left.length);
  });

  test.each([
    ["without a label", ({ label: _, ...record }: Readonly<Record<string, unknown>>) => record],
    [
      "with the label, although the service showed another name at first",
      (record: Readonly<Record<string, unknown>>) => record,
    ],
  ])("ends the rental if lookups return it %s", async (_, shown) => {
    const renter: Awaited<ReturnType<typeof createRenter>> = await createRenter({
      respond: async (seen) => {
        const response = await renter.sandbox.fetch(requestOf(seen));
        if (isCreate(seen)) {
          const { label: _label, ...record } = asRecord(await response.json());
          return Response.json({ ...record, name: "host-1" });
        }
        if (seen.path !== "/v2/on-demand/rental") return response;
        const record: unknown = await response.json();
        return Response.json(record === null ? null : shown(asRecord(record)));
      },
    });
    const { code, err } = await renter.run(sh("exit 3"));
    expect(code, err).toBe(3);
    expect(await renter.active()).toEqual([]);
  });

  describe("when another rental now has the ID of the job's rental", () => {
    /** Once the command of a run has started, its rental is replaced by another one with the same ID. */
    async function createReplaced() {
      let replaced = false;
      const renter = await createRenter({
        trouble: async (connection) => {
          if (!isFollow(connection) || replaced) return undefined;
          replaced = true;
          await renter.sandbox.reset();
          await renter.run("rentals create vm --gpus 1 --label prod --yes");
          return undefined;
        },
      });
      return renter;
    }

    test("does not end the other rental", async () => {
      const { run, active } = await createReplaced();
      const { code, err } = await run(sh("sleep 1; exit 3"));
      expect(code, err).toBe(10);
      expect(err).toMatch(/rental 1001 was not ended, because it no longer has the job's label gpuctl-\w+/);
      expect(err).not.toContain("rentals terminate 1001");
      expect(err, "it has not ended").not.toMatch(/rental 1001 (has )?ended/);
      expect(await active()).toMatchObject([{ id: 1001, label: "prod" }]);
    });

    test("neither uses nor ends the other rental when the job is resumed", async () => {
      const { run, active, jobs, folder, remote } = await createReplaced();
      await run(sh("sleep 1; exit 3"));
      const [{ id }] = await jobs();
      const path = join(folder, "state", "jobs", id, "job.json");
      const job = JSON.parse(await readFile(path, "utf8"));
      await writeFile(path, JSON.stringify({ ...job, phase: "starting", process: deadProcess }));
      const before = remote.connections.length;
      const { code, err } = await run(sh("sleep 1; exit 3"));
      expect(code, err).not.toBe(3);
      expect(err).toMatch(/rental 1001 does not have the job's label gpuctl-\w+, so it was left alone/);
      expect(err, "there is no second message").not.toContain("The job was not resumed");
      expect(remote.connections).toHaveLength(before);
      expect(await active()).toMatchObject([{ id: 1001, label: "prod" }]);
      expect(await jobs()).toMatchObject([{ state: "ended" }]);
    });
  });

  describe("after a run was killed and its process ID was reused", () => {
    /** A run that was killed after its rental was created. `name` is the name of its process. */
    async function createKilled(name: string) {
      const renter = await createRenter();
      await renter.run(sh("exit 4", "--detach", "--lease", "1h"));
      const [{ id }] = await renter.jobs();
      const path = join(renter.folder, "state", "jobs", id, "job.json");
      const job = JSON.parse(await readFile(path, "utf8"));
      await writeFile(path, JSON.stringify({ ...job, phase: "starting", process: name }));
      return renter;
    }

    test("resumes the job if the process that resumes it has that process ID", async () => {
      const { run } = await createKilled(processes.self);
      const { err, requests } = await run(sh("exit 4", "--detach", "--lease", "1h"));
      expect(err).toMatch(/^Resuming job/);
      expect(requests.filter(isCreate)).toEqual([]);
    });

    test.runIf(process.platform === "linux")(
      "resumes the job if another process now has the process ID",
      async () => {
        const { run } = await createKilled(reusedProcess);
        const { err, requests } = await run(sh("exit 4", "--detach", "--lease", "1h"));
        expect(err).toMatch(/^Resuming job/);
        expect(requests.filter(isCreate)).toEqual([]);
      },
    );

    test.runIf(process.platform === "linux")(
      "`rentals guard` ends the rental that the run created",
      async () => {
        const { run, active, folder } = await createKilled(reusedProcess);
        const path = join(folder, "state", "leases.jsonl");
        const [header = "", line = ""] = (await readFile(path, "utf8")).split("\n");
        const { lease } = JSON.parse(line);
        const left = { lease: { ...lease, process: reusedProcess, endsWithProcess: true } };
        await writeFile(path, `${header}\n${JSON.stringify(left)}\n`);
        const { code, err } = await run("rentals guard --once --yes");
        expect(code, err).toBe(0);
        expect(await active()).toEqual([]);
      },
    );
  });

  describe("after gpuctl was killed before it knew the rental", () => {
    test.each(["before the request", "after the request"])(
      "asks for confirmation again if gpuctl was killed %s",
      async (when) => {
        const { run, folder, jobs } = await createRenter({
          respond: ({ method, path }) =>
            method === "POST" && path !== terminates ? Response.json({}, { status: 500 }) : undefined,
        });
        await run(sh("echo ran"));
        const [{ id }] = await jobs();
        const path = join(folder, "state", "jobs", id, "job.json");
        const job = JSON.parse(await readFile(path, "utf8"));
        const rentedAt = when === "before the request" ? undefined : job.rentedAt;
        await writeFile(path, JSON.stringify({ ...job, rentedAt, process: deadProcess }));
        const asked: string[] = [];
        const confirm = async ({ message }: { readonly message: string }) => {
          asked.push(message);
          return false;
        };
        const line = sh("echo ran").filter((word) => word !== "--yes");
        const { requests, err } = await run(line, { terminal: 80, prompts: { confirm } });
        expect(asked, err).toEqual([expect.stringMatching(/^Rent a virtual machine .* an hour/)]);
        expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
      },
    );
  });

  describe("when the rental of a killed job is not listed", () => {
    /**
     * Runs a command line whose create fails, and runs it again as if the first process had been killed. Between the
     * two runs, `change` changes the text of job.json and of the lease file.
     */
    async function runTwice(
      flags: readonly string[] = [],
      change: (text: string) => string = (text) => text,
    ) {
      let failures = 1;
      const renter = await createRenter({
        respond: ({ method, path }) =>
          method === "POST" && path !== terminates && failures-- > 0
            ? Response.json({}, { status: 500 })
            : undefined,
      });
      const line = sh("exit 4", ...flags);
      await renter.run(line);
      const [{ id }] = await renter.jobs();
      const state = join(renter.folder, "state");
      for (const path of [join(state, "jobs", id, "job.json"), join(state, "leases.jsonl")]) {
        const text = await readFile(path, "utf8").catch(() => undefined);
        if (text !== undefined) await writeFile(path, change(text.replaceAll(processes.self, deadProcess)));
      }
      return { ...renter, ...(await renter.run(line)) };
    }

    test("says that `rentals guard` ends the rental if it appears later, and keeps the lease", async () => {
      const { code, err, leases } = await runTwice();
      expect(code, err).toBe(4);
      expect(err).toContain("If the rental appears later, `gpuctl rentals guard` ends it.");
      expect(await leases()).toMatchObject([{ process: deadProcess, endsWithProcess: true }]);
    });

    test("removes the lease if gpuctl was killed before it sent the request", async () => {
      const { code, err, leases } = await runTwice([], (text) => text.replace(/^ *"rentedAt": .*\n/m, ""));
      expect(code, err).toBe(4);
      expect(err).toContain("The job had not rented anything yet, so a new job starts.");
      expect(await leases()).toEqual([]);
    });

    test("prints the `rentals terminate` command for the rental if it has no lease", async () => {
      const { code, err, leases } = await runTwice(["--keep"]);
      expect(code, err).toBe(4);
      expect(err).toMatch(/If the rental appears later, end it with `gpuctl rentals terminate.*no lease/);
      expect(await leases()).toEqual([]);
    });
  });

  test("waits less than a minute if another process uses the leases when the rental has ended", async () => {
    const [locked, released] = [gate(), gate()];
    let other = Promise.resolve();
    const renter = await createRenter({
      respond: async ({ path }) => {
        if (path !== terminates) return undefined;
        other = whileLocked({ path: leaseFile(renter), ownFolder: true, processes }, () => {
          locked.open();
          return released.opened;
        });
        await locked.opened;
        return undefined;
      },
    });
    const { code, err, slept } = await renter.run(sh("exit 3"));
    expect(code, err).toBe(3);
    expect(slept.reduce((sum, one) => sum + one)).toBeLessThan(60_000);
    expect(await renter.jobs()).toMatchObject([{ state: "ended", status: 3 }]);
    released.open();
    await other;
    renter.advance(maxLease + hour);
    const guard = await renter.run("rentals guard --once --yes");
    expect([guard.code, await renter.leases()], guard.err).toEqual([0, []]);
  });

  describe("when the terminate request fails", () => {
    test("sends the request again while the rental is active", async () => {
      let failures = 2;
      const { run, active } = await createRenter({
        respond: ({ path }) =>
          path === terminates && failures-- > 0 ? Response.json({}, { status: 500 }) : undefined,
      });
      expect(await run(sh("exit 3"))).toMatchObject({ code: 3 });
      expect(await active()).toEqual([]);
    });

    test.each([429, 503])(
      "waits as long as the service asks after a %i, but at most a minute",
      async (status) => {
        const headers = [{ "retry-after": "45" }, { "retry-after": "3600" }];
        const { run, active } = await createRenter({
          respond: ({ path }) => {
            const [one] = path === terminates ? headers.splice(0, 1) : [];
            return one && Response.json({}, { status, headers: one });
          },
        });
        const { code, slept } = await run(sh("exit 3"));
        expect(code).toBe(3);
        expect(slept).toEqual(expect.arrayContaining([45_000, 60_000]));
        expect(await active()).toEqual([]);
      },
    );

    test("exits with 10, names the rental and keeps the lease if every attempt fails", async () => {
      const { run, active, leases } = await createRenter({
        respond: ({ path }) => (path === terminates ? Response.json({}, { status: 500 }) : undefined),
      });
      const { code, err } = await run(sh("exit 3", "--base-url", serviceUrl));
      expect(code).toBe(10);
      expect(err).toMatch(
        /rental 1001 may still be billed[\s\S]*`gpuctl rentals terminate 1001 --yes --base-url https:.*`/,
      );
      expect(err.match(/rentals terminate/g)).toHaveLength(1);
      expect(await active()).toMatchObject([{ id: 1001 }]);
      expect(await leases()).toMatchObject([{ rentalId: "1001" }]);
    });

    test("reports that the rental may still be billed although the output is not read", async () => {
      endTimeLimitsOf(5_000);
      const { run } = await createRenter({
        respond: ({ path }) => (path === terminates ? Response.json({}, { status: 500 }) : undefined),
      });
      const messages = { read: Readable.from([]), write: () => new Promise(() => {}) };
      const { code, err } = await run(sh("echo a; echo b"), { messages });
      expect(code, err).toBe(10);
      expect(err).toMatch(
        /^Warning: the output is not read, so gpuctl stops showing it\. All output is in \S+output\.log\.$/m,
      );
      expect(err).toContain("Error: rental 1001 may still be billed");
    });

    test.each([
      ["sends the request again", false],
      ["reports that the rental has ended, although another process ended it,", true],
    ])(
      "%s when the same command line is repeated, and does not run the command again",
      async (_, elsewhere) => {
        let fails = true;
        const renter = await createRenter({
          respond: ({ path }) =>
            path === terminates && fails ? Response.json({}, { status: 500 }) : undefined,
        });
        const line = sh("echo done; exit 3");
        expect(await renter.run(line)).toMatchObject({ code: 10, out: "done\n" });
        fails = false;
        if (elsewhere) expect((await renter.run(["rentals", "terminate", "1001", "--yes"])).code).toBe(0);
        const { code, out, err, requests } = await renter.run(line);
        expect(code, err).toBe(3);
        expect(err).toContain(
          "its command exited with status 3 and is not run again, but its rental was not ended",
        );
        expect(err).toMatch(/^Job \w+ exited with status 3 .* Rental 1001 has ended\./m);
        expect(out).toBe("");
        expect(requests.filter(({ method, path }) => method === "POST" && path !== terminates)).toEqual([]);
        expect(await renter.active()).toEqual([]);
        expect(await renter.leases()).toEqual([]);
      },
    );
  });

  describe("when the outcome of the create is unknown", () => {
    test("recognizes the rental by its label, and continues, even if bare-metal rentals cannot be listed", async () => {
      let created = false;
      const renter = await createRenter({
        respond: async (request) => {
          if (created && isList(request) && request.query.rentalType !== "virtual-machine") {
            return Response.json({}, { status: 502 });
          }
          if (request.method !== "POST" || request.path === terminates || created) return undefined;
          created = true;
          const { method, headers, path, body } = request;
          const init = {
            method,
            headers: {
              authorization: `Bearer ${renter.sandbox.keys.full}`,
              "content-type": "application/json",
            },
            body: JSON.stringify(body),
          };
          await renter.sandbox.fetch(new Request(new URL(path, "http://sandbox.localhost"), init));
          return Response.json(
            { message: "Internal server error" },
            { status: 500, headers: { "x-sent": String(headers !== undefined) } },
          );
        },
      });
      const { code, out, err } = await renter.run(sh("echo ran"));
      expect({ code, out }, err).toEqual({ code: 0, out: "ran\n" });
      expect(err).toMatch(
        /The outcome of the request was unknown, but rental 1001 has the job's label gpuctl-/,
      );
      created = false;
      expect(await renter.active()).toEqual([]);
    });

    test("exits with 10 and keeps the lease if no rental has the label of the job", async () => {
      const { run, leases } = await createRenter({
        respond: ({ method, path }) =>
          method === "POST" && path !== terminates ? Response.json({}, { status: 500 }) : undefined,
      });
      const { code } = await run(sh("echo ran"));
      expect(code).toBe(10);
      expect(await leases()).toMatchObject([{ label: expect.stringMatching(/^gpuctl-/) }]);
    });
  });

  test.each([
    ["a fraction of a GPU", { gpuCount: 1e-30 }],
    ["a count that cannot be converted to a number", { gpuCount: { valueOf: null, toString: null } }],
  ])("ends a rental without a price although another rental is listed with %s", async (_, odd) => {
    const other = { id: 5, gpuType: "h100", termType: "on-demand", costPerHourCents: 200, ...odd };
    let isOver = false;
    const renter = await createRenter({
      respond: async ({ method, path, body }) => {
        if (path.endsWith("/rental-options")) return Response.json([]);
        isOver ||= path === terminates;
        if (method === "GET" && path.endsWith("-machine-rentals") && !isOver) return Response.json([other]);
        if (method !== "POST" || isOver) return undefined;
        const headers = {
          authorization: `Bearer ${renter.sandbox.keys.full}`,
          "content-type": "application/json",
        };
        const created = await renter.sandbox.fetch(
          new Request(new URL(path, "http://sandbox.localhost"), {
            method,
            headers,
            body: JSON.stringify(body),
          }),
        );
        return Response.json({
          ...asRecord(await created.json()),
          currentTerm: undefined,
          costPerHourCents: undefined,
        });
      },
    });
    const { code, err } = await renter.run(sh("exit 3"));
    expect(code, err).toBe(3);
    expect([await renter.active(), await renter.leases()]).toEqual([[], []]);
    expect(await renter.jobs()).toMatchObject([{ state: "ended", rentalId: "1001", status: 3 }]);
  });

  describe("when it writes the files of a job", () => {
    const stuck = async (respond?: Responder) => {
      const renter = await createRenter({
        ...(respond && { respond }),
        trouble: async ({ input }) => {
          if (!input.includes("command -v rsync")) return undefined;
          const [id = ""] = await readdir(join(renter.folder, "state", "jobs"));
          const path = join(renter.folder, "state", "jobs", id, "job.json");
          await rm(path, { recursive: true });
          await mkdir(path);
          return undefined;
        },
      });
      return renter;
    };

    test("warns and continues the job if job.json cannot be written", async () => {
      const { run, active, leases, folder } = await stuck();
      const { code, err } = await run(sh("echo 42 > model; exit 0", "--fetch", "model"));
      expect(code, err).toBe(0);
      expect(err).toMatch(/Warning: cannot save .*job\.json.*gpuctl continues the job/);
      expect(await readFile(join(folder, "model"), "utf8")).toBe("42\n");
      expect([await active(), await leases()]).toEqual([[], []]);
    });

    test("says how to end the rental in case the run is killed, if job.json cannot be written", async () => {
      const { run } = await createRenter({
        respond: ({ method, path }) => {
          if (method === "POST" && path !== terminates) fillDisk("job.json");
          return undefined;
        },
      });
      const { code, err } = await run(sh("exit 0"));
      expect(code, err).toBe(0);
      expect(err).toContain("If this run is killed, end rental 1001 with `gpuctl rentals terminate 1001`.\n");
    });

    test("still exits with 10 if job.json cannot be written and the rental cannot be ended", async () => {
      const { run } = await stuck(({ path }) =>
        path === terminates ? Response.json({}, { status: 500 }) : undefined,
      );
      expect(await run(sh("true"))).toMatchObject({ code: 10 });
    });

    test("lets a jump host keep its own port and host key", async (context) => {
      skipWithout("ssh", context);
      const renter = await createRenter();
      await renter.run(sh("true", "--keep", "--lease", "1h"));
      const [{ id, rentalId }] = await renter.jobs();
      const config = join(renter.folder, "state", "jobs", id, "ssh_config");
      const optionsFor = (host: string) => runProgram("ssh", ["-G", "-F", config, host]);
      const [, host = ""] = /^Host (\S+)/m.exec(await readFile(config, "utf8")) ?? [];
      const own = [`hostkeyalias gpuctl-rental-${rentalId}`, "userknownhostsfile known_hosts"];
      const rental = await optionsFor(host);
      expect(rental.out.split("\n")).toEqual(expect.arrayContaining(own));
      const jump = await optionsFor("bastion.example.com");
      expect(jump.out).toContain("batchmode yes");
      for (const option of own) expect(jump.out).not.toContain(option);
      expect(jump.out).toMatch(/^port 22$/m);
    });

    test("writes ssh_config once, not for each connection", async () => {
      const files = new Set<bigint>();
      const renter = await createRenter({
        trouble: async () => {
          const [id = ""] = await readdir(join(renter.folder, "state", "jobs"));
          const path = join(renter.folder, "state", "jobs", id, "ssh_config");
          files.add((await stat(path, { bigint: true })).mtimeNs);
          return undefined;
        },
      });
      expect(await renter.run(sh("true"))).toMatchObject({ code: 0 });
      expect(files.size).toBe(1);
    });
  });

  describe("Ctrl-C", () => {
    const moments: readonly (readonly [string, (connection: Connection) => boolean])[] = [
      ["before the request", () => false],
      ["while the rental boots", ({ input }) => input.includes("echo none")],
      ["while the rental is prepared", ({ input }) => input.includes("command -v rsync")],
      ["during the upload", ({ program }) => program === "scp"],
      ["at the start of the command", isStart],
      ["while the command runs", isFollow],
    ];

    test.each(sample(moments, 0, 1, 3, 5))(
      "pressed %s exits with 130 and leaves no rental",
      async (when, at) => {
        const stop = new AbortController();
        if (when === "before the request") stop.abort();
        const { run, active, leases, folder } = await createRenter({
          trouble: (connection) => {
            if (at(connection)) stop.abort();
            return undefined;
          },
        });
        await mkdir(join(folder, "in"));
        const { code, err } = await run(sh("sleep 30", "--sync", "in", "--fetch", "x"), {
          answerSignal: () => stop.signal,
        });
        expect(code, err).toBe(130);
        expect([await active(), await leases()]).toEqual([[], []]);
        expect(existsSync(join(folder, "x"))).toBe(false);
      },
    );

    describe("before the request to rent", () => {
      async function expectNothingRented(
        run: () => ReturnType<Awaited<ReturnType<typeof createRenter>>["run"]>,
        { leases, jobs }: Pick<Awaited<ReturnType<typeof createRenter>>, "leases" | "jobs">,
      ) {
        const { code, err, requests } = await run();
        expect({ code, err: err.split("\n").at(-2) }).toEqual({
          code: 130,
          err: "Error: interrupted: nothing was rented",
        });
        expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
        expect(await leases()).toEqual([]);
        expect(await jobs()).toMatchObject([{ state: "ended", outcome: "nothing was rented" }]);
      }

      test("pressed while the rentals are listed, rents nothing", async () => {
        const stop = new AbortController();
        const renter = await createRenter({
          respond: (request) => {
            if (isList(request)) stop.abort();
            return undefined;
          },
        });
        await expectNothingRented(() => renter.run(sh("true"), { answerSignal: () => stop.signal }), renter);
      });

      test.each([
        ["another process rents", "rentals-create.lock", ["--max-burn", "100"]],
        ["another process changes leases", "leases.jsonl.holder.lock", []],
      ])("pressed while %s, rents nothing", async (_, name, flags) => {
        const stop = new AbortController();
        const renter = await createRenter();
        const lock = join(renter.folder, "state", name);
        await mkdir(lock, { recursive: true });
        const later = Date.now() / 1000 + 3600;
        await utimes(lock, later, later);
        const options = { answerSignal: () => stop.signal, onSleep: () => stop.abort() };
        await expectNothingRented(async () => {
          const outcome = await renter.run(sh("true", ...flags), options);
          expect(outcome.slept.length).toBeLessThan(3);
          await rm(lock, { recursive: true });
          return outcome;
        }, renter);
      });
    });

    test("stops the command before it ends the rental", async () => {
      const stop = new AbortController();
      const { run, remote } = await createRenter({
        trouble: (connection) => {
          if (isFollow(connection)) stop.abort();
          return undefined;
        },
      });
      await run(sh("trap 'echo stopped > ended; exit 1' TERM; echo $$; sleep 30 & wait"), {
        answerSignal: () => stop.signal,
      });
      expect(remote.connections.some(isStop)).toBe(true);
      expect(
        (await readdir(join(remote.home, ".gpuctl-jobs"), { recursive: true })).some((name) =>
          name.endsWith("/status"),
        ),
      ).toBe(true);
    });

    test("pressed a second time exits at once and names the rental", async () => {
      const [first, second] = [new AbortController(), new AbortController()];
      const { run, active } = await createRenter({
        trouble: (connection) => {
          if (isFollow(connection)) first.abort();
          if (isStop(connection)) second.abort();
          return undefined;
        },
      });
      const options = { answerSignal: () => first.signal, signal: second.signal };
      const { code, err } = await run(sh("sleep 30", "--base-url", serviceUrl), options);
      expect(code).toBe(130);
      expect(err).toMatch(
        /Rental 1001 may still be billed.*`gpuctl rentals terminate 1001 --yes --base-url https:.*`/,
      );
      expect(await active()).toMatchObject([{ id: 1001 }]);
    });
  });
});
