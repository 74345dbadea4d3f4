import { describe, expect, test } from "vitest";
import { Unavailable } from "../../src/core/errors.ts";
import { createCli, type Responder } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const lookup = "/v2/on-demand/rental";

const lookupReturns =
  (...records: readonly unknown[]): Responder =>
  ({ path }) =>
    path === lookup
      ? Response.json(records.length > 1 ? (records as unknown[]).shift() : records[0])
      : undefined;

const address = { host: "203.0.113.7", port: 30022, user: "ubuntu" };
const running = { id: 1, status: "Running", providerData: { sshNetworking: [address] } };

/** An ssh that exits with this status and records its command lines. */
function sshExiting(status: number) {
  const calls: (readonly string[])[] = [];
  const run = async (program: string, args: readonly string[]) => {
    calls.push([program, ...args]);
    return status;
  };
  return { calls, programs: { run } };
}

describe("rentals ssh", () => {
  test.each([0, 3, 130, 255])("exits with the exit status %i of ssh", async (status) => {
    const { run } = await createCli({ respond: lookupReturns(running) });
    const { calls, programs } = sshExiting(status);
    expect(await run("rentals ssh 1", { ...overNetwork(), programs })).toMatchObject({
      code: status,
      out: "",
      err: "",
    });
    expect(calls).toEqual([["ssh", "-p", "30022", "ubuntu@203.0.113.7"]]);
  });

  test.each([
    [["--", "ls", "-la", "/data set"]],
    [["--", "-L", "8080:localhost:8080", "-N"]],
    [["--", "--help"]],
    [["--", "--print", "-o", "json", "--dry-run", "--"]],
    [["--", "echo $HOME; rm 'x'", ""]],
  ])("passes the words after the first -- on unchanged: %j", async (words) => {
    const { run } = await createCli({ respond: lookupReturns(running) });
    const { calls, programs } = sshExiting(0);
    await run(["rentals", "ssh", "1", ...words], { ...overNetwork(), programs });
    expect(calls).toEqual([["ssh", "-p", "30022", "ubuntu@203.0.113.7", ...words.slice(1)]]);
  });

  test.each([
    ["rentals ssh 1 echo -q hi", "it is not clear whether -q is for gpuctl or for the command"],
    ["rentals ssh 1 echo hi -o json", "it is not clear whether -o is for gpuctl or for the command"],
    ["rentals ssh 1 ls --help", "it is not clear whether --help is for gpuctl or for the command"],
    ["rentals ssh 1 ls -q -- x", "it is not clear whether -q is for gpuctl or for the command"],
    ["rentals ssh 1 python3 --version", "it is not clear whether --version is for gpuctl or for the command"],
    ["rentals ssh 1 ls -l", "unknown flag '-l'"],
    [
      "rentals run --gpus 1 echo --label x",
      "it is not clear whether --label is for gpuctl or for the command",
    ],
  ])("%s is refused, because a flag of the command must follow --", async (line, problem) => {
    const { run } = await createCli({ respond: lookupReturns(running) });
    const { calls, programs } = sshExiting(0);
    const { code, err, requests } = await run(line, { ...overNetwork(), programs });
    expect({ code, requests, calls }).toEqual({ code: 2, requests: [], calls: [] });
    expect(err).toContain(problem);
    expect(err).toContain("--");
  });

  test.each(["rentals ssh -q 1 echo hi", "rentals ssh 1 -q echo hi", "rentals ssh -q 1 -- echo hi"])(
    "%s runs the command",
    async (line) => {
      const { run } = await createCli({ respond: lookupReturns(running) });
      const { calls, programs } = sshExiting(0);
      await run(line, { ...overNetwork(), programs });
      expect(calls).toEqual([["ssh", "-p", "30022", "ubuntu@203.0.113.7", "echo", "hi"]]);
    },
  );

  test("runs the command even if the environment or the profile sets another format", async () => {
    const { run } = await createCli({ respond: lookupReturns(running) });
    const { calls, programs } = sshExiting(42);
    const { env } = overNetwork();
    await run("config set output json");
    for (const output of ["", "id"]) {
      const options = { env: { ...env, GPUCTL_OUTPUT: output }, programs };
      expect(await run("rentals ssh 1 -- false", options)).toMatchObject({ code: 42, out: "" });
    }
    expect(calls).toHaveLength(2);
  });

  test("--print prints the command line and runs nothing", async () => {
    const { run } = await createCli({ respond: lookupReturns(running) });
    const { out } = await run(["rentals", "ssh", "1", "--print", "--sandbox", "--", "ls", "a b", "it's"]);
    expect(out).toBe("ssh -p 30022 ubuntu@203.0.113.7 ls 'a b' 'it'\\''s'\n");
  });

  test("-o json shows the address and runs nothing", async () => {
    const { run } = await createCli({ respond: lookupReturns(running) });
    const { code, out } = await run("rentals ssh 1 -o json --sandbox");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ ...address, command: "ssh -p 30022 ubuntu@203.0.113.7" });
  });

  test("--dry-run sends nothing, and shows the lookup and the ssh command line that would follow", async () => {
    const { run } = await createCli();
    const { code, out, err, requests } = await run("rentals ssh 1001 --dry-run --sandbox -- uptime");
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(out).toContain("GET http://sandbox.localhost/v2/on-demand/rental?rentalId=1001");
    expect(err).toBe("After this request, gpuctl would run: ssh -p PORT USER@HOST uptime\n");
  });

  test("connects to the first of several nodes, and says how to select another node", async () => {
    const nodes = [address, { ...address, host: "203.0.113.8" }];
    const { run } = await createCli({
      respond: lookupReturns({ ...running, providerData: { sshNetworking: nodes } }),
    });
    const { calls, programs } = sshExiting(0);
    const first = await run("rentals ssh 1", { ...overNetwork(), programs });
    expect(first.err).toMatch(/2 nodes.*--node N/);
    const second = await run("rentals ssh 1 --node 2", { ...overNetwork(), programs });
    expect(second.err).toBe("");
    expect(calls.map((call) => call.at(-1))).toEqual(["ubuntu@203.0.113.7", "ubuntu@203.0.113.8"]);
    const third = await run("rentals ssh 1 --node 3", { ...overNetwork(), programs });
    expect(third).toMatchObject({ code: 2, out: "" });
    expect(third.err).toContain("--node must be at most 2");
  });

  test.each(["0", "1.5", "first"])("--node %s is rejected before anything is sent", async (node) => {
    const { run } = await createCli();
    const outcome = await run(`rentals ssh 1 --node ${node} --sandbox`);
    expect(outcome).toMatchObject({ code: 2, out: "", requests: [] });
    expect(outcome.err).toContain("--node");
  });

  test.each([
    [null, 5, "rental 1 not found"],
    [{ id: 1, status: "Pending" }, 8, "not ready yet"],
    [{ id: 1, state: "active", status: "Pending", providerData: null }, 8, "not ready yet"],
    [{ id: 1 }, 8, "not ready yet"],
    [{ id: 1, status: "Failed" }, 7, "may still be billed"],
    [{ id: 1, status: "Running" }, 7, "no address"],
    [{ ...running, status: "Terminated" }, 5, "has ended"],
    [
      { id: 1, status: "Running", providerData: { sshNetworking: [{ host: "-oProxyCommand=x" }] } },
      7,
      "no address",
    ],
  ])("runs no ssh for the record %j and exits with %i", async (record, code, message) => {
    const { run } = await createCli({ respond: lookupReturns(record) });
    const { calls, programs } = sshExiting(0);
    const outcome = await run("rentals ssh 1", { ...overNetwork(), programs });
    expect(outcome).toMatchObject({ code, out: "" });
    expect(outcome.err).toContain(message);
    expect(calls).toEqual([]);
  });

  test("fails with a retryable error if the rental is not ready", async () => {
    const { run } = await createCli({ respond: lookupReturns({ id: 1, status: "Pending" }) });
    const { err } = await run("rentals ssh 1 -o json --sandbox");
    expect(JSON.parse(err).error).toMatchObject({ code: "NOT_READY", exitCode: 8, retryable: true });
  });

  test("--wait polls until the rental has an address", async () => {
    const { run } = await createCli();
    await run("rentals create vm --gpus 1 --sandbox --yes");
    const { calls, programs } = sshExiting(0);
    const outcome = await run("rentals ssh 1001 --wait", {
      ...overNetwork({ GPUCTL_API_KEY: "gpuctl-sandbox-full" }),
      programs,
    });
    expect(outcome).toMatchObject({ code: 0, slept: [1000, 2000] });
    expect(calls).toHaveLength(1);
  });

  describe("--wait", () => {
    /** An ssh whose attempts to connect print these texts, one after another, and then nothing. */
    function sshPrinting(...texts: readonly string[]) {
      const left = [...texts];
      const probes: (readonly string[])[] = [];
      const ssh = sshExiting(0);
      const programs = {
        ...ssh.programs,
        which: async () => "/usr/bin/ssh",
        runQuietly: async (_program: string, args: readonly string[]) => {
          probes.push(args);
          const stderr = left.shift();
          return stderr === undefined ? { status: 0, stderr: "" } : { status: 255, stderr };
        },
      };
      return { calls: ssh.calls, probes, programs };
    }
    const silent = "Connection to 203.0.113.7 port 30022 timed out\r\n";
    const throughJump =
      "channel 0: open failed: connect failed: Connection refused\r\nstdio forwarding failed\r\nConnection closed by UNKNOWN port 65535";
    const refused = "ssh: connect to host 203.0.113.7 port 30022: Connection refused\r\n";

    test("tries again until the ssh server responds, and passes only the connection options to these attempts", async () => {
      const { run } = await createCli({ respond: lookupReturns(running) });
      const { calls, probes, programs } = sshPrinting(refused, silent, throughJump);
      const line = "rentals ssh 1 --wait -- -i key -N -L 1:2:3 -J bastion nvidia-smi -L";
      expect(await run(line, { ...overNetwork(), programs })).toMatchObject({
        code: 0,
        slept: [2000, 2000, 2000],
      });
      expect(calls).toEqual([
        ["ssh", ..."-p 30022 ubuntu@203.0.113.7 -i key -N -L 1:2:3 -J bastion nvidia-smi -L".split(" ")],
      ]);
      expect(probes).toHaveLength(4);
      expect(probes[0]?.slice(-8)).toEqual("-p 30022 ubuntu@203.0.113.7 -i key -J bastion true".split(" "));
    });

    test.each([
      "ubuntu@203.0.113.7: Permission denied (publickey).",
      "Host key verification failed.",
      "Bad configuration option: foo",
      "ssh: Could not resolve hostname bastion: Name or service not known\r\nkex_exchange_identification: Connection closed by remote host\r\nConnection closed by UNKNOWN port 65535",
      "kex_exchange_identification: Connection closed by remote host\r\nConnection closed by UNKNOWN port 65535",
    ])("leaves other problems to ssh itself: %s", async (text) => {
      const { run } = await createCli({ respond: lookupReturns(running) });
      const { calls, programs } = sshPrinting(text);
      expect(await run("rentals ssh 1 --wait", { ...overNetwork(), programs })).toMatchObject({
        code: 0,
        slept: [],
      });
      expect(calls).toHaveLength(1);
    });

    test("exits with 8 if the ssh server does not respond in time", async () => {
      const { run } = await createCli({ respond: lookupReturns(running) });
      const { calls, programs } = sshPrinting(...Array(9).fill(refused));
      const { code, err } = await run("rentals ssh 1 --wait --wait-timeout 5s --print", {
        ...overNetwork(),
        programs,
      });
      expect(code).toBe(8);
      expect(err).toContain("the ssh server of rental 1 did not respond in time: ssh: connect to host");
      expect(calls).toEqual([]);
    });
  });

  test("--wait times out if the rental is never ready", async () => {
    const { run } = await createCli({ respond: lookupReturns({ id: 1, status: "Pending" }) });
    const outcome = await run("rentals ssh 1 --wait --wait-timeout 8s --print --sandbox");
    expect(outcome).toMatchObject({ code: 8, slept: [1000, 2000, 4000, 1000] });
    expect(outcome.err).toContain("is still billed");
  });

  test("says that ssh is missing and what to do about it", async () => {
    const { run } = await createCli({ respond: lookupReturns(running) });
    const missing = async () => {
      throw new Unavailable("ssh cannot be started (ENOENT)", "It has to be installed.");
    };
    const outcome = await run("rentals ssh 1", { ...overNetwork(), programs: { run: missing } });
    expect(outcome).toMatchObject({
      code: 2,
      err: "Error: ssh cannot be started (ENOENT)\nIt has to be installed.\n",
    });
  });
});

test("rentals ssh --sandbox says what to install if there is no sshd", async () => {
  const { run } = await createCli({ respond: lookupReturns(running) });
  const { calls, programs } = sshExiting(0);
  const { code, err } = await run("rentals ssh 1 --sandbox", { programs });
  expect({ code, calls }).toEqual({ code: 2, calls: [] });
  expect(err).toBe(
    "Error: the machines of the sandbox need sshd, which is not installed\n" +
      "Install the OpenSSH server: apt-get install openssh-server, dnf install openssh-server, or apk add openssh-server.\n",
  );
});
