import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { CannotPrint, reasonOf } from "../commands/errors.ts";

/** Characters that are kept in memory before a file is taken. */
const MOST_IN_MEMORY = 250_000;
const READ_AT_ONCE = 65_536;

/**
 * Text that is handed on when all of it came, and not at all when its source fails. What is long waits in a file of the
 * folder, which nobody else can read and which is gone at the end whatever happens. Throws `CannotPrint` when there is no room for it.
 */
export async function* spooled(
  pieces: AsyncIterable<string>,
  folder: string,
): AsyncGenerator<string | Uint8Array> {
  const held: string[] = [];
  let size = 0;
  let file: Unnamed | undefined;
  try {
    for await (const piece of pieces) {
      held.push(piece);
      size += piece.length;
      if (size < MOST_IN_MEMORY) continue;
      file ??= await told(folder, openUnnamed(folder));
      await told(folder, file.handle.appendFile(held.splice(0).join("")));
      size = 0;
    }
    if (file !== undefined) yield* contents(file.handle);
    yield held.join("");
  } finally {
    await file?.close();
  }
}

async function told<Value>(folder: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw new CannotPrint(`the result cannot be kept in ${folder} until it is whole: ${reasonOf(cause)}`);
  }
}

interface Unnamed {
  readonly handle: FileHandle;
  readonly close: () => Promise<void>;
}

/** A file that loses its name at once where the system allows it, so that even a process that is killed leaves none. */
async function openUnnamed(folder: string): Promise<Unnamed> {
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

/** Each piece holds until the next one is asked for. */
async function* contents(handle: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(READ_AT_ONCE);
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, READ_AT_ONCE, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}
