import { createHash } from "node:crypto";
import type { Context } from "../../context/context.ts";
import { decodeBase64 } from "../../media/base64.ts";
import { type Destination, destination, folderOf } from "../../media/destination.ts";
import type { NameValues } from "../../media/filename.ts";
import { canSaveTo } from "../../media/folders.ts";
import { type MediaType, sniff } from "../../media/sniff.ts";
import { reasonOf, UsageError, UselessAnswer } from "../errors.ts";
import type { Args } from "../spec.ts";
import { keep, type Refuge } from "./keep.ts";

/** Where results go, found to be writable before anything is paid for. */
export interface Landing {
  readonly to: Destination;
  readonly force: boolean;
  readonly metadata: boolean;
  readonly refuge: Refuge;
}

export interface Landed {
  readonly path: string;
  /** Size of the file in bytes. */
  readonly bytes: number;
  readonly sha256: string;
}

/** What `--out`, `--force` and `--no-metadata` came to. Throws when nothing could be saved there. */
export async function landingOf(
  flags: Args["flags"],
  { files, settings, say }: Pick<Context, "files" | "settings" | "say">,
): Promise<Landing> {
  const out = flags.out === undefined ? undefined : String(flags.out);
  const to = await destination(out, files.resolve("."));
  if (to.kind === "stdout") {
    if (settings.output !== "table") {
      throw new UsageError(
        `--out - writes bytes, and --output ${settings.output} writes text: leave one out`,
      );
    }
    if (files.stdoutIsTerminal) {
      throw new UsageError("--out - writes bytes, and stdout is a terminal: name a file or use a pipe");
    }
  } else if (!settings.dryRun) {
    await canSaveTo(folderOf(to), to);
  }
  const refuge = { folders: [files.resolve("."), files.temporary], say };
  return { to, force: flags.force === true, metadata: flags["no-metadata"] !== true, refuge };
}

interface Result {
  readonly kind: MediaType["kind"];
  readonly count: number;
  readonly names: Omit<NameValues, "ext">;
  /** What is still to be done to the bytes before they are saved. */
  readonly finish: (bytes: Uint8Array) => Uint8Array;
}

/** Base64 to bytes to a file, or to stdout. Its type is that of the bytes; nothing is replaced unless forced. */
export async function land(
  base64: string,
  landing: Landing,
  result: Result,
): Promise<Landed | { bytes: Uint8Array }> {
  const decoded = decode(base64);
  const type = sniff(decoded);
  if (type?.kind !== result.kind)
    throw new UselessAnswer(`the answer is no ${result.kind} that can be recognised`);
  const bytes = result.finish(decoded);
  const { to } = landing;
  if (to.kind === "stdout") return { bytes };
  const names = { ...result.names, ext: type.ext };
  const { path, renamed } = await keep(to, { bytes, names, count: result.count }, landing);
  if (renamed) landing.refuge.say(`The bytes are ${type.mime}, so the file is ${path}`);
  return { path, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

function decode(base64: string): Uint8Array {
  try {
    return decodeBase64(base64);
  } catch (cause) {
    throw new UselessAnswer(`the answer cannot be decoded: ${reasonOf(cause)}`);
  }
}
