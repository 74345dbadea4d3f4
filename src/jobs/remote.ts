import { quoted } from "../core/text.ts";
import type { Stream } from "./journal.ts";
import { ConnectionLost, type Ssh } from "./ssh.ts";

/** The working folder of the command, in the home folder of the rental's user. */
export const workFolder = ({ jobId }: Pick<Ssh, "jobId">): string => `gpuctl-jobs/${jobId}`;

/** The state of the command on a rental. */
export type RemoteState =
  | { readonly command: "not started" }
  | ({ readonly sizes: Readonly<Record<Stream, number>> } & (
      | { readonly command: "running" }
      | { readonly command: "ended"; readonly status: number }
      /** The command neither runs nor has an exit status, for example because the machine restarted. */
      | { readonly command: "vanished" }
    ));

/** Shell variables: `d` is the folder with the output and the exit status, and `w` the working folder. */
const folders = (ssh: Ssh): string => `d="$HOME/.gpuctl-jobs/${ssh.jobId}"; w="$HOME/${workFolder(ssh)}"`;

/**
 * A file whose text changes with each start of a Linux machine. Other systems do not have this file, and some rentals
 * do not let their users read it.
 */
const bootId = "/proc/sys/kernel/random/boot_id";

/**
 * A shell function that succeeds unless it is certain that the machine has restarted since the command was started.
 * After a restart, another program may have the process ID of the command.
 */
const isSameBoot = `gpuctl_is_same_boot() {
  b=$(cat "$d/boot_id" 2>/dev/null); n=$(cat ${bootId} 2>/dev/null)
  [ -z "$b" ] || [ -z "$n" ] || [ "$b" = "$n" ]
}`;

/** Why a script failed: the last line that it printed, because a shell may print warnings first. */
const reasonIn = (err: string, status: number): string =>
  err.trim().split(/\s*\n/).at(-1) || `the script exited with status ${status}`;

/** Creates the working folder, and returns whether the rental has rsync. */
export async function prepare(ssh: Ssh, signal: AbortSignal): Promise<{ readonly hasRsync: boolean }> {
  const { status, out, err } = await ssh.run(
    `${folders(ssh)}; umask 077; mkdir -p "$w" "$d" || return 20; command -v rsync >/dev/null && echo rsync; return 0`,
    { signal },
  );
  if (status !== 0)
    throw new ConnectionLost(`the rental cannot be prepared: ${reasonIn(err, status)}`, "final");
  return { hasRsync: out.includes("rsync") };
}

/**
 * Starts a command so that it keeps running without a connection. If it was started before, does not start it again.
 * The values of the variables are sent only through the connection, and the file that sets them is removed before the
 * command runs.
 */
