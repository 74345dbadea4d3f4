import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SaveFailed, saveFailed } from "../core/errors.ts";
import type { Programs } from "../system/types.ts";
import { remotePath, workFolder } from "./remote.ts";
import { ConnectionLost, type Ssh } from "./ssh.ts";

export interface CopyTools {
  readonly programs: Pick<Programs, "stream">;
  /** `scp` copies everything again each time; it is used where a side has no rsync. */
  readonly tool: "rsync" | "scp";
  readonly signal: AbortSignal;
}

/** Copies what is in a folder to the working folder of the command. Throws `ConnectionLost`. */
export function copyUp(ssh: Ssh, folder: string, tools: CopyTools): Promise<void> {
  const target = `${destination(ssh)}:${workFolder(ssh)}/`;
  return tools.tool === "rsync"
    ? runCopy(ssh, [...rsyncOptions(ssh), `${folder}/`, target], tools)
    : runCopy(ssh, [...scpOptions(ssh), `${folder}/.`, target], tools);
}

/** What came of a path. */
export interface Fetched {
  readonly path: string;
  /** Where it is now. */
  readonly to: string;
  readonly files: number;
  readonly bytes: number;
}

/** Where a path of the rental goes below a folder. */
const placeOf = (path: string, into: string): string =>
  join(into, path.startsWith("/") ? basename(path) : path);

/** Throws for a symbolic link between a folder and a path below it. See `linkInTheWay`. */
async function assertNoLinks(into: string, to: string): Promise<void> {
  for (let place = dirname(to); place.length > into.length; place = dirname(place)) {
    if (await isLink(place)) throw linkInTheWay(place);
  }
}

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (facts) => facts.isSymbolicLink(),
    () => false,
  );

/**
 * Copies a path from the rental to its place below a folder. It arrives beside its place and is moved there once it is
 * complete, so a file is never replaced by a part of one. A folder is not merged through a symbolic link. Throws
 * `ConnectionLost` and `SaveFailed`; what has arrived then stays beside its place.
 */
export async function copyBack(ssh: Ssh, path: string, into: string, tools: CopyTools): Promise<Fetched> {
  const staging = join(into, `.gpuctl-${ssh.jobId}`);
  const to = placeOf(path, into);
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw saveFailed(staging, error);
  }
  const source = `${destination(ssh)}:${remotePath(ssh, path)}`;
  const options = tools.tool === "rsync" ? rsyncOptions(ssh) : scpOptions(ssh);
  await runCopy(ssh, [...options, source, `${staging}/`], tools);
  try {
    await assertNoLinks(into, to);
    const moved = await moveInto(join(staging, basename(remotePath(ssh, path))), to);
    await rm(staging, { recursive: true, force: true });
    return { path, to, ...moved };
  } catch (error) {
    const { reason } = saveFailed(to, error);
    throw new SaveFailed(to, `${reason}. What arrived is in ${staging}`, { cause: error });
  }
}

/** A link may have come from a rental and lead to any folder of the user, so nothing is written through it. */
const linkInTheWay = (path: string): Error => new Error(`${path} is a symbolic link, which is not followed`);

/** Moves a file, or each file of a folder, to its place. */
async function moveInto(from: string, to: string): Promise<Pick<Fetched, "files" | "bytes">> {
  const facts = await lstat(from);
  if (!facts.isDirectory()) {
    await mkdir(dirname(to), { recursive: true });
    await rename(from, to);
    return { files: 1, bytes: facts.size };
  }
  if (await isLink(to)) throw linkInTheWay(to);
  await mkdir(to, { recursive: true });
  let total = { files: 0, bytes: 0 };
  for (const name of await readdir(from)) {
    const { files, bytes } = await moveInto(join(from, name), join(to, name));
    total = { files: total.files + files, bytes: total.bytes + bytes };
  }
  return total;
}

/** A destination for rsync and scp, which end the host at a colon. */
const destination = ({ destination }: Ssh): string =>
  destination.includes(":") ? destination.replace(/[^@]+$/, "[$&]") : destination;

/** Links stay links, owners are those of the receiving side, and a file that was cut off is continued. */
const rsyncOptions = ({ options }: Ssh): readonly string[] => [
  "-rlptzs",
  "--partial",
  `--timeout=${stallSeconds}`,
  "-e",
  ["ssh", ...options].map(quotedForRsync).join(" "),
];

/** rsync knows single quotes; two of them in quotes are one. */
const quotedForRsync = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`;

/** Seconds without any transfer after which rsync gives up. */
const stallSeconds = 120;

const scpOptions = ({ options }: Ssh): readonly string[] => [...options, "-r", "-p", "-q"];

async function runCopy(
  { cwd }: Ssh,
  args: readonly string[],
  { programs, tool, signal }: CopyTools,
): Promise<void> {
  let problem = "";
  const status = await programs.stream(tool, args, {
    cwd,
    onStdout: () => {},
    onStderr: (bytes) => {
      problem = `${problem}${Buffer.from(bytes).toString()}`.slice(-1000);
    },
    signal,
  });
  signal.throwIfAborted();
  if (status === 0) return;
  const [reason] = problem.split(/\r?\n/).filter((line) => line.trim() !== "");
  throw new ConnectionLost(`${tool} exited with status ${status}${reason ? `: ${reason}` : ""}`);
}
