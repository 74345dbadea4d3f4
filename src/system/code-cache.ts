import { lstatSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire, wrap } from "node:module";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { makeFolderSync, writePrivateFile } from "../core/files.ts";
import { withDefaultFlags } from "../core/runtime/memory-flags.ts";

const checksumBytes = 4;
/** A cached file older than this is assumed to belong to a build that was removed. */
const maxAgeMs = 30 * 24 * 3_600_000;

/**
 * Caches the compiled code of the files in `built`, for Node.js versions without a compile cache. The name of a file
 * must change whenever its contents do. V8 crashes on altered compiled code, so the cache folder must belong to the
 * user and each cached file has a checksum; code that fails either check is compiled again.
 */
export function cacheCode(built: string, cache: string): void {
  const place = join(cache, `code-${process.version}-${process.arch}`);
  const trusted = isOurs(cache) && isOurs(place);
  const compiled = new Map<string, Script>();
  const modules = new Map<string, { readonly exports: unknown }>();
  const nodeRequire = createRequire(join(built, "here"));
  // The `require` of Node.js would look up the folders of each file again, which takes as long as loading the code.
  const requireBuilt = (id: string): unknown =>
    id.startsWith("./") ? exportsOf(basename(id)) : nodeRequire(id);
  function exportsOf(name: string): unknown {
    const filename = join(built, name);
    // Node.js itself loaded the first files, including this one.
    const byNode = nodeRequire.cache[filename];
    const loaded = modules.get(name) ?? (byNode?.loaded ? byNode : undefined);
    if (loaded) return loaded.exports;
    const cached = join(place, name);
    const cachedData = trusted ? read(cached) : undefined;
    const script = withDefaultFlags(
      () => new Script(wrap(sourceOf(filename)), { filename, ...(cachedData && { cachedData }) }),
    );
    if (cachedData === undefined || script.cachedDataRejected) compiled.set(cached, script);
    const module = { exports: {} };
    modules.set(name, module);
    try {
      script.runInThisContext().call(module.exports, module.exports, requireBuilt, module, filename, built);
    } catch (error) {
      modules.delete(name);
      throw error;
    }
    return module.exports;
  }
  const { extensions } = nodeRequire;
  const load = extensions[".js"];
  extensions[".cjs"] = (module, filename) => {
    if (dirname(filename) !== built) return load(module, filename);
    module.exports = exportsOf(basename(filename));
  };
  // The code is stored at exit, when V8 has compiled exactly the functions that the command used.
  process.once("exit", (code) => {
    if (code === 0 && compiled.size > 0) withDefaultFlags(() => store(compiled, cache, place));
  });
}

/**
 * Loads every file in `built`. A failure is ignored: the single executable has no such folder, and a file that needs a
 * package which is not installed fails again when it is used.
 */
export function loadAll(built: string): void {
  const load = createRequire(join(built, "here"));
  try {
    for (const name of readdirSync(built)) if (name.endsWith(".cjs")) attempt(() => load(`./${name}`));
  } catch {}
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {}
}

/** Whether the user owns a folder and no one else can write to it. On Windows, only whether the folder exists. */
function isOurs(folder: string): boolean {
  const facts = lstatSync(folder, { throwIfNoEntry: false });
  if (!facts?.isDirectory()) return false;
  return process.geteuid === undefined || (facts.uid === process.geteuid() && (facts.mode & 0o022) === 0);
}

/** The text of a built file. If the file is missing, throws the error that `require` would throw. */
function sourceOf(filename: string): string {
  try {
    return readFileSync(filename, "utf8");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    throw Object.assign(new Error(`Cannot find module '${filename}'`, { cause: error }), {
      code: "MODULE_NOT_FOUND",
    });
  }
}

/** The compiled code in a file; undefined if it is missing or altered. */
function read(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const end = bytes.length - checksumBytes;
    const code = bytes.subarray(0, end);
    return crc32(code) === bytes.readUInt32LE(end) ? code : undefined;
  } catch {
    return undefined;
  }
}

function store(compiled: ReadonlyMap<string, Script>, cache: string, place: string): void {
  try {
    makeFolderSync(place, 0o700);
    if (!isOurs(cache) || !isOurs(place)) return;
    for (const [file, script] of compiled) {
      const code = script.createCachedData();
      const end = Buffer.alloc(checksumBytes);
      end.writeUInt32LE(crc32(code));
      writePrivateFile(file, Buffer.concat([code, end]));
    }
    removeOld(place);
  } catch {
    // The cache only speeds up the next start.
  }
}

function removeOld(place: string): void {
  for (const name of readdirSync(place)) {
    const file = join(place, name);
    if (Date.now() - statSync(file).mtimeMs > maxAgeMs) rmSync(file, { force: true });
  }
}
