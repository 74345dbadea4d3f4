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

/** No connection, or it broke off. What runs on the rental goes on. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  /** `denied`: the login failed. `final`: it does not help to wait. */
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
  /** For programs that start ssh themselves: its options, and where to run them. */
  readonly options: readonly string[];
  readonly cwd: string;
  /** `user@host`, the host without brackets. */
  readonly destination: string;
  /**
   * Runs a script with sh on the rental. Its text does not appear in a list of processes. Throws `ConnectionLost` when
   * there is no connection, or no end within `timeout` milliseconds.
   */
  readonly run: (script: string, options: { signal: AbortSignal; timeout?: number }) => Promise<ScriptOutput>;
  /** As `run`, and passes on the output as it arrives. Standard input stays open, so its end tells a lost connection. */
  readonly follow: (
    script: string,
    options: {
      readonly signal: AbortSignal;
      readonly onStdout: (bytes: Uint8Array) => Promise<void>;
      readonly onStderr: (bytes: Uint8Array) => Promise<void>;
    },
  ) => Promise<void>;
}

/** Milliseconds for a script that does not wait. */
const scriptTimeout = 60_000;

/** The exit status of ssh when the connection fails. A script must not exit with it. */
const connectionFailed = 255;

/**
 * Prepares connections. The folder keeps the host key of this rental: the first one is accepted, and checked from then on.
 * The user's own configuration of ssh applies to the rest, such as keys. Nothing is asked for.
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
  writePrivateFile(join(folder, configFile), sshConfig(rentalId, { port, user }));
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
      const marked = afterMark(onStderr);
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
      if (status === connectionFailed && !signal.aborted)
        throw marked.isPast() ? brokenOff(problem) : lost(problem);
    },
  };
}

const configFile = "ssh_config";
const knownHosts = "known_hosts";
const problemLength = 1000;

/**
 * sh reads its script from stdin while it runs it. A function, and the line that calls it, are read completely before they
 * start.
 */
const wholeScript = (script: string): string => `gpuctl_main() {\n${script}\n}\ngpuctl_main; exit $?\n`;

/** The configuration of ssh. The first value of an option applies, so ours come before the user's. */
const sshConfig = (rentalId: string, { port, user }: Pick<SshTarget, "port" | "user">): string =>
  [
    "Host *",
    ...Object.entries({
      Port: port,
      ...(user !== undefined && { User: user }),
      // An address may be that of another rental tomorrow.
      HostKeyAlias: `gpuctl-rental-${rentalId.replace(/[^\w.-]/g, "_")}`,
      UserKnownHostsFile: knownHosts,
      GlobalKnownHostsFile: "/dev/null",
      StrictHostKeyChecking: "accept-new",
      BatchMode: "yes",
      CheckHostIP: "no",
      ClearAllForwardings: "yes",
      ConnectTimeout: 10,
      ControlMaster: "no",
      ControlPath: "none",
      LogLevel: "ERROR",
      RequestTTY: "no",
      ServerAliveCountMax: 4,
      ServerAliveInterval: 15,
    }).map(([name, value]) => `  ${name} ${value}`),
    "Include ~/.ssh/config",
    "Include /etc/ssh/ssh_config",
    "",
  ].join("\n");

/** Precedes the output of a script: the shell of a rental may print a greeting before it. */
const mark = "gpuctl-output-follows";

/** Passes on what follows the line with the mark. Of what comes before it, only as much is kept as the mark is long. */
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

/** Collects text. What is beyond `maxOutput` is dropped: a script that does not stop must not fill the memory. */
function collector() {
  const chunks: Uint8Array[] = [];
  let length = 0;
  return {
    add: (bytes: Uint8Array) => {
      const part = bytes.subarray(0, maxOutput - length);
      length += part.length;
      if (part.length > 0) chunks.push(part);
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}

/** Bytes of the output of a script that is not passed on. */
const maxOutput = 1024 * 1024;

const linesOf = (problem: string): readonly string[] =>
  problem.split(/\r?\n/).filter((line) => line.trim() !== "" && line !== mark);

/**
 * A connection that was there and broke off. What was printed since then may be from the command, such as a "Permission
 * denied" of a program that it started, so it does not say why.
 */
const brokenOff = (problem: string): ConnectionLost =>
  new ConnectionLost(linesOf(problem).at(-1) ?? "the connection was closed");

/** Why there is no connection, in the words of ssh where gpuctl has none. */
function lost(problem: string): ConnectionLost {
  const lines = linesOf(problem);
  const says = (pattern: RegExp) => lines.some((line) => pattern.test(line));
  if (says(/host key verification failed|identification has changed/i)) {
    return new ConnectionLost("the rental's host key has changed, so it may be another machine", "final");
  }
  if (says(/connection refused/i)) return new ConnectionLost("the connection was refused");
  if (says(/banner exchange|kex_exchange_identification/i))
    return new ConnectionLost("the port is open, but its ssh server does not respond yet");
  if (says(/permission denied/i)) return new ConnectionLost(`the login failed: ${lines.at(-1)}`, "denied");
  if (says(/timed out/i)) return new ConnectionLost("the connection timed out");
  return new ConnectionLost(lines.at(-1) ?? "the connection was closed");
}
