import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { addProgram, createHome, firstChunk, gpuctl, runProgram } from "../support/process.ts";
import { needs, pathOf, skipWithout } from "../support/programs.ts";
import { sample, thorough } from "../support/thorough.ts";

/** A sandbox with machines that another process serves, and a running rental in it. */
async function serveMachines() {
  const home = await createHome();
  const serving = home.start("sandbox serve --machines --port 0 -o json");
  const { url, apiKey, identityFile } = JSON.parse(await firstChunk(serving.stdout));
  const send = async (path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${apiKey}` };
    const response = await fetch(url + path, {
      headers,
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    return Object(await response.json());
  };
  await send("/v2/on-demand/virtual-machine-rentals", { gpuCount: 1 });
  await send("/_sandbox/clock/advance", { seconds: 2 });
  const { providerData } = await send("/v2/on-demand/rental?rentalId=1001");
  const [{ host, port, user }] = providerData.sshNetworking;
  const options = [
    ...["-F", "none", "-i", String(identityFile), "-o", "StrictHostKeyChecking=accept-new"],
    ...["-o", `UserKnownHostsFile=${join(home.folder, "known_hosts")}`, "-o", "LogLevel=ERROR"],
  ];
  const ssh = (command: string) =>
    runProgram("ssh", [...options, "-p", String(port), `${user}@${host}`, command]);
  return { ...home, serving, port: Number(port), target: `${user}@${host}`, options, ssh };
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    socket.once("error", () => resolve(false)).once("connect", () => resolve(true));
    socket.once("connect", () => socket.destroy());
  });

/** Whether a process runs. A zombie does not count as running. */
const isAlive = (pid: string): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

/** The children of a process, and their descendants. */
function descendantsOf(parent: number | undefined): readonly string[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  const childrenOf = (pid: string): readonly string[] =>
    rows.flatMap(([child = "", of]) => (of === pid ? [child, ...childrenOf(child)] : []));
  return childrenOf(String(parent));
}

/** The folders of the machines in a home. Each rental with a machine has one. */
async function machinesIn(home: string): Promise<readonly string[]> {
  const folder = join(home, "state", "sandbox-machines");
  return (await readdir(folder)).filter((name) => /^\d/.test(name)).map((name) => join(folder, name));
}

const signals = ["SIGKILL", "SIGTERM", "SIGHUP"] as const;

const isRoot = process.geteuid?.() === 0;

describe.skipIf(process.platform === "win32")("the keys of machines", () => {
  needs("sshd");
  needs("ssh");

  test.runIf(thorough)(
    "are shared by processes that create them at the same time, and by a process that starts after another one was killed",
    async () => {
      const { folder, run } = await createHome();
      // This `ssh-keygen` creates the public key of a pair a second after the private key.
      await addProgram(
        folder,
        "ssh-keygen",
        `for file; do :; done
${pathOf("ssh-keygen")} "$@" || exit
[ "$2" = -t ] && mv "$file.pub" "$file.late" && sleep 1 && mv "$file.late" "$file.pub"
exit 0`,
      );
      const line = "rentals run --gpus 1 --sandbox --yes -- echo up";
      for (const { code, err } of await Promise.all([run(line), run(line)])) expect(code, err).toBe(0);
      const key = join(folder, "state", "sandbox-machines", "id_ed25519");
      const publicKey = await readFile(`${key}.pub`, "utf8");
      // As if a process had been killed before it created the public key.
      await rm(`${key}.pub`);
      const { code, err } = await run(line);
      expect(code, err).toBe(0);
      expect(await readFile(`${key}.pub`, "utf8")).toBe(publicKey);
    },
  );
});

describe.skipIf(process.platform !== "linux")("machines of a served sandbox", () => {
  needs("sshd");
  needs("ssh");

  test("scp, sftp, rsync and a forwarded port reach a rental", async (context) => {
    skipWithout("rsync", context);
    const { folder, port, target, options, ssh } = await serveMachines();
    const file = join(folder, "a file");
    await writeFile(file, "data");
    const scp = await runProgram("scp", [...options, "-P", String(port), file, `${target}:copied`]);
    const rsync = await runProgram("rsync", [
      ...["-a", "-e", ["ssh", ...options, "-p", port].map((word) => `'${word}'`).join(" ")],
      ...[file, `${target}:synced/`],
    ]);
    const sftp = await runProgram("sftp", [...options, "-P", String(port), "-b", "-", target], {
      input: `put "${file}" put\n`,
    });
    expect([scp, rsync, sftp].map(({ code, err }) => ({ code, err }))).toEqual(
      Array(3).fill({ code: 0, err: "" }),
    );
    expect((await ssh("cat copied 'synced/a file' put")).out).toBe("datadatadata");
    const server = createServer((socket) => socket.end("forwarded"));
    onTestFinished(() => void server.close());
    const listening = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve(Object(server.address()).port));
    });
    const forward = ["-p", String(port), "-W", `127.0.0.1:${listening}`, target];
    expect((await runProgram("ssh", [...options, ...forward])).out).toBe("forwarded");
  });

  test.each(sample(signals, 0))("%s to sandbox serve leaves no process and no open port", async (signal) => {
    const { folder, serving, port, ssh } = await serveMachines();
    const [background = ""] = (
      await ssh("setsid sleep 600 < /dev/null > /dev/null 2>&1 & echo $!")
    ).out.split("\n");
    const session = ssh("echo $$ > pid; sleep 600");
    const [machine = ""] = await machinesIn(folder);
    const pidFile = join(machine, "1", "home", "pid");
    await expect
      .poll(() => existsSync(pidFile) && readFileSync(pidFile, "utf8"), { timeout: 30_000 })
      .toMatch(/\d\n/);
    const processes = [background, readFileSync(pidFile, "utf8").trim(), ...descendantsOf(serving.pid)];
    expect(processes.filter(isAlive)).toEqual(processes);
    serving.kill(signal);
    const { stderr } = await serving;
    if (signal !== "SIGKILL")
      expect(stderr).toContain(
        "OpenSSH servers on this computer. Anyone who logs in runs programs here as you.",
      );
    expect((await session).code).not.toBe(0);
    expect(await isOpen(port)).toBe(false);
    await expect.poll(() => processes.filter(isAlive), { timeout: 30_000 }).toEqual([]);
  });

  test("a machine keeps its home, its host key and its port when the sandbox is served again, and another process can terminate its rental", async () => {
    const { folder, serving, port, run, shell, ssh } = await serveMachines();
    await ssh("echo kept > file");
    serving.kill("SIGKILL");
    await serving;
    const again = shell("gpuctl sandbox serve --machines --port 0 -o json");
    await again.firstOutput;
    // ssh would reject another host key.
    expect(await ssh("cat file")).toMatchObject({ out: "kept\n", err: "" });
    const [machine = ""] = await machinesIn(folder);
    // Without a command, `rentals ssh` warns that the machine is the user's own computer.
    const shellThere = await run("rentals ssh 1001 --sandbox -- -F none");
    expect(shellThere.err).toContain("rental 1001 is your own computer");
    await run("rentals terminate 1001 --yes --sandbox");
    expect(existsSync(machine)).toBe(false);
    await expect.poll(() => isOpen(port), { timeout: 30_000 }).toBe(false);
    again.interrupt();
    expect((await again.ended).code).toBe(0);
  });

  // Only root can become another user. CI runs as root.
  test.runIf(isRoot)("another user of the computer is not let in, even with the key", async (context) => {
    skipWithout("setpriv", context);
    const { options, port, target } = await serveMachines();
    const folder = await mkdtemp(join(tmpdir(), "gpuctl-other-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const key = join(folder, "key");
    await writeFile(key, readFileSync(options[3] ?? ""), { mode: 0o600 });
    const args = [
      "-F",
      "none",
      "-i",
      key,
      "-o",
      "StrictHostKeyChecking=no",
      "-o",
      "UserKnownHostsFile=/dev/null",
    ];
    const asOther = ["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"];
    execFileSync("chown", ["-R", "65534", folder]);
    // An IPv6 socket can connect to an IPv4 address, too.
    for (const to of [target, target.replace("127.0.0.1", "::ffff:127.0.0.1")]) {
      const line = ["ssh", ...args, "-p", String(port), to, "echo in"];
      const { code, err } = await runProgram("setpriv", [...asOther, ...line]);
      // What ssh says depends on how soon the connection is closed.
      const refused = expect.stringMatching(/closed by|Connection reset by/);
      expect({ to, code, err }).toMatchObject({ to, code: 255, err: refused });
    }
  });

  const [, found] =
    /^([^:\n]+):[^:\n]*:[1-9]\d*:[^\n]*\/(?:ba|da|z)?sh$/m.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  // Tests that do not run as root run as an ordinary user anyway. For root, `.ci/programs` creates an ordinary user.
  const hasOrdinary = found !== undefined || process.env.GPUCTL_TEST_REQUIRE === "1";
  test.runIf(isRoot && hasOrdinary)("an ordinary user has machines, too", async () => {
    const ordinary = found ?? "";
    expect(ordinary, "a user with a login shell").not.toBe("");
    const home = await createHome();
    await chmod(home.folder, 0o755);
    execFileSync("chown", ["-R", ordinary, home.folder]);
    const run = (words: readonly string[]) =>
      home.run(words, {
        command: ["runuser", "-u", ordinary, "--", ...gpuctl],
        env: { XDG_CACHE_HOME: join(home.folder, "cache"), SHELL: "/bin/sh" },
      });
    await run(["rentals", "create", "vm", "--gpus", "1", "--wait", "--yes", "--sandbox"]);
    const { code, out } = await run([
      "rentals",
      "ssh",
      "1001",
      "--sandbox",
      "--",
      "-F",
      "none",
      "id -un; pwd",
    ]);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(new RegExp(`^${ordinary}\n${home.folder}`)),
    });
  });

  test.runIf(thorough)("Ansible reaches a rental", async (context) => {
    skipWithout("ansible", context);
    const { folder, port, target, options } = await serveMachines();
    const [user, host] = target.split("@");
    const inventory = `rental ansible_host=${host} ansible_port=${port} ansible_user=${user}\n`;
    await writeFile(join(folder, "hosts"), inventory);
    const { code, out } = await runProgram("ansible", ["-i", join(folder, "hosts"), "all", "-m", "ping"], {
      env: {
        PATH: process.env.PATH ?? "",
        HOME: folder,
        ANSIBLE_SSH_ARGS: options.join(" "),
      },
    });
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('"ping": "pong"') });
  });
});
