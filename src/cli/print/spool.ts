import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { CannotPrint, reasonOf } from "../../core/errors.ts";

/** How many characters are held in memory before a file is used. */
const maxInMemory = 250_000;
const chunkSize = 65_536;

/**
 * Yields text only after its source has ended, and yields nothing if the source fails. Long text is buffered in a
 * private temporary file in `folder`. Throws `CannotPrint` if that file cannot be written.
 */
export async function* spooled(pieces: AsyncIterable<string>, folder: string): AsyncGenerator<string> {
  const held: string[] = [];
  let size = 0;
  let file: TemporaryFile | undefined;
  try {
    for await (const piece of pieces) {
      held.push(piece);
      size += piece.length;
      if (size < maxInMemory) continue;
      file ??= await orCannotPrint(folder, openTemporaryFile(folder));
      await orCannotPrint(folder, file.handle.appendFile(held.splice(0).join("")));
      size = 0;
    }
    if (file !== undefined) yield* contents(file.handle);
    yield held.join("");
  } finally {
    await file?.close();
  }
}

async function orCannotPrint<Value>(folder: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw new CannotPrint(`cannot buffer the result in ${folder}: ${reasonOf(cause)}`);
  }
}

interface TemporaryFile {
  readonly handle: FileHandle;
  readonly close: () => Promise<void>;
}

/** Opens a file and unlinks it at once where the system allows that, so that even a killed process leaves no file. */
async function openTemporaryFile(folder: string): Promise<TemporaryFile> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `gpuctl-${crypto.randomUUID()}`);
  const handle = await open(path, "wx+", 0o600);
  const remove = () => rm(path, { force: true });
  await remove().catch(() => {});
  return {
    handle,
    close: async () => {
      await handle.close();
      await remove();
    },
  };
}

/** Reads the text of a file in pieces of whole lines, so that no secret is split. Only a very long line is split. */
async function* contents(handle: FileHandle): AsyncGenerator<string> {
  const buffer = Buffer.alloc(chunkSize);
  const decoder = new StringDecoder();
  let rest = "";
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, chunkSize, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const text = rest + decoder.write(buffer.subarray(0, bytesRead));
    const end = text.length < maxInMemory ? text.lastIndexOf("\n") + 1 : text.length;
    rest = text.slice(end);
    yield text.slice(0, end);
  }
  yield rest;
}
