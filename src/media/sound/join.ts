import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { extname } from "node:path";
import { readMp3 } from "./mp3.ts";
import { CannotJoin, type Sound } from "./sound.ts";
import { readWav } from "./wav.ts";

export interface JoinedSound {
  /** Without a dot. */
  readonly ext: string;
  /** The content of the joined file, read from the parts as it is consumed. */
  readonly bytes: () => AsyncGenerator<Uint8Array>;
}

const readers: Readonly<Record<string, (file: FileHandle) => Promise<Sound>>> = {
  ".wav": readWav,
  ".mp3": readMp3,
};

/**
 * Joins recordings in order. The extension of a file determines its format. Throws `CannotJoin`, with the reason as its
 * message, if there are no files, if a file is not a valid WAV or MP3 file or has no sound, if the files differ in
 * format, sample rate, channels or bits, or if they are too long for one WAV file.
 */
export async function joinSound(paths: readonly string[]): Promise<JoinedSound> {
  const parts: { readonly path: string; readonly sound: Sound }[] = [];
  for (const path of paths) parts.push({ path, sound: await read(path) });
  const [first] = parts;
  if (first === undefined) throw new CannotJoin("there are no parts");
  for (const [index, { path, sound }] of parts.entries()) {
    if (sound.end <= sound.start) throw new CannotJoin(`part ${index + 1} has no sound`);
    const [one, other] = [describe(first), describe({ path, sound })];
    if (one !== other) throw new CannotJoin(`part 1 is ${one}, and part ${index + 1} is ${other}`);
  }
  const total = parts.reduce((sum, { sound }) => sum + sound.end - sound.start, 0);
  const { head, tail } = first.sound.frame(total);
  return {
    ext: extname(first.path).slice(1),
    bytes: async function* () {
      yield head;
      for (const { path, sound } of parts) {
        yield* createReadStream(path, { start: sound.start, end: sound.end - 1 });
      }
      yield tail;
    },
  };
}

const describe = ({ path, sound }: { readonly path: string; readonly sound: Sound }): string =>
  `${extname(path).slice(1).toUpperCase()} (${sound.format})`;

async function read(path: string): Promise<Sound> {
  const ext = extname(path);
  const reader = readers[ext];
  if (reader === undefined)
    throw new CannotJoin(`gpuctl joins WAV and MP3 files, not ${ext.slice(1).toUpperCase()}`);
  const file = await open(path);
  try {
    return await reader(file);
  } catch (error) {
    if (error instanceof CannotJoin || isOfDisk(error)) throw error;
    // The reader found unexpected bytes. The caller then saves the parts separately, because they were paid for.
    throw new CannotJoin(`an invalid ${ext.slice(1).toUpperCase()} file`, { cause: error });
  } finally {
    await file.close();
  }
}

const isOfDisk = (error: unknown): boolean => error instanceof Error && "syscall" in error;
