import { lstatSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire, wrap } from "node:module";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { Script } from "node:vm";
import { makeFolderSync, writePrivateFile } from "../core/files.ts";

type Checksum = (bytes: Uint8Array) => number;

const checksumBytes = 4;
/** Milliseconds after which a file that no run has written belongs to a build that is gone. */
const maxAgeMs = 30 * 24 * 3_600_000;

/**
 * Caches the compiled code of the files in a folder, on a Node.js that does not do so itself, in a folder that belongs to
 * the user. A file's name must change with its contents. V8 crashes on compiled code that was altered, so each cached
 * file has a checksum, and is compiled again when it does not match. Without a usable folder everything is compiled.
 */
export async function cacheCode(built: string, cache: string): Promise<void> {
  const { crc32 } = await import("node:zlib");
  const place = join(cache, `code-${process.version}-${process.arch}`);
  const trusted = isOurs(cache) && isOurs(place);
  const compiled = new Map<string, Script>();
  const { extensions } = createRequire(join(built, "here"));
  const load = extensions[".js"];
  extensions[".cjs"] = (module, filename) => {
    if (dirname(filename) !== built) return load(module, filename);
    const source = readFileSync(filename, "utf8");
    // A script that runs this way cannot use `import()`.
    if (/\bimport\(/.test(source)) return load(module, filename);
    const cached = join(place, basename(filename));
    const cachedData = trusted ? read(cached, crc32) : undefined;
    const script = new Script(wrap(source), { filename, ...(cachedData && { cachedData }) });
    if (cachedData === undefined || script.cachedDataRejected) compiled.set(cached, script);
    const { exports } = module;
    script.runInThisContext().call(exports, exports, createRequire(filename), module, filename, built);
  };
  // At exit V8 has compiled exactly what the command line needed.
  process.once("exit", (code) => {
    if (code === 0 && compiled.size > 0) store(compiled, { cache, place }, crc32);
  });
}

/** Whether a folder belongs to the user, and no one else may write there. */
function isOurs(folder: string): boolean {
  const facts = lstatSync(folder, { throwIfNoEntry: false });
  if (!facts?.isDirectory()) return false;
  return process.geteuid === undefined || (facts.uid === process.geteuid() && (facts.mode & 0o022) === 0);
}

/** The compiled code in a file; undefined when it is missing or altered. */
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

function store(
  compiled: ReadonlyMap<string, Script>,
  { cache, place }: { readonly cache: string; readonly place: string },
  checksum: Checksum,
): void {
  try {
    makeFolderSync(place, 0o700);
    if (!isOurs(cache) || !isOurs(place)) return;
    for (const [file, script] of compiled) {
      const code = script.createCachedData();
      const end = Buffer.alloc(checksumBytes);
      end.writeUInt32LE(checksum(code));
      writePrivateFile(file, Buffer.concat([code, end]));
    }
    removeOld(place);
  } catch {
    // The next start is as slow as this one.
  }
}

function removeOld(place: string): void {
  for (const name of readdirSync(place)) {
    const file = join(place, name);
    if (Date.now() - statSync(file).mtimeMs > maxAgeMs) rmSync(file, { force: true });
  }
}
