import { chmod, cp, lstat, mkdir, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { codeOf, SaveFailed, saveFailed } from "../core/errors.ts";
import type { Programs } from "../system/types.ts";
import { copyAsWorkFolder, linkTarget, plainLink, remotePath, workFolder } from "./remote.ts";
import { ConnectionLost, collector, type Ssh } from "./ssh.ts";

export interface CopyTools {
  readonly programs: Pick<Programs, "stream">;
  /** `scp` is used if one side has no usable rsync. Unlike rsync, scp copies everything again each time. */
  readonly tool: "rsync" | "scp";
  readonly signal: AbortSignal;
}

/** Whether this computer has an rsync with all options that gpuctl uses. The rsync of macOS lacks some of them. */
export async function hasUsableRsync(
  { cwd }: Ssh,
  {
    programs,
    signal,
  }: { readonly programs: Pick<Programs, "stream" | "which">; readonly signal: AbortSignal },
): Promise<boolean> {
  if ((await programs.which("rsync")) === undefined) return false;
  const ignore = () => {};
  const options = { cwd, onStdout: ignore, onStderr: ignore, signal };
  return (await programs.stream("rsync", [rsyncLetters, copyOutside, "--version"], options)) === 0;
}

/** Copies the contents of a folder to the working folder of the command. Throws `ConnectionLost`. */
export async function copyUp(ssh: Ssh, folder: string, tools: CopyTools): Promise<void> {
  const at = (path: string) => `${destination(ssh)}:${path}`;
  if (tools.tool === "rsync") {
    const copy = (...options: readonly string[]) =>
      runCopy(ssh, [...rsyncOptions(ssh), ...options, `${folder}/`, at(`${workFolder(ssh)}/`)], tools);
    return copy(copyOutside).catch((error: unknown) => {
      if (!(error instanceof TargetsMissing)) throw error;
      // Copies what has not arrived: the links whose targets do not exist. They are copied as links.
      return copy("--ignore-existing");
    });
  }
  return copyAsWorkFolder(
    ssh,
    (path) =>
      runCopy(ssh, [...scpOptions(ssh), folder, at(path)], tools).catch((error: unknown) => {
        if (!(error instanceof TargetsMissing)) throw error;
      }),
    tools.signal,
  );
}

/** A path that was copied back. */
export interface Fetched {
  readonly path: string;
  /** The local path. */
  readonly to: string;
  readonly files: number;
  readonly bytes: number;
}

/** The local path for a path of the rental, in the folder `into`. */
export const placeOf = (path: string, into: string): string =>
  join(into, path.startsWith("/") ? basename(path) : path);

/** Throws if a folder between `into` and `to` is a symbolic link: see `linkInTheWay`. */
async function assertNoLinks(into: string, to: string): Promise<void> {
  for (let place = dirname(to); place.length > into.length; place = dirname(place)) {
    if (await isLink(place)) throw linkInTheWay(place);
  }
}

const isLink = (path: Path): Promise<boolean> =>
  lstat(path).then(
    (facts) => facts.isSymbolicLink(),
    () => false,
  );

/**
 * Copies a path from the rental to its place in the folder `into`. First copies it to a temporary folder in `into`, and
 * moves it once it is complete, so that a partial file never replaces a complete one. Never writes through a symbolic
 * link. Throws `ConnectionLost` or `SaveFailed`; the files that arrived before the error stay in the temporary folder.
 * Each path of a job has its own `index`, so that its partial files are not mixed with those of another path.
 */
export async function copyBack(
  ssh: Ssh,
  { path, index, into }: { readonly path: string; readonly index: number; readonly into: string },
  tools: CopyTools,
): Promise<Fetched> {
  const folder = join(into, `.gpuctl-${ssh.jobId}`);
  const staging = join(folder, String(index));
  const to = placeOf(path, into);
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw saveFailed(staging, error);
  }
  const { args, arrives } = await copyBackArgs(ssh, { path, staging }, tools);
  await runCopy(ssh, args, tools).catch(async (error: unknown) => {
    const isEmpty = await removeEmpty(staging);
    await removeEmpty(folder);
    throw isEmpty || !(error instanceof ConnectionLost)
      ? error
      : new ConnectionLost(`${error.message}. What arrived is in ${staging}`, error.kind);
  });
  try {
    await assertNoLinks(into, to);
    await mkdir(dirname(to), { recursive: true });
    const moved = await moveInto(arrives, to);
    await rm(staging, { recursive: true, force: true });
    await removeEmpty(folder);
    return { path, to, ...moved };
  } catch (error) {
    const { reason } = saveFailed(to, error);
    throw new SaveFailed(to, `${reason}. What arrived is in ${staging}`, { cause: error });
  }
}

