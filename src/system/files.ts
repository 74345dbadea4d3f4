import {
  accessSync,
  closeSync,
  constants,
  openSync,
  promises,
  readFileSync,
  readlinkSync,
  statfsSync,
  statSync,
} from "node:fs";
import { homedir, hostname, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import process from "node:process";
import type { Readable } from "node:stream";
import { codeOf, Unavailable } from "../core/errors.ts";
import { assertFile, xdgFolder } from "../core/files.ts";
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
  const file = await promises.open(path, await flagsFor(path));
  try {
    return await collected(file.createReadStream({ autoClose: false }), maxBytes);
  } finally {
    await file.close();
  }
}

/**
 * The flags to open a file that is neither a pipe nor a terminal. A device, or a system file such as `/proc/kmsg`, may
 * have no data for a long time. With these flags, reading it fails instead of waiting.
 */
async function flagsFor(path: string): Promise<number> {
  const facts = await promises.stat(path);
  const mayBlock = !facts.isFile() || facts.size === 0;
  return constants.O_RDONLY | (mayBlock ? constants.O_NONBLOCK : 0);
}

/**
 * Opens a pipe or a terminal without blocking, because its data may take a long time to arrive. A blocking read would
 * occupy a thread of Node.js, and the process could not even exit. Returns undefined for any other file.
 */
export async function openWaiting(path: string): Promise<Readable | undefined> {
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

/** Where a process runs. A part that is not known is undefined. */
interface Place {
  readonly host: string;
  /** Identifies the machine, even after a restart. */
  readonly machine?: string | undefined;
  /** The PID namespace: each container has its own. */
  readonly namespace?: string | undefined;
  /** Identifies the boot of the machine. */
  readonly boot?: string | undefined;
}

/**
 * Names and checks processes. A process name such as `HOST MACHINE NAMESPACE PID@BOOT-START` includes the place,
 * because machines and containers may share files. It also includes when the process started, because process IDs are
 * reused, especially after a restart. If the start is not known, a running process with the same ID counts as the same
 * process. That is the safe error, because gpuctl ends the rentals of processes that have ended.
 *
 * See docs/decisions/0113-where-a-process-runs.md.
 */
export function processesOn(platform: NodeJS.Platform, given: Partial<Place> = {}): Processes {
  const startOf = platform === "linux" ? startOnLinux : startByPs;
  let known: Place | undefined;
  const ownPlace = () => {
    known ??= { ...(platform === "linux" ? placeOnLinux() : { host: hostname() }), ...given };
    return known;
  };
  let ownName: string | undefined;
  const isHere = (that: Place) => {
    const own = ownPlace();
    if (that.namespace !== own.namespace) return false;
    if (that.boot !== undefined && that.boot === own.boot) return true;
    const isSameMachine = that.host === own.host && that.machine === own.machine;
    // Without a machine ID, the boot must match if it is known, because other machines may have the same host name.
    return isSameMachine && (own.machine !== undefined || own.boot === undefined);
  };
  return {
    get self() {
      ownName ??= nameOf(ownPlace(), process.pid, startOf(process.pid));
      return ownName;
    },
    isHere: (name) => isHere(parseName(name).place),
    isRunning: (name) => {
      if (name === "") return false;
      const { place, pid, start } = parseName(name);
      if (!isHere(place)) return true;
      if (place.boot !== undefined && place.boot !== ownPlace().boot) return false;
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

function nameOf({ host, machine, namespace, boot }: Place, pid: number, start: string | undefined): string {
  const since = start === undefined ? "" : `@${boot === undefined ? "" : `${boot}-`}${start}`;
  return [host, machine, namespace, `${pid}${since}`].filter((part) => part !== undefined).join(" ");
}

/** Also parses names of earlier versions, which have no machine, or no start. */
function parseName(name: string) {
  const [host = "", ...others] = name.split(" ");
  const [pid, since] = (others.pop() ?? "").split("@");
  const isNamespace = (part: string) => part.startsWith("pid:[");
  const [, boot, ticks] = /^(.{36})-(\d+)$/.exec(since ?? "") ?? [];
  return {
    place: {
      host,
      machine: others.find((part) => !isNamespace(part)),
      namespace: others.find(isNamespace),
      boot,
    },
    pid: Number(pid),
    start: ticks ?? since,
  };
}

export const processes = processesOn(process.platform);

/**
 * Stands for the start of a zombie process: a process that has ended, but that the system still lists, because its
 * parent has not read its exit status.
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

/** When a process started, in clock ticks after the boot of the machine. Undefined if that is not known. */
function startOnLinux(pid: number): string | undefined {
  const status = contentsOf(`/proc/${pid}/stat`);
  // The name of the program is in parentheses and may contain spaces. Of the fields after the name, the first is the
  // state, and the twentieth is the start.
  const fields = status?.slice(status.lastIndexOf(")") + 2).split(" ") ?? [];
  const [state, ticks] = [fields[0], fields[19]];
  return state === "Z" ? ended : ticks;
}

function placeOnLinux(): Place {
  return {
    host: hostname(),
    machine: machineOnLinux(),
    namespace: orUndefined(() => readlinkSync("/proc/self/ns/pid")),
    boot: contentsOf("/proc/sys/kernel/random/boot_id"),
  };
}

/** A hash of systemd's machine ID, because the ID itself must not be disclosed. */
function machineOnLinux(): string | undefined {
  const id = contentsOf("/etc/machine-id");
  if (!id) return undefined;
  // Loaded here, because most commands do not need it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(`gpuctl ${id}`).digest("hex").slice(0, 16);
}

const contentsOf = (path: string): string | undefined => orUndefined(() => readFileSync(path, "utf8").trim());

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
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

/** Implements `Machine.freeBytes`. */
export function freeBytes(path: string): number | undefined {
  try {
    const { blocks, bavail, bsize } = statfsSync(path);
    // File systems without a limit, and some in user space, report no blocks.
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    return undefined;
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

/** Undefined if there is no home folder. In that case, `env-paths` throws when it is imported. */
async function defaultFolders() {
  try {
    const { default: envPaths } = await import("env-paths");
    const { config, data } = envPaths("gpuctl", { suffix: "" });
    // `env-paths` does not ignore relative paths in XDG variables; `xdgFolder` does.
    const folders = {
      config: xdgFolder(config, join(homedir(), ".config", "gpuctl")),
      data: xdgFolder(data, join(homedir(), ".local", "share", "gpuctl")),
    };
    // If HOME is empty, a folder would be in the current folder, which may belong to someone else's project.
    return Object.values(folders).every((folder) => isAbsolute(folder)) ? folders : undefined;
  } catch {
    return undefined;
  }
}

function noHome(): never {
  throw new Unavailable(
    "there is no home folder",
    "Set GPUCTL_CONFIG_DIR and GPUCTL_STATE_DIR to folders for the configuration and the state.",
  );
}
