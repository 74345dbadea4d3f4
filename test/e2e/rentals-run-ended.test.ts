import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { addProgram, createHome, type Environment, firstChunk, type Home } from "../support/process.ts";
import { needs, pathOf } from "../support/programs.ts";
import { sample } from "../support/thorough.ts";

/** A job with input and results. Its results say how often it ran. */
const script = `echo start >> ran
cat data.txt
mkdir -p results
echo problem >&2
for step in 1 2 3; do echo step $step; sleep 0.2; done
cat ran > results/ran
exit 3
`;
const output = "hello\nstep 1\nstep 2\nstep 3\n";

const line = "rentals run --gpus 1 --sync project --fetch results --yes -- sh train.sh";

type Signal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGKILL";

/** When gpuctl gets a signal: before or after the service handles a request, or at a connection to the rental. */
type Moment =
  | { readonly request: RegExp; readonly handled: boolean }
  /** The nth start of ssh or rsync. The ssh that rsync starts does not count. */
  | { readonly connection: number };

const create = /^POST .*[-/]rentals$/;
const terminate = /^POST .*\/terminate$/;

const moments: Readonly<Record<string, Moment>> = {
  "before it rents": { request: /openapi/, handled: true },
  "when it sends the request to rent": { request: create, handled: false },
  "when the rental was created and the response is on its way": { request: create, handled: true },
  "when it waits for the rental": { request: /rental\?rentalId=/, handled: true },
  "at the first connection": { connection: 1 },
  "when it creates the working folder": { connection: 2 },
  "at the upload": { connection: 3 },
  "at the start of the command": { connection: 4 },
  "while the command runs": { connection: 5 },
  "when it looks up the exit status": { connection: 6 },
  "before the download": { connection: 7 },
  "when it looks for the results": { connection: 8 },
  "at the download": { connection: 9 },
  "when it sends the request to end the rental": { request: terminate, handled: false },
  "when the rental has ended and the response is on its way": { request: terminate, handled: true },
};

const textOf = async (request: IncomingMessage): Promise<string> =>
  Buffer.concat(await request.toArray()).toString();

/**
 * A server that passes requests on. It calls `at` before and after each request, and disconnects if `at` returns
 * false.
 */
async function createProxy(
  target: string,
  at: (request: string, handled: boolean) => boolean,
): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = await textOf(request);
    if (!at(`${method} ${url}`, false)) return request.socket.destroy();
    const { authorization = "" } = headers;
    const handled = await fetch(target + url, {
      method,
      headers: { authorization, "content-type": "application/json" },
      ...(body !== "" && { body }),
    });
    const answer = await handled.text();
    if (!at(`${method} ${url}`, true)) return request.socket.destroy();
    return response.writeHead(handled.status, { "content-type": "application/json" }).end(answer);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close().closeAllConnections());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

interface Signalled {
  readonly home: Home;
  /** Runs gpuctl. The first run that reaches the moment gets the signal. */
  readonly run: (line: string) => Promise<{ code: number | undefined; out: string; err: string }>;
  /** Arms the signal at a request. Needed only after `isArmed: false`. */
  readonly arm: () => void;
}

/** A home with a project, and a served sandbox with machines. At `moment`, gpuctl gets `signal`. */
async function createSignalled(
  moment: Moment,
  signal: Signal,
  { isArmed } = { isArmed: true },
): Promise<Signalled> {
  const home = await createHome();
  const project = join(home.folder, "project");
  await mkdir(project);
  await writeFile(join(project, "data.txt"), "hello\n");
  await writeFile(join(project, "train.sh"), script);
  // Rentals boot immediately.
  expect(await home.run("sandbox boot add --outcome slow --after 0s --sandbox")).toMatchObject({ code: 0 });
  const served = await firstChunk(home.start("sandbox serve --machines --port 0 -o json").stdout);
  const { url, apiKey, identityFile } = JSON.parse(served);
  await Promise.all(
    ["ssh", "rsync"].map((program) =>
      addProgram(
        home.folder,
        program,
        `if [ -z "$COUNTED" ]; then
  echo >> "${home.folder}/connections"
  [ "$(wc -l < "${home.folder}/connections")" -eq ${"connection" in moment ? moment.connection : 0} ] &&
    kill -${signal.slice(3)} $PPID
fi
COUNTED=1 exec ${pathOf(program)} ${program === "ssh" ? `-i '${identityFile}'` : ""} "$@"`,
      ),
    ),
  );
  let pending = "request" in moment && isArmed ? moment : undefined;
  let running: ReturnType<Home["start"]> | undefined;
  const proxy = await createProxy(url, (request, handled) => {
    if (!pending?.request.test(request) || pending.handled !== handled) return true;
    pending = undefined;
    running?.kill(signal);
    return signal !== "SIGKILL";
  });
  const env: Environment = { GPUCTL_BASE_URL: proxy, GPUCTL_API_KEY: apiKey };
  return {
    home,
    arm: () => {
      pending = "request" in moment ? moment : undefined;
    },
    run: async (words) => {
      running = home.start(words, env);
      const { exitCode, stdout, stderr } = await running;
      return { code: exitCode, out: stdout === "" ? "" : `${stdout}\n`, err: stderr };
    },
  };
}