/**
 * The arguments that copy a path of the rental to a folder, and the local path of the copy. Follows the path if it is a
 * link, as scp does. rsync then copies the links within a folder as links.
 */
async function copyBackArgs(
  ssh: Ssh,
  { path, staging }: { readonly path: string; readonly staging: string },
  { tool, signal }: CopyTools,
): Promise<{ readonly args: readonly string[]; readonly arrives: string }> {
  const from = (source: string) => `${destination(ssh)}:${source}`;
  if (tool === "scp") {
    const link = await plainLink(ssh, path, signal);
    return { args: [...scpOptions(ssh), from(link), `${staging}/`], arrives: join(staging, basename(link)) };
  }
  const source = remotePath(ssh, path);
  const arrives = join(staging, basename(source));
  const target = await linkTarget(ssh, path, signal);
  if (target === "folder")
    return { args: [...rsyncOptions(ssh), from(`${source}/`), `${arrives}/`], arrives };
  const follow = target === "file" ? ["--copy-links"] : [];
  return { args: [...rsyncOptions(ssh), ...follow, from(source), `${staging}/`], arrives };
}

/** Removes a folder if it is empty, and returns whether it was. */
const removeEmpty = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    () => false,
  );

/** A link may come from a rental and lead to any of the user's folders, so nothing is written through it. */
const linkInTheWay = (path: string): Error =>
  new Error(
    `${path} is a symbolic link, and gpuctl does not copy files from a rental through symbolic links`,
  );

/** A path or a name. It is bytes if a name in it is not valid UTF-8, as is possible on Linux. */
type Path = string | Buffer;

const bytesOf = (path: Path): Buffer => (typeof path === "string" ? Buffer.from(path) : path);

const entryOf = (folder: Path, name: Path): Path =>
  typeof folder === "string" && typeof name === "string"
    ? join(folder, name)
    : Buffer.concat([bytesOf(folder), Buffer.from(sep), bytesOf(name)]);

/**
 * The names in a folder. They are bytes only if one of them could be invalid UTF-8, because Deno cannot read names as
 * bytes.
 */
async function namesIn(folder: Path): Promise<readonly Path[]> {
  const names = await readdir(folder);
  const isLossy = names.some((name) => name.includes("\u{fffd}"));
  return isLossy ? readdir(folder, { encoding: "buffer" }) : names;
}

/**
 * Moves a file, or each file of a folder, to its place, whose parent exists. New folders keep the mode that they have
 * on the rental, except that the owner may always use them.
 */
async function moveInto(from: Path, to: Path): Promise<Pick<Fetched, "files" | "bytes">> {
  const facts = await lstat(from);
  if (!facts.isDirectory()) {
    await moveFile(from, to);
    return { files: 1, bytes: facts.size };
  }
  if (await isLink(to)) throw linkInTheWay(String(to));
  const mode = (facts.mode & 0o777) | 0o700;
  // Otherwise, the files of a read-only folder could not be moved.
  await chmod(from, mode);
  await mkdir(to, { mode }).catch(async (error: unknown) => {
    if (codeOf(error) !== "EEXIST" || !(await stat(to)).isDirectory()) throw error;
  });
  let total = { files: 0, bytes: 0 };
  for (const name of await namesIn(from)) {
    const { files, bytes } = await moveInto(entryOf(from, name), entryOf(to, name));
    total = { files: total.files + files, bytes: total.bytes + bytes };
  }
  await rmdir(from);
  return total;
}

