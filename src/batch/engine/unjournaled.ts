import { UsageError } from "../../core/errors.ts";
import { asRecord, isRecord, parseJson } from "../../core/json.ts";
import type { BatchFiles } from "../files.ts";
import type { ResultRecord } from "../journal.ts";
import { type Line, ownLinesOf } from "../read-lines.ts";

/** A result in the output that is not in the journal, because the last run ended before it wrote to the journal. */
interface UnjournaledResult {
  readonly id: string;
  readonly event: ResultRecord["event"];
  /** The length in bytes of the output up to the end of this result's line. */
  readonly end: number;
}

interface UnjournaledOptions {
  readonly files: Pick<BatchFiles, "read">;
  readonly out: string;
  /** How many bytes of the output the journal accounts for. */
  readonly outputEnd: number;
  /** Whether the request with this ID was in flight when the last run ended and has no earlier result in the output. */
  readonly isInFlight: (id: string) => boolean;
}

/**
 * The results in the output that are not in the journal. A torn line after them is left out and may be cut off.
 * @throws UsageError for any other line, because it may be a result or the user's own text, and for a torn line before a
 * result, because cutting it off would also cut off that result
 */
export async function* unjournaledResults({
  files,
  out,
  outputEnd,
  isInFlight,
}: UnjournaledOptions): AsyncGenerator<UnjournaledResult> {
  const unexpected = async ({ number }: Line, isResult: boolean) => {
    const before = await lineFeedsIn(files.read(out), outputEnd);
    return unexpectedLine(`${out}:${before + number}`, out, isResult);
  };
  let torn: Line | undefined;
  for await (const line of ownLinesOf(files.read(out, outputEnd), `${out} after byte ${outputEnd}`)) {
    const value = parseJson(line.text);
    const { custom_id: id, response, error } = asRecord(value);
    if (typeof id === "string" && isInFlight(id)) {
      if (line.isOpen) return;
      if (torn) throw await unexpected(torn, false);
      yield { id, event: eventOf(asRecord(response).status_code, error), end: outputEnd + line.end };
    } else if (isRecord(value) || !isTornLine(line)) throw await unexpected(line, typeof id === "string");
    else torn ??= line;
  }
}

function unexpectedLine(place: string, out: string, isResult: boolean): UsageError {
  return new UsageError(
    `${place} is not ${isResult ? "accounted for by the journal" : "a result of the batch"}`,
    {
      hint: isResult
        ? // If the request of this line were sent again, the user would pay twice.
          `Nothing was sent, and ${out} was not changed. If the journal is an old copy, restore the newest one. If you added the line yourself, move it to another file. Then run the same command line again.`
        : `Nothing was sent, and ${out} was not changed. Move this line to another file, or restore ${out}. Then run the same command line again.`,
    },
  );
}

/** The outcome is known only if the line has no `error` and its status is 2xx or 4xx. */
function eventOf(status: unknown, error: unknown): ResultRecord["event"] {
  if (error !== null || typeof status !== "number") return "unknown";
  if (status >= 200 && status < 300) return "done";
  return status >= 400 && status < 500 ? "failed" : "unknown";
}

/**
 * Whether a line that is not a result may be cut off. A run that was killed may leave the start of a result. After a
 * power loss, a line may hold NUL bytes instead of text that did not reach the disk. A blank line holds nothing.
 */
function isTornLine({ text, isOpen }: Line): boolean {
  if (text.includes("\0") || text.trim() === "") return true;
  return isOpen && text.startsWith("{");
}

/** How many lines end in the first `length` bytes. */
async function lineFeedsIn(chunks: AsyncIterable<Uint8Array>, length: number): Promise<number> {
  let [count, left] = [0, length];
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(left, chunk.length));
    for (let at = bytes.indexOf("\n"); at >= 0; at = bytes.indexOf("\n", at + 1)) count += 1;
    left -= bytes.length;
    if (left === 0) break;
  }
  return count;
}
