import { execFile, spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { platform, userInfo } from "node:os";
import { basename, delimiter, join } from "node:path";
import { promisify } from "node:util";
import { reasonOf, Unavailable } from "../../core/errors.ts";
import { withoutKey } from "../../core/runtime/key-variable.ts";

/** The paths of the OpenSSH programs that machines need. */
export interface SshPrograms {
  readonly sshd: string;
  readonly keygen: string;
  /** Undefined if no sftp server is installed. Without one, scp works only with its old protocol. */
  readonly sftpServer: string | undefined;
}

/** Folders of system programs, which the PATH of an ordinary user often lacks. */
const systemFolders = [
  "/usr/sbin",
  "/usr/local/sbin",
  "/sbin",
  "/usr/bin",
  "/usr/local/bin",
  "/opt/homebrew/sbin",
];

/** Folders in which systems install the sftp server. They are not in PATH. */
const sftpFolders = [
  "/usr/lib/openssh",
  "/usr/libexec/openssh",
  "/usr/libexec",
  "/usr/lib/ssh",
  "/usr/local/libexec",
  "/opt/homebrew/libexec",
];

/**
 * Finds sshd and ssh-keygen in PATH and in the folders of system programs, and the sftp server in its own folders.
 * Without a PATH, finds neither sshd nor ssh-keygen.
 * @throws Unavailable if sshd or ssh-keygen is not found, this account has no login shell, or the system is Windows
 */
export function findSshPrograms(path: string | undefined): SshPrograms {
  if (platform() === "win32")
    throw new Unavailable("the sandbox has no machines on Windows", "Use gpuctl in WSL.");
  const inPath = path?.split(delimiter).filter((folder) => folder.startsWith("/"));
  const folders = inPath === undefined ? [] : [...inPath, ...systemFolders];
  const sshd = find("sshd", folders);
  const keygen = find("ssh-keygen", folders);
  if (sshd === undefined || keygen === undefined) {
    throw new Unavailable(
      `the machines of the sandbox need ${sshd === undefined ? "sshd" : "ssh-keygen"}, which is not installed`,
      "Install the OpenSSH server: apt-get install openssh-server, dnf install openssh-server, or apk add openssh-server.",
    );
  }
  const { shell, username } = systemUser();
  if (["nologin", "false"].includes(basename(shell ?? ""))) {
    throw new Unavailable(
      `the user ${username} has no login shell (${shell}), so sshd rejects every login`,
      "Run gpuctl as a user with a login shell.",
    );
  }
  return { sshd, keygen, sftpServer: find("sftp-server", sftpFolders) };
}

/**
 * The user as the system knows it. Bun takes the name and the shell from the environment, which may name another user.
 */
export function systemUser(): { readonly username: string; readonly shell: string | null } {
  const user = userInfo();
  if (!("Bun" in globalThis) || !existsSync("/etc/passwd")) return user;
  const users = readFileSync("/etc/passwd", "utf8");
  const [, username, shell] = new RegExp(`^([^:\\n]+):[^:\\n]*:${user.uid}:.*:(.*)$`, "m").exec(users) ?? [];
  return username === undefined || shell === undefined ? user : { username, shell };
}

const find = (program: string, folders: readonly string[]): string | undefined =>
  folders.map((folder) => join(folder, program)).find(isExecutable);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const execute = promisify(execFile);

/** The environment of programs that the sandbox runs. None of them needs the key of the service. */
export const programEnvironment = () => withoutKey(globalThis.process.env);

/** Runs a program until it ends. If it fails, rejects with an error that contains its stderr. */
export const runFile = (program: string, args: readonly string[]) =>
  execute(program, args, { env: programEnvironment() });

/**
 * Checks that sshd works with a host key. If sshd runs as root and its empty privilege separation folder is missing,
 * creates the folder. Usually, the system creates it at boot.
 * @throws Unavailable with the reason that sshd gives
 */
export async function checkSshd(sshd: string, hostKey: string): Promise<void> {
  const problem = await problemWith(sshd, hostKey);
  if (problem === undefined) return;
  const [, missing] = /Missing privilege separation directory: (\S+)/.exec(problem) ?? [];
  if (missing !== undefined) mkdirSync(missing, { recursive: true, mode: 0o755 });
  const left = missing === undefined ? problem : await problemWith(sshd, hostKey);
  if (left !== undefined)
    throw new Unavailable(`${sshd} cannot be used: ${left}`, "Check the installation of sshd.");
}

async function problemWith(sshd: string, hostKey: string): Promise<string | undefined> {
  try {
    await runFile(sshd, ["-t", "-f", "/dev/null", "-h", hostKey]);
    return undefined;
  } catch (error) {
    const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    return (stderr || reasonOf(error)).replaceAll(/\s+/g, " ");
  }
}

/**
 * The environment variable that every program on a machine has. Its value is the folder of the machine, followed by a
 * slash.
 */
export const machineVariable = "GPUCTL_SANDBOX_MACHINE";

/**
 * Ends every program of the machines in a folder, including programs in the background. Works only on Linux, because
 * other systems do not show which programs these are.
 */
export function endPrograms(folder: string): void {
  const entry = `${machineVariable}=${folder}/`;
  // A program may start another one while the processes are listed.
  for (let round = 0; round < 3; round += 1) {
    const pids = processIds().filter((pid) => environmentOf(pid).some((one) => one.startsWith(entry)));
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
  }
}

const processIds = (): readonly string[] => {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
};

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // The process has ended, or belongs to another user.
    return [];
  }
}

function kill(pid: string): void {
  try {
    globalThis.process.kill(Number(pid), "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

/**
 * A shell script that waits for the end of its stdin, then does the same as `endPrograms`. Its argument is the
 * environment entry to look for.
 */
const endProgramsLater = `cat
for round in 1 2 3; do
  for file in $(grep -slF -e "$1" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -9 "\${pid%/environ}"
  done
done`;

/**
 * Ends the programs of the machines in a folder when this process ends, even if it is killed. Returns a function that
 * ends them earlier.
 */
export function endProgramsWithThisProcess(folder: string): () => void {
  const watcher = spawn("/bin/sh", ["-c", endProgramsLater, "sh", `${machineVariable}=${folder}/`], {
    stdio: ["pipe", "ignore", "ignore"],
    env: programEnvironment(),
    detached: true,
  });
  watcher.on("error", () => {});
  watcher.unref();
  return () => watcher.stdin.destroy();
}