/** Moves a file or a link. If its place is on another disk, first copies it to a temporary name there. */
async function moveFile(from: Path, to: Path): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error;
    const near = join(dirname(String(to)), `.gpuctl-${crypto.randomUUID()}`);
    try {
      await cp(String(from), near, { preserveTimestamps: true, verbatimSymlinks: true });
      await rename(near, to);
      await rm(from);
    } finally {
      await rm(near, { force: true });
    }
  }
}

/** The destination for rsync and scp. An IPv6 address gets brackets, because both tools end the host at a colon. */
const destination = ({ destination }: Ssh): string =>
  destination.includes(":") ? destination.replace(/[^@]+$/, "[$&]") : destination;

/** Copies links as links, and does not keep the owner. With `s`, names need no quotes on the rental. */
const rsyncLetters = "-rlptzs";

/** Copies the target of a link that leads out of the folder. On the rental, the link would lead nowhere. */
const copyOutside = "--copy-unsafe-links";

/** With these options, rsync also continues a file that was only partly copied. */
const rsyncOptions = ({ options }: Ssh): readonly string[] => [
  rsyncLetters,
  "--partial",
  `--timeout=${stallSeconds}`,
  "-e",
  ["ssh", ...options].map(quotedForRsync).join(" "),
];

/** Quotes a word for rsync: within single quotes, two single quotes stand for one. */
const quotedForRsync = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`;

/** After this many seconds without any transfer, rsync gives up. */
const stallSeconds = 120;

const scpOptions = ({ options }: Ssh): readonly string[] => [...options, "-r", "-p", "-q"];

/** The exit status of a copy program if it could not copy some files. It may have other causes, too. */
const someFailed = { rsync: 23, scp: 1 };

/** Everything was copied except links whose targets do not exist. */
class TargetsMissing extends ConnectionLost {}

/**
 * Matches a line on stderr that reports no problem of its own: the last line of rsync or scp, or a warning of the
 * rental's shell.
 */
const harmless =
  /^(rsync (error|warning): |\S*scp: failed to upload directory |\S*sh: (line \d+: )?warning: setlocale: )/;

/**
 * Lines of rsync, and of some releases of scp, for a link whose target does not exist. In the line of scp, only the
 * target can be missing, because scp has already found the link in its folder.
 */
const missingTarget = /^(symlink has no referent: |\S*scp: local stat ".+": No such file or directory$)/;

/** Other lines of scp for a file that does not exist, each with the local path. */
const missingFile = [
  /^\S*scp: open local "(.+)": No such file or directory$/,
  /^\S*scp: upload "(.+?)" to ".+" failed$/,
  /^(\/.+): No such file or directory$/,
];

/** Whether a line on stderr says only that the target of a link does not exist. */
async function reportsMissingTarget(line: string): Promise<boolean> {
  if (missingTarget.test(line)) return true;
  const path = missingFile.map((pattern) => pattern.exec(line)?.[1]).find((one) => one !== undefined);
  if (path === undefined || !(await isLink(path))) return false;
  return stat(path).then(
    () => false,
    (error: unknown) => codeOf(error) === "ENOENT",
  );
}

async function runCopy(
  { cwd }: Ssh,
  args: readonly string[],
  { programs, tool, signal }: CopyTools,
): Promise<void> {
  const errors = collector();
  const status = await programs.stream(tool, args, {
    cwd,
    onStdout: () => {},
    onStderr: errors.add,
    signal,
  });
  signal.throwIfAborted();
  if (status === 0) return;
  const lines = errors
    .text()
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  const problems = lines.filter((line) => !harmless.test(line));
  const areMissing = await Promise.all(problems.map(reportsMissingTarget));
  const others = problems.filter((_, at) => !areMissing[at]);
  const [reason = ""] = [...others, ...lines];
  const hasOnlyMissing = errors.isWhole() && problems.length > 0 && others.length === 0;
  const Failure = status === someFailed[tool] && hasOnlyMissing ? TargetsMissing : ConnectionLost;
  throw new Failure(`${tool} exited with status ${status}${reason && `: ${reason}`}`);
}