export async function startCommand(
  ssh: Ssh,
  {
    command,
    variables,
  }: {
    readonly command: readonly string[];
    readonly variables: Readonly<Record<string, string>>;
  },
  signal: AbortSignal,
): Promise<void> {
  const end = `end-${crypto.randomUUID()}`;
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`);
  // `status.new` gets its space on the disk before the command runs, because the command may fill the disk.
  const script = `${folders(ssh)}
umask 077
mkdir -p "$w" "$d" || return 20
mkdir "$d/started" 2>/dev/null || return 0
: > "$d/stdout"; : > "$d/stderr"
cat > "$d/command" <<'${end}'
rm -f "$0"
umask 022
cd "$HOME/${workFolder(ssh)}" || exit 126
${exports.join("\n")}
exec ${command.map(quoted).join(" ")}
${end}
cat > "$d/attend" <<'${end}'
${folders(ssh)}
cat ${bootId} > "$d/boot_id" 2>/dev/null
echo $$ > "$d/pid"
trap : HUP INT TERM
echo 000 > "$d/status.new"
sh "$d/command" </dev/null >"$d/stdout" 2>"$d/stderr"
printf '%03d\\n' $? 1<> "$d/status.new" && mv "$d/status.new" "$d/status"
${end}
if command -v setsid >/dev/null; then setsid sh "$d/attend" </dev/null >/dev/null 2>&1 &
else nohup sh "$d/attend" </dev/null >/dev/null 2>&1 &
fi
while [ ! -s "$d/pid" ]; do ${shortPause}; done
return 0`;
  const { status, err } = await ssh.run(script, { signal });
  if (status !== 0)
    throw new ConnectionLost(`the command cannot be started: ${reasonIn(err, status)}`, "final");
}

/** Not every `sleep` accepts a fraction of a second. */
const shortPause = "{ sleep 0.1 2>/dev/null || sleep 1; }";

/** Returns the state of the command. Throws `ConnectionLost`. */
export async function remoteState(ssh: Ssh, signal: AbortSignal): Promise<RemoteState> {
  const { out } = await ssh.run(
    `${folders(ssh)}
${isSameBoot}
[ -d "$d/started" ] || { echo none; return 0; }
if [ -s "$d/status" ]; then s=$(cat "$d/status")
elif gpuctl_is_same_boot && kill -0 "$(cat "$d/pid" 2>/dev/null)" 2>/dev/null; then s=running
elif [ -s "$d/status" ]; then s=$(cat "$d/status")
else s=vanished
fi
echo "$s" $(wc -c < "$d/stdout") $(wc -c < "$d/stderr")`,
    { signal },
  );
  const [word = "", stdout, stderr] = out.trim().split(/\s+/);
  if (word === "none") return { command: "not started" };
  const sizes = { stdout: Number(stdout), stderr: Number(stderr) };
  if (!Number.isSafeInteger(sizes.stdout + sizes.stderr)) throw unreadable();
  if (word === "running" || word === "vanished") return { command: word, sizes };
  if (!/^\d+$/.test(word) || Number(word) > maxStatus) throw unreadable();
  return { command: "ended", status: Number(word), sizes };
}

/** The highest exit status of a program. */
const maxStatus = 255;

const unreadable = () => new ConnectionLost("the rental's response cannot be understood");

/**
 * Passes on the output from these positions until the command has ended. With `follows: false`, passes on only what is
 * there now. Throws `ConnectionLost`.
 *
 * `cat` notices the end of the connection. Its stdin has to come from another descriptor, because dash gives a command
 * in the background an empty stdin, even with `<&0`.
 */
export const followCommand = (
  ssh: Ssh,
  from: Readonly<Record<Stream, number>>,
  { follows = true, ...options }: Parameters<Ssh["follow"]>[1] & { readonly follows?: boolean },
): Promise<void> =>
  ssh.follow(
    `${folders(ssh)}
${isSameBoot}
if ${follows ? '[ -s "$d/status" ] || ! gpuctl_is_same_boot' : "true"}; then
  tail -c +${from.stdout + 1} "$d/stdout"
  tail -c +${from.stderr + 1} "$d/stderr" >&2
  return 0
fi
{ cat <&3 >/dev/null & c=$!; } 3<&0
tail -c +${from.stdout + 1} -f "$d/stdout" </dev/null 2>/dev/null & a=$!
tail -c +${from.stderr + 1} -f "$d/stderr" </dev/null >&2 2>/dev/null & b=$!
while [ ! -s "$d/status" ] && kill -0 "$(cat "$d/pid")" 2>/dev/null && kill -0 $c 2>/dev/null; do ${shortPause}; done
kill $a $b $c 2>/dev/null
return 0`,
    options,
  );

/**
 * Ends the command and the programs that it started: first with SIGTERM and, after 10 seconds, with SIGKILL. Returns
 * `ended` if the command had already ended by itself. Stops nothing if the machine has restarted: the command no longer
 * runs, and another program may have its process ID. Throws `ConnectionLost`.
 */
export async function stopCommand(ssh: Ssh, signal: AbortSignal): Promise<"stopped" | "ended"> {
  // If a later call, even in another process, finds the folder `stopped`, the command did not end by itself.
  const { out } = await ssh.run(
    `${folders(ssh)}
${isSameBoot}
[ -d "$d/started" ] || return 0
p=$(cat "$d/pid" 2>/dev/null) || return 0
[ -n "$p" ] || return 0
if [ -s "$d/status" ]; then
  [ -e "$d/stopped" ] || echo ended
  return 0
fi
gpuctl_is_same_boot || return 0
mkdir "$d/stopped" 2>/dev/null
kill -s TERM -- "-$p" 2>/dev/null || kill -s TERM "$p" 2>/dev/null
i=0
while [ $i -lt 100 ] && [ ! -s "$d/status" ]; do i=$((i+1)); ${shortPause}; done
[ -s "$d/status" ] && return 0
kill -s KILL -- "-$p" 2>/dev/null || kill -s KILL "$p" 2>/dev/null
echo 137 > "$d/status"
return 0`,
    { signal },
  );
  return out.trim() === "ended" ? "ended" : "stopped";
}

/** The paths that do not exist on the rental. Throws `ConnectionLost`. */
export async function missingPaths(
  ssh: Ssh,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const checks = paths.map((path, at) => `[ -e ${quoted(remotePath(ssh, path))} ] || echo ${at}`);
  const { out } = await ssh.run(`cd "$HOME" || return 1\n${checks.join("\n")}\nreturn 0`, { signal });
  const missing = out.split(/\s+/).filter((word) => word !== "");
  return paths.filter((_, at) => missing.includes(String(at)));
}

/** Where a path of `--fetch` is on the rental: absolute, or relative to the home folder, in which ssh starts. */
export const remotePath = (ssh: Ssh, path: string): string =>
  path.startsWith("/") ? path : `${workFolder(ssh)}/${path}`;

/** What a path leads to if it is a symbolic link. Throws `ConnectionLost`. */
export async function linkTarget(
  ssh: Ssh,
  path: string,
  signal: AbortSignal,
): Promise<"file" | "folder" | undefined> {
  const place = quoted(remotePath(ssh, path));
  const { out } = await ssh.run(
    `cd "$HOME" || return 1\n[ -L ${place} ] || return 0\n[ -d ${place} ] && echo folder || echo file\nreturn 0`,
    { signal },
  );
  return (["file", "folder"] as const).find((one) => out.trim().endsWith(one));
}

/** Runs one step of a copy on the rental, in the home folder. Throws `ConnectionLost`. */
async function copyStep(ssh: Ssh, script: string, signal: AbortSignal): Promise<void> {
  const { status, err } = await ssh.run(`cd "$HOME" && ${script}`, { signal });
  if (status !== 0) throw new ConnectionLost(`the copy cannot be prepared: ${reasonIn(err, status)}`);
}

/**
 * Creates a link to a path, and returns the path of the link, which has no special characters. Some releases of scp
 * send a path to a shell, others read it as a pattern, and all follow a link. Throws `ConnectionLost`.
 */
export async function plainLink(ssh: Ssh, path: string, signal: AbortSignal): Promise<string> {
  const link = `.gpuctl-jobs/${ssh.jobId}/fetch`;
  const target = path.startsWith("/") ? quoted(path) : `"$HOME"/${quoted(remotePath(ssh, path))}`;
  await copyStep(ssh, `rm -f ${link} && ln -s ${target} ${link}`, signal);
  return link;
}

/**
 * Lets `copy` create a folder at a new path, and then makes that folder the working folder. Not all releases of scp can
 * copy only the contents of a folder into an existing folder. Throws `ConnectionLost`.
 */
export async function copyAsWorkFolder(
  ssh: Ssh,
  copy: (path: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const path = `.gpuctl-jobs/${ssh.jobId}/sync`;
  await copyStep(ssh, `rm -rf ${path}`, signal);
  await copy(path);
  const folder = workFolder(ssh);
  await copyStep(ssh, `chmod u+rwx ${path} && rm -rf ${folder} && mv ${path} ${folder}`, signal);
}
