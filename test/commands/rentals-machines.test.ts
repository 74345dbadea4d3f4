import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createConnection } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { type Cli, createCli } from "../support/cli.ts";
import { needs } from "../support/programs.ts";
import { sample } from "../support/thorough.ts";
import { words } from "../support/words.ts";

const run = promisify(execFile);
const bootMs = 2000;

/** A CLI whose sandbox has machines, and an ssh that ignores the user's configuration. */
async function withMachines() {
  const cli = await createCli({
    environment: { PATH: process.env.PATH ?? "", GPUCTL_API_KEY: "secret-key" },
  });
  const said: string[] = [];
  const programs = {
    run: async (_ssh: string, args: readonly string[]) => {
      const ssh = run("ssh", ["-F", "none", ...args]);
      ssh.child.stdin?.end();
      const { stdout, stderr, code } = await ssh.catch((error: unknown) => Object(error));
      said.push(`${stdout}${stderr}`);
      return Number(code ?? 0);
    },
  };
  /** What ssh prints for a command on a rental, or gpuctl's stderr if ssh is not started. */
  const on = async (rental: string, command: string): Promise<string> => {
    const { err } = await cli.run(["rentals", "ssh", ...words(rental), "--sandbox", "--", command], {
      programs,
    });
    return said.pop() ?? err;
  };
  const rent = async (flags = "vm --gpus 1") => {
    const { out } = await cli.run(`rentals create ${flags} -y -o id --sandbox`);
    return out.trim();
  };
  return { ...cli, programs, on, rent };
}

/** The port at which a rental listens for SSH, according to its record. */
async function portOf({ run }: Pick<Cli, "run">, rental: string): Promise<number> {
  const { out } = await run(`rentals get ${rental} -o json --sandbox`);
  return JSON.parse(out).providerData.sshNetworking[0].port;
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

describe("machines of the sandbox", () => {
  needs("sshd");
  needs("ssh");

  test("run the command of `rentals ssh` in a new home folder, without gpuctl's environment variables", async () => {
    const { programs, on, rent, run } = await withMachines();
    const rental = await rent();
    const outcome = await run(["rentals", "ssh", rental, "--wait", "--sandbox", "--", "exit 3"], {
      programs,
    });
    expect(outcome).toMatchObject({ code: 3, err: "" });
    const home = (await on(rental, "pwd")).trim();
    expect(statSync(home).mode & 0o777).toBe(0o700);
    const variables = await on(rental, "env");
    expect(variables).toContain(`HOME=${home}\n`);
    expect(variables).toContain(`USER=${userInfo().username}\n`);
    expect(variables).not.toMatch(/GPUCTL_API_KEY|secret-key|SSH_ORIGINAL_COMMAND/);
    await on(rental, "echo kept > 'a file'");
    expect(await on(rental, "cat 'a file'")).toBe("kept\n");
  });

  test("accept only the SSH keys of the rental, if it has any", async () => {
    const { folder, on, rent, run } = await withMachines();
    const key = join(folder, "key");
    await promisify(execFile)("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    expect((await run(`ssh-keys add ${key}.pub --sandbox`)).code).toBe(0);
    const rental = await rent("vm --gpus 1 --ssh-public-key-ids 1");
    await rent();
    expect(await on(`${rental} --wait`, "echo in")).toContain("Permission denied (publickey)");
    const { programs } = await withMachines();
    expect(
      await run(["rentals", "ssh", rental, "--sandbox", "--", "-i", key, "test $HOME = $PWD"], { programs }),
    ).toMatchObject({ code: 0 });
  });

  const ends = {
    "rentals terminate": "rentals terminate 1001 --yes --sandbox",
    "the end of the reserved term": "sandbox clock advance 2d --sandbox",
    "a reset": "sandbox reset --yes --sandbox",
  };
  test.each(sample(Object.entries(ends), 1))(
    "end after %s, and so do their programs; their home folders are deleted",
    async (_name, line) => {
      const cli = await withMachines();
      await cli.rent("vm --gpus 1 --term-type reserved --days 1 --no-convert-to-on-demand-on-expiry");
      const home = (await cli.on("1001 --wait", "pwd")).trim();
      const pid = (
        await cli.on("1001", "mkdir -m 500 locked; setsid sleep 600 < /dev/null > /dev/null 2>&1 & echo $!")
      ).trim();
      const port = await portOf(cli, "1001");
      expect(await isOpen(port)).toBe(true);
      expect((await cli.run(line)).code).toBe(0);
      await cli.run("rentals list --sandbox");
      expect(existsSync(home)).toBe(false);
      expect(await isOpen(port)).toBe(false);
      if (process.platform === "linux") {
        await expect.poll(() => existsSync(`/proc/${pid}/exe`), { timeout: 10_000 }).toBe(false);
      }
    },
  );

  test("have a home folder for each node of a bare-metal rental", async () => {
    const { advance, on, rent } = await withMachines();
    await rent("bare-metal --gpus 16 --network-type ethernet");
    advance(2 * bootMs);
    const homes = [await on("1001", "pwd"), await on("1001 --node 2", "pwd")];
    expect(homes[0]).not.toContain("127.0.0.1");
    expect(new Set(homes).size).toBe(2);
  });

  test("are limited in number, and the error names the limit if a rental needs more", async () => {
    const { on, rent, advance } = await withMachines();
    await rent("bare-metal --gpus 808 --network-type ethernet --no-validate");
    advance(2 * bootMs);
    expect(await on("1001", "pwd")).toContain(
      "the machines of rental 1001 cannot be started: the rental needs 101 machines; at most 100 can run at once, and 0 are running",
    );
  });

  test("do not exist for a rental whose SSH address comes from a seed", async () => {
    const { run, sandbox, advance } = await withMachines();
    await sandbox.seed(
      "rentals: [{ rentalType: virtual-machine, gpuCount: 1, sshNetworking: [{ host: gpu.example, port: 2222, user: ada }] }]",
    );
    advance(bootMs);
    const calls: (readonly string[])[] = [];
    const programs = { run: async (_ssh: string, args: readonly string[]) => calls.push(args) && 0 };
    expect((await run("rentals ssh 1001 --sandbox", { programs })).code).toBe(0);
    expect(calls).toEqual([["-p", "2222", "ada@gpu.example"]]);
  });
});

test("sandbox serve refuses --machines with an address that others can reach", async () => {
  const { run } = await createCli();
  const { code, err } = await run("sandbox serve --machines --host 0.0.0.0");
  expect(code).toBe(2);
  expect(err).toContain("--machines cannot be used with --host 0.0.0.0");
});
