import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire, wrap } from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

type Checksum = (bytes: Uint8Array) => number;

const checksumBytes = 4;
/** What nobody wrote for so many milliseconds is of a build that is gone. */
const oldAfterMs = 30 * 24 * 3_600_000;

/**
 * Keeps the compiled code of the files of a folder between runs, on a Node.js that does not by itself, below a folder
 * that is the user's own. A file's name has to change with its contents. V8 crashes on compiled code that was altered:
 * what is kept has a checksum, and what does not fit it is compiled anew. Where nothing can be kept, everything is.
 */
export async function keepCode(built: string, cache: string): Promise<void> {
  const { crc32 } = await import("node:zlib");
  const place = join(cache, `code-${process.version}-${process.arch}`);
  const trusted = isOurs(cache) && isOurs(place);
  const compiled = new Map<string, Script>();
  const { extensions } = createRequire(join(built, "here"));
  const usual = extensions[".js"];
  extensions[".cjs"] = (module, filename) => {
    if (dirname(filename) !== built) return usual(module, filename);
    const source = readFileSync(filename, "utf8");
    // Code that is run this way cannot load an ES module.
    if (/\bimport\(/.test(source)) return usual(module, filename);
    const kept = join(place, basename(filename));
    const cachedData = trusted ? read(kept, crc32) : undefined;
    const script = new Script(wrap(source), { filename, ...(cachedData && { cachedData }) });
    if (cachedData === undefined || script.cachedDataRejected) compiled.set(kept, script);
    const { exports } = module;
    script.runInThisContext().call(exports, exports, createRequire(filename), module, filename, built);
  };
  // By then V8 has compiled what the command line needed, and no more.
  process.once("exit", (code) => {
    if (code === 0 && compiled.size > 0) keep(compiled, { cache, place }, crc32);
  });
}

/** Whether a folder is the user's, and nobody else may write there. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return false;
  return process.geteuid === undefined || (found.uid === process.geteuid() && (found.mode & 0o022) === 0);
}

/** The compiled code in a file; nothing when it is not there or altered. */
function read(file: string, checksum: Checksum): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const end = bytes.length - checksumBytes;
    const code = bytes.subarray(0, end);
    return checksum(code) === bytes.readUInt32LE(end) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Each file is written beside its place and moved there, so that nobody reads half of one. */
function keep(
  compiled: ReadonlyMap<string, Script>,
  { cache, place }: { readonly cache: string; readonly place: string },
  checksum: Checksum,
): void {
  try {
    for (const folder of [dirname(cache), cache, place]) makeFolder(folder);
    if (!isOurs(cache) || !isOurs(place)) return;
    for (const [file, script] of compiled) {
      const code = script.createCachedData();
      const end = Buffer.alloc(checksumBytes);
      end.writeUInt32LE(checksum(code));
      const temporary = `${file}.${process.pid}`;
      try {
        writeFileSync(temporary, Buffer.concat([code, end]), { mode: 0o600 });
        renameSync(temporary, file);
      } finally {
        rmSync(temporary, { force: true });
      }
    }
    removeOld(place);
  } catch {
    // It starts as before.
  }
}

function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { mode: 0o700 });
}

function removeOld(place: string): void {
  for (const name of readdirSync(place)) {
    const file = join(place, name);
    if (Date.now() - statSync(file).mtimeMs > oldAfterMs) rmSync(file, { force: true });
  }
}
