import {
  accessSync,
  closeSync,
  constants,
  openSync,
  promises,
  readFileSync,
  readlinkSync,
  statSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import process from "node:process";
import type { Readable } from "node:stream";
import { codeOf, Unavailable } from "../core/errors.ts";
import { assertFile } from "../core/files.ts";
import type { Processes } from "../core/tasks/lock.ts";
import type { Environment } from "../core/urls.ts";
import { InputTooLarge } from "../core/values/input-limits.ts";
import type { Files, PathFacts } from "./types.ts";

export async function nodeFiles(env: Environment): Promise<Files> {
  const folders = await foldersOf(env);
  return {
    get cwd() {
      return currentFolder();
    },
    folders,
    user: process.geteuid?.(),
    processes,
    read: readLimited,
    readText,
    stat,
    isWritable,
  };
}

/** Implements `Files.read`. */
export async function readLimited(path: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const waiting = await openWaiting(path);
  if (waiting) {
    const { addAbortSignal } = await import("node:stream");
    return collected(addAbortSignal(signal, waiting), maxBytes);
  }
  const file = await promises.open(path);
  try {
    return await collected(file.createReadStream({ autoClose: false }), maxBytes);
  } finally {
    await file.close();
  }
}

/**
 * Opens a pipe or a terminal without blocking, because its data may take any time to arrive. Returns undefined for any
 * other file. A blocking read would occupy a thread of Node.js, and the process could not even exit.
 */
async function openWaiting(path: string): Promise<Readable | undefined> {
  const facts = await promises.stat(path);
  const isPipe = facts.isFIFO();
  if (!isPipe && !facts.isCharacterDevice()) return undefined;
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  if (isPipe) {
    const { Socket } = await import("node:net");
    return new Socket({ fd, readable: true, writable: false });
  }
  const { isatty, ReadStream } = await import("node:tty");
  if (isatty(fd)) return new ReadStream(fd);
  closeSync(fd);
  return undefined;
}

/** Collects the bytes of a stream. If there are more than `maxBytes`, stops reading and throws `InputTooLarge`. */
export async function collected(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) throw new InputTooLarge(maxBytes);
    all.push(chunk);
  }
  return Buffer.concat(all);
}

/**
 * A process name includes the host and, on Linux, the PID namespace, because containers may share files. It also includes
 * when the process started, because process IDs are used again, above all after a restart. If the start is not known, a
 * process that has the same ID counts as the same process, so nothing that belonged to it is taken over or ended.
 */
export function processesOn(platform: NodeJS.Platform): Processes {
  const startOf = platform === "linux" ? startOnLinux : startByPs;
  let ownStart: { readonly start: string | undefined } | undefined;
  return {
    get self() {
      ownStart ??= { start: startOf(process.pid) };
      const { start } = ownStart;
      return `${place()} ${process.pid}${start === undefined ? "" : `@${start}`}`;
    },
    isRunning: (name) => {
      const at = name.lastIndexOf(" ");
      if (name.slice(0, at) !== place()) return true;
      const [id, start] = name.slice(at + 1).split("@");
      const pid = Number(id);
      try {
        process.kill(pid, 0);
      } catch (error) {
        if (codeOf(error) === "ESRCH") return false;
      }
      const found = startOf(pid);
      if (found === undefined) return true;
      return found !== ended && (start === undefined || found === start);
    },
  };
}

export const processes = processesOn(process.platform);

/**
 * Stands for the start of a process that has ended, but whose parent has not asked for its status. The system still
 * lists such a process.
 */
const ended = "ended";

/** When a process started: a time in UTC. Undefined if that is not known, as on Windows. */
function startByPs(pid: number): string | undefined {
  try {
    // Loaded here, because most commands do not need it.
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const args = ["-o", "state=", "-o", "lstart=", "-p", String(pid)];
    const env = { LC_ALL: "C", TZ: "UTC" };
    const text = execFileSync("/bin/ps", args, { env, encoding: "utf8", stdio: "pipe", timeout: 5_000 });
    const [state, ...start] = text.trim().split(/\s+/);
    return state?.startsWith("Z") ? ended : start.join("-") || undefined;
  } catch {
    return undefined;
  }
}

/**
 * The ID of the machine's last boot, and how long after that boot a process started. Undefined if that is not known.
 */
function startOnLinux(pid: number): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program is in parentheses and may contain spaces. After it come the state and, as the twentieth
    // field, the start.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    const [state, ticks] = [fields[0], fields[19]];
    if (state === "Z") return ended;
    return ticks === undefined ? undefined : `${boot}-${ticks}`;
  } catch {
    return undefined;
  }
}

function place(): string {
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new Unavailable("the current folder no longer exists", "Change to a folder that exists.");
  }
}

/** Implements `Files.readText`. */
export const readText = (path: string): string | undefined =>
  orMissing(() => {
    assertFile(path);
    return readFileSync(path, "utf8");
  });

export const stat = (path: string): PathFacts | undefined =>
  orMissing(() => {
    const facts = statSync(path);
    return { owner: facts.uid, mode: facts.mode & 0o777, isFolder: facts.isDirectory() };
  });

export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The result of `read`; undefined if the path does not exist. */
function orMissing<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** The folders from the environment, or the platform's defaults, which require a home folder. */
async function foldersOf(env: Environment): Promise<Files["folders"]> {
  const { GPUCTL_CONFIG_DIR: config, GPUCTL_STATE_DIR: state } = env;
  const defaults = config && state ? undefined : await defaultFolders();
  return {
    get config() {
      return config || defaults?.config || noHome();
    },
    get state() {
      return state || defaults?.data || noHome();
    },
    temporary: tmpdir(),
  };
}

/** Undefined if there is no home folder. In that case, the library throws when it is imported. */
async function defaultFolders() {
  try {
    const { default: envPaths } = await import("env-paths");
    return envPaths("gpuctl", { suffix: "" });
  } catch {
    return undefined;
  }
}

function noHome(): never {
  throw new Unavailable(
    "there is no home folder",
    "Set GPUCTL_CONFIG_DIR and GPUCTL_STATE_DIR to folders for the configuration and the sandbox's state.",
  );
}
