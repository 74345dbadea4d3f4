import { EmptyResult, reasonOf, SomeFailed } from "../../core/errors.ts";
import {
  InterruptedWrite,
  type Received,
  StreamTruncated,
  UnknownOutcome,
} from "../../core/service-errors.ts";
import type { Files } from "../../system/types.ts";

/**
 * Saves what was received of each response that was paid for but could not be used. Returns a sentence for each, which
 * says where it was saved or why it could not be saved. Returns undefined for an error without such a response.
 */
export async function keptResponse(
  error: unknown,
  { files, date }: { readonly files: Files; readonly date: Date },
): Promise<string | undefined> {
  const received = receivedIn(error);
  if (received.length === 0) return undefined;
  const { keep } = await import("../../media/keep.ts");
  const folders = fallbackFolders(files);
  const sentences = received.map(async ({ bytes, complete }) => {
    const thing = complete ? "response" : "incomplete response";
    try {
      return `The ${thing} was saved to ${await keep(bytes, { folders, date, thing })}.`;
    } catch (cause) {
      return `${reasonOf(cause)}.`;
    }
  });
  return (await Promise.all(sentences)).join(" ");
}

function receivedIn(error: unknown): readonly Received[] {
  if (error instanceof SomeFailed) return error.failures.flatMap(({ error }) => receivedIn(error));
  const hasResponse =
    error instanceof EmptyResult ||
    error instanceof UnknownOutcome ||
    error instanceof InterruptedWrite ||
    error instanceof StreamTruncated;
  return hasResponse && error.received ? [error.received] : [];
}

/**
 * Folders for output that cannot be stored where it belongs: first the current folder, unless it was deleted, then the
 * temporary folder.
 */
export function fallbackFolders(files: Files): readonly string[] {
  const { temporary } = files.folders;
  try {
    return [files.cwd, temporary];
  } catch {
    return [temporary];
  }
}
