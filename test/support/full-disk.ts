import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished, vi } from "vitest";

/**
 * From now on, nothing can be written to new files whose paths contain `part`, because the disk is full. Returns a
 * function that frees the disk.
 */
export const fillDisk = (part: string): (() => void) => failWrites(part, diskFull);

const diskFull = () =>
  Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });

const denied = () =>
  Object.assign(new Error("EACCES: permission denied, open"), { code: "EACCES", syscall: "open" });

type Open = typeof fs.promises.open;

/** Replaces `fs.promises.open`. Returns a function that restores it. */
function replaceOpen(replacement: (open: Open) => Open): () => void {
  const { open } = fs.promises;
  const spy = vi.spyOn(fs.promises, "open").mockImplementation(replacement(open));
  syncBuiltinESMExports();
  const restore = () => {
    spy.mockRestore();
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  return restore;
}

/** From now on, files whose paths end in `end` cannot be opened for `use`. "writing" includes the mode "r+". */
export const denyOpening = (end: string, use: "reading" | "writing"): (() => void) =>
  replaceOpen((open) => async (path, flags, ...others) => {
    const isReading = flags === undefined || flags === "r";
    if (String(path).endsWith(end) && isReading === (use === "reading")) throw denied();
    return open(path, flags, ...others);
  });

/**
 * The disk becomes full after `count` writes to files whose paths end in `end`. Returns a function that frees it for
 * files that are opened later.
 */
export function fillDiskAfter(count: number, end: string): () => void {
  let left = count;
  return replaceOpen((open) => async (path, ...others) => {
    const file = await open(path, ...others);
    if (!String(path).endsWith(end)) return file;
    const { write } = file;
    vi.spyOn(file, "write").mockImplementation((...values) => {
      left -= 1;
      return left < 0 ? Promise.reject(diskFull()) : Reflect.apply(write, file, values);
    });
    return file;
  });
}

/** From now on, the user may not write new files whose paths contain `part`. */
export const denyWrites = (part: string): (() => void) => failWrites(part, denied);

/** From now on, `fs.fdatasync` fails as it does after a disk error. */
export function failFlushes(): void {
  const failure = Object.assign(new Error("EIO: i/o error, fdatasync"), {
    code: "EIO",
    syscall: "fdatasync",
  });
  const spy = vi.spyOn(fs, "fdatasync").mockImplementation((_fd, done) => process.nextTick(done, failure));
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

/** From now on, paths that contain `part` are on another disk: no file can be renamed from one disk to the other. */
export function separateDisk(part: string): void {
  const { rename } = fs.promises;
  const failure = () => Object.assign(new Error("EXDEV: cross-device link not permitted"), { code: "EXDEV" });
  const spy = vi.spyOn(fs.promises, "rename").mockImplementation(async (from, to) => {
    if (String(from).includes(part) !== String(to).includes(part)) throw failure();
    return rename(from, to);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

function failWrites(part: string, failure: () => Error): () => void {
  const { writeFileSync } = fs;
  const { open } = fs.promises;
  const spies = [
    vi.spyOn(fs, "writeFileSync").mockImplementation((path, ...others) => {
      if (String(path).includes(part)) throw failure();
      return writeFileSync(path, ...others);
    }),
    vi.spyOn(fs.promises, "open").mockImplementation(async (path, flags, ...others) => {
      if (flags === "wx" && String(path).includes(part)) throw failure();
      return open(path, flags, ...others);
    }),
  ];
  // Without this, modules that are already loaded would still use the original functions.
  syncBuiltinESMExports();
  const free = () => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  };
  onTestFinished(free);
  return free;
}
