import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "../core/files.ts";
import type { Programs } from "../system/types.ts";

/** Where a rental accepts ssh connections. */
export interface SshTarget {
  readonly host: string;
  readonly port: number;
  readonly user?: string | undefined;
  /** Options for ssh that come before all others. */
  readonly options?: readonly string[];
}

/** A connection could not be opened or used, or it broke off. The command of a job keeps running on the rental. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  /** `denied`: the login failed. `final`: waiting does not help. `lost`: everything else. */
  readonly kind: "lost" | "denied" | "final";
  constructor(message: string, kind: ConnectionLost["kind"] = "lost") {
    super(message);
    this.kind = kind;
  }
}

export interface ScriptOutput {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Connections to the rental of a job. */
export interface Ssh {
  readonly jobId: string;
  /** For programs that start ssh themselves: the options of ssh, and the folder in which to run the programs. */
  readonly options: readonly string[];
  readonly cwd: string;
  /** `user@host`, or only the host. An IPv6 address has no brackets. */
  readonly destination: string;
  /**
   * Runs a script with sh on the rental. The text of the script does not appear in lists of processes. Throws
   * `ConnectionLost` if there is no connection, or if the script does not end within `timeout` milliseconds.
   */
  readonly run: (script: string, options: { signal: AbortSignal; timeout?: number }) => Promise<ScriptOutput>;
  /**
   * Like `run`, but passes on the output as it arrives. The script's stdin stays open until the connection is lost, so
   * the script can detect the loss.
   */
  readonly follow: (
    script: string,
    options: {
      readonly signal: AbortSignal;
      readonly onStdout: (bytes: Uint8Array) => Promise<void>;
      readonly onStderr: (bytes: Uint8Array) => Promise<void>;
    },
  ) => Promise<void>;
}

/** The default time limit for a script, in milliseconds. */
const scriptTimeout = 60_000;

/** The exit status of ssh if the connection fails. A script must not exit with this status. */
const connectionFailed = 255;

/**
 * Prepares connections. `folder` keeps the host key of this rental: the first key is accepted, and later keys must be
 * the same. For everything else, such as login keys, the user's own ssh configuration applies. ssh never prompts.
 */
export function openSsh(
  rentalId: string,
  target: SshTarget,
  {
    jobId,
    folder,
    programs,
  }: { readonly jobId: string; readonly folder: string; readonly programs: Pick<Programs, "stream"> },
): Ssh {
  const { host, port, user } = target;
  saveConfig(join(folder, configFile), sshConfig(rentalId, { host, port, user }));
  const options = [...(target.options ?? []), "-F", configFile];
  const args = [...options, "-T", host, "sh", "-s"];
  const run: Ssh["run"] = async (script, { signal, timeout = scriptTimeout }) => {
    const [out, err] = [collector(), collector()];
    const marked = afterMark(out.add);
    const limit = AbortSignal.timeout(timeout);
    const status = await programs.stream("ssh", args, {
      cwd: folder,
      input: wholeScript(`printf '%s\\n' ${mark}\n${script}`),
      onStdout: marked.add,
      onStderr: err.add,
      signal: AbortSignal.any([signal, limit]),
    });
    signal.throwIfAborted();
    const problem = err.text();
    if (limit.aborted) throw new ConnectionLost(`no response within ${timeout / 1000} s`);
    if (status === connectionFailed) throw marked.isPast() ? brokenOff(problem) : lost(problem);
    return { status, out: out.text(), err: problem };
  };
  return {
    jobId,
    options,
    cwd: folder,
    destination: user === undefined ? host : `${user}@${host}`,
    run,
    follow: async (script, { signal, onStdout, onStderr }) => {
      let problem = "";
      const own = withoutOwnMessages(onStderr);
      const marked = afterMark(own.add);
      const status = await programs.stream("ssh", args, {
        cwd: folder,
        input: wholeScript(`printf '%s\\n' ${mark}\nprintf '%s\\n' ${mark} >&2\n${script}`),
        keepsInputOpen: true,
        onStdout: afterMark(onStdout).add,
        onStderr: async (bytes) => {
          problem = `${problem}${Buffer.from(bytes).toString()}`.slice(-problemLength);
          await marked.add(bytes);
        },
        signal,
      });
      const isLost = status === connectionFailed && !signal.aborted;
      await own.end(isLost);
      if (isLost) throw marked.isPast() ? brokenOff(problem) : lost(problem);
    },
  };
}

/** Saves the configuration. If it is already saved, writes nothing, so that a full disk does not end the job. */
function saveConfig(path: string, config: string): void {
  if (existsSync(path) && readFileSync(path, "utf8") === config) return;
  writePrivateFile(path, config);
}

const configFile = "ssh_config";
const knownHosts = "known_hosts";
const problemLength = 1000;

/**
 * Wraps a script in a function, so that sh reads the whole script before it runs any of it. Otherwise, sh would run the
 * first lines of a script on stdin before it has read the last ones.
 */
const wholeScript = (script: string): string => `gpuctl_main() {\n${script}\n}\ngpuctl_main; exit $?\n`;

/**
 * The configuration of ssh. ssh uses the first value of each option, so gpuctl's options come before the user's. ssh
 * uses the same file for a jump host, which keeps its own port, user and host key.
 */
const sshConfig = (
  rentalId: string,
  { host, port, user }: Pick<SshTarget, "host" | "port" | "user">,
): string =>
  [
    // ssh may convert the name of the host to lower case before it looks up the options for that host.
    `Host ${[...new Set([host, host.toLowerCase()])].join(" ")}`,
    ...optionLines({
      Port: port,
      ...(user !== undefined && { User: user }),
      // The same address may belong to another rental later.
      HostKeyAlias: `gpuctl-rental-${rentalId.replace(/[^\w.-]/g, "_")}`,
      UserKnownHostsFile: knownHosts,
      GlobalKnownHostsFile: "/dev/null",
      StrictHostKeyChecking: "accept-new",
      CheckHostIP: "no",
      ClearAllForwardings: "yes",
      ControlMaster: "no",
      ControlPath: "none",
      RequestTTY: "no",
    }),
    "Host *",
    ...optionLines({
      BatchMode: "yes",
      ConnectTimeout: 10,
      LogLevel: "ERROR",
      ServerAliveCountMax: 4,
      ServerAliveInterval: 15,
    }),
    "Include ~/.ssh/config",
    "Include /etc/ssh/ssh_config",
    "",
  ].join("\n");

const optionLines = (options: Readonly<Record<string, string | number>>): readonly string[] =>
  Object.entries(options).map(([name, value]) => `  ${name} ${value}`);

/** A line before the output of a script. The shell of a rental may print a greeting before this line. */
const mark = "gpuctl-output-follows";

/**
 * Passes on everything after the line with the mark. Until that line is complete, keeps only the latest bytes, as many
 * as the line has.
 */
function afterMark(take: (bytes: Uint8Array) => void | Promise<void>): {
  readonly add: (bytes: Uint8Array) => Promise<void>;
  readonly isPast: () => boolean;
} {
  const line = Buffer.from(`${mark}\n`);
  let held: Buffer | undefined = Buffer.alloc(0);
  return {
    add: async (bytes) => {
      if (held === undefined) return take(bytes);
      const all = Buffer.concat([held, bytes]);
      const at = all.indexOf(line);
      held = at < 0 ? all.subarray(-line.length) : undefined;
      const rest = at < 0 ? undefined : all.subarray(at + line.length);
      if (rest && rest.length > 0) await take(rest);
    },
    isPast: () => held === undefined,
  };
}

/** What ssh itself writes to stderr when it loses the connection: one or more lines, of which the last may be cut. */
const ownMessage = `(?:${[
  "Connection (?:to|reset by|closed by) ",
  "Read from remote host ",
  "client_loop: ",
  "Timeout, server ",
  "Received disconnect from ",
  "Disconnected from ",
  "ssh_dispatch_run_fatal: ",
  "packet_write",
  "Write failed: ",
  "Killed by signal ",
].join("|")})[^\\r\\n]*`;
const ownMessages = new RegExp(`(?:${ownMessage}\\r\\n)*${ownMessage}(?:\\r\\n?)?$`);

/**
 * Passes on the output of the command on stderr without the messages of ssh itself, which would count as output. Holds
 * back what may be such a message until more arrives or the connection ends.
 */
function withoutOwnMessages(take: (bytes: Uint8Array) => void | Promise<void>) {
  let held: Uint8Array = Buffer.alloc(0);
  return {
    add: async (bytes: Uint8Array): Promise<void> => {
      const all = Buffer.concat([held, bytes]);
      const end = Math.max(0, all.length - problemLength);
      const at = all.toString("latin1", end).search(ownMessages);
      const passed = at < 0 ? all : all.subarray(0, end + at);
      held = all.subarray(passed.length);
      if (passed.length > 0) await take(passed);
    },
    /**
     * Passes on the bytes that are held back. If the connection was lost and these bytes end with a line feed, as ssh's
     * messages do, drops them instead.
     */
    end: async (isLost: boolean): Promise<void> => {
      if (held.length > 0 && !(isLost && held.at(-1) === lineFeed)) await take(held);
      held = Buffer.alloc(0);
    },
  };
}

const lineFeed = 0x0a;

/**
 * Collects up to `maxOutput` bytes of text and drops the rest, so that a script that does not stop cannot fill the
 * memory.
 */
export function collector() {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let isWhole = true;
  return {
    add: (bytes: Uint8Array) => {
      const part = bytes.subarray(0, maxOutput - length);
      length += part.length;
      if (part.length > 0) chunks.push(part);
      if (part.length < bytes.length) isWhole = false;
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
    /** Whether nothing was dropped. */
    isWhole: () => isWhole,
  };
}

/** How many bytes of a script's output are collected. */
const maxOutput = 1024 * 1024;

const linesOf = (problem: string): readonly string[] =>
  problem.split(/\r?\n/).filter((line) => line.trim() !== "" && line !== mark);

/**
 * The error for a connection that was open and then broke off. The last lines on stderr may come from the command, such
 * as a "Permission denied" of a program, so they are not used to find the kind of the error.
 */
const brokenOff = (problem: string): ConnectionLost =>
  new ConnectionLost(linesOf(problem).at(-1) ?? "the connection was closed");

/** The error for a connection that could not be opened. Uses the message of ssh if gpuctl does not know the reason. */
function lost(problem: string): ConnectionLost {
  const lines = linesOf(problem);
  const says = (pattern: RegExp) => lines.some((line) => pattern.test(line));
  const find = (pattern: RegExp) => lines.find((line) => pattern.test(line));
  // ssh prints this if its jump host or proxy closed the connection.
  const isProxied = says(/\bUNKNOWN port\b/);
  if (isProxied && says(/host key verification failed/i)) {
    const problem = "the host key of the jump host is not known, or has changed: connect to it once with ssh";
    return new ConnectionLost(problem, "final");
  }
  if (says(/host key verification failed|identification has changed/i)) {
    return new ConnectionLost("the rental's host key has changed, so it may be another machine", "final");
  }
  if (says(/connection refused/i)) return new ConnectionLost("the connection was refused");
  const denied = find(/permission denied/i);
  if (denied !== undefined) return new ConnectionLost(`the login failed: ${denied}`, "denied");
  const unresolved = find(/could not resolve/i);
  if (unresolved !== undefined) return new ConnectionLost(unresolved);
  const unreached = find(/connect failed: /i);
  if (unreached !== undefined) return new ConnectionLost(unreached);
  if (says(/banner exchange|kex_exchange_identification/i)) {
    return new ConnectionLost(
      isProxied
        ? "the jump host closed the connection"
        : "the port is open, but its ssh server does not respond yet",
    );
  }
  if (says(/timed out/i)) return new ConnectionLost("the connection timed out");
  return new ConnectionLost(lines.at(-1) ?? "the connection was closed");
}
