import { randomBytes } from "node:crypto";
import * as fs from "node:fs/promises";
import { codeOf } from "./save-failed.ts";

/** The calls that put bytes on a disk, so that a test can have a disk that is full or has no hard links. */
export type Disk = Pick<typeof fs, "open" | "link" | "rename" | "unlink">;

/** File systems that cannot flush one file say so with these; the bytes are written all the same. */
const CANNOT_FLUSH = ["EINVAL", "ENOSYS", "ENOTSUP"];

/**
 * Runs `use` with a new file in `folder` that holds the bytes, flushed to the disk. Afterwards its temporary
 * name is gone, whatever happened.
 */
export async function withTemporary<T>(
  folder: string,
  bytes: Uint8Array,
  use: (temporary: string) => Promise<T>,
  disk: Disk = fs,
): Promise<T> {
  const temporary = `${folder}/.gpuctl-${randomBytes(12).toString("hex")}.part`;
  const file = await disk.open(temporary, "wx", 0o666);
  try {
    try {
      await file.writeFile(bytes);
      await file.sync().catch((error: unknown) => {
        if (!CANNOT_FLUSH.includes(codeOf(error))) throw error;
      });
    } finally {
      await file.close();
    }
    return await use(temporary);
  } finally {
    await disk.unlink(temporary).catch(() => undefined);
  }
}