async function expectNothingLeft({ run }: Signalled): Promise<void> {
  for (const list of ["rentals list -o json", "rentals lease list -o json"]) {
    expect({ list, out: JSON.parse((await run(list)).out) }).toEqual({ list, out: [] });
  }
}

const names = Object.keys(moments);
const at = (name: string): Moment => moments[name] ?? { connection: 0 };

describe.skipIf(process.platform === "win32")("rentals run", () => {
  needs("ssh");
  needs("sshd");
  needs("rsync");

  const signals = (["SIGINT", "SIGTERM", "SIGHUP"] as const).flatMap((signal) =>
    names.map((name) => [signal, name] as const),
  );

  test.each(sample(signals, 2, 23))("leaves no rental after %s %s", async (signal, name) => {
    const signalled = await createSignalled(at(name), signal);
    const { code, err } = await signalled.run(line);
    const isEnding = /end the rental|has ended/.test(name);
    expect(code, err).toBe(isEnding ? 3 : 130);
    expect(err).toMatch(name === "before it rents" ? /interrupted/ : /Rental 1001 has ended/);
    await expectNothingLeft(signalled);
  });

  test("Ctrl-C while `jobs attach` looks up the rental of a job leaves no rental", async () => {
    const lookup = { request: /rental\?rentalId=/, handled: true };
    const signalled = await createSignalled(lookup, "SIGINT", { isArmed: false });
    const { run, arm, home } = signalled;
    const started = await run(line.replace("--sync", "--detach --lease 1h --sync"));
    expect(started.code, started.err).toBe(0);
    const jobs = join(home.folder, "state", "jobs");
    const [id = ""] = await readdir(jobs);
    const path = join(jobs, id, "job.json");
    const job = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...job, plan: { ...job.plan, detached: false } }));
    arm();
    const { code, err } = await run("rentals jobs attach");
    expect(code, err).toBe(130);
    expect(err).toContain("Rental 1001 has ended");
    await expectNothingLeft(signalled);
  });

  test.each(sample(names, 2))(
    "after kill -9 %s, the guard ends or reports everything that is left",
    async (name) => {
      const signalled = await createSignalled(at(name), "SIGKILL");
      expect((await signalled.run(line)).code).toBeUndefined();
      const guard = await signalled.run("rentals guard --once --yes");
      if (name === "when it sends the request to rent") {
        // The request did not arrive, but the guard cannot know that.
        expect(guard.code, guard.err).toBe(10);
        expect(guard.err).toMatch(
          /the outcome of `rentals run` is unknown\. In this account, none of the active rentals without a lease/,
        );
        expect((await signalled.run("rentals list -o json")).out).toBe("[]\n");
        return;
      }
      expect(guard.code, guard.err).toBe(0);
      await expectNothingLeft(signalled);
    },
  );

  test.each(sample(names, 2))("after kill -9 %s, the same command line completes the job", async (name) => {
    const signalled = await createSignalled(at(name), "SIGKILL");
    const killed = await signalled.run(line);
    const resumed = await signalled.run(line);
    expect(resumed.code, resumed.err).toBe(3);
    const isNew = ["before it rents", "when it sends the request to rent"].includes(name);
    if (name !== "before it rents") expect(resumed.err).toMatch(/^Resuming job/m);
    expect(`${killed.err}\n${resumed.err}`).toMatch(/^problem$/m);
    expect(resumed.err).toMatch(/^Job \w+ exited with status 3 .* It cost about \$0\.0\d, an estimate/m);
    expect(killed.out + resumed.out).toBe(output);
    expect(await readFile(join(signalled.home.folder, "results", "ran"), "utf8")).toBe("start\n");
    if (isNew) expect((await signalled.run("rentals list -o json")).out).toBe("[]\n");
    else await expectNothingLeft(signalled);
  });
});
