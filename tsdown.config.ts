import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import license from "rollup-plugin-license";
import { defineConfig, type Rolldown, type UserConfig } from "tsdown";
import { chunkOf } from "./scripts/chunks.ts";
import { licensesOf } from "./scripts/licenses.ts";

/** Imports of libraries that gpuctl replaces in its bundle. */
const replacements: readonly { importer: string; source: string; code: string }[] = [
  // A default import copies every property of a module, and `node:process` has a hundred properties.
  { importer: "/src/system/", source: "node:process", code: "export default process" },
  // commander can run subcommands as separate programs, which gpuctl does not use.
  { importer: "/commander/", source: "node:child_process", code: "export {}" },
  // gpuctl prints its own help and suggestions.
  { importer: "/commander/lib/", source: "./help.js", code: "exports.Help = class {}" },
  { importer: "/commander/", source: "./lib/help.js", code: "exports.Help = class {}" },
  { importer: "/commander/", source: "./suggestSimilar", code: "exports.suggestSimilar = () => ''" },
  // chalk detects color support from the environment. gpuctl has already decided when it loads chalk.
  {
    importer: "/chalk/",
    source: "#supports-color",
    code: "export default { stdout: { level: 1 }, stderr: { level: 1 } }",
  },
  // The regular expressions of fast-string-width take 2 ms, and nearly all text is ASCII.
  {
    importer: "/src/output/display-width.ts",
    source: "fast-string-width",
    code: `let width;
      module.exports = (text) => (width ??= require(${JSON.stringify(resolve("node_modules/fast-string-width/dist/index.js"))}).default)(text);`,
  },
  // when-exit ends the process again with each signal that it gets. gpuctl handles signals itself, and then exits.
  {
    importer: "/atomically/",
    source: "when-exit",
    code: 'export default (callback) => { process.once("exit", () => callback()); return () => {}; }',
  },
  // conf computes a default folder. gpuctl always passes one.
  { importer: "/conf/", source: "env-paths", code: "export default () => ({})" },
  // cli-table3 measures text with string-width 4, which does not support newer emoji and combining scripts. It would
  // truncate text that gpuctl has already fitted.
  {
    importer: "/cli-table3/",
    source: "string-width",
    code: `const { displayWidth } = require(${JSON.stringify(resolve("src/output/display-width.ts"))});
      module.exports = (text) => displayWidth(text, Infinity);`,
  },
];
const replaceImports = {
  name: "replace-imports",
  resolveId: (source: string, importer?: string) => {
    const at = replacements.findIndex((one) => one.source === source && importer?.includes(one.importer));
    return at < 0 ? undefined : `\0replacement-${at}`;
  },
  load: (id: string) => replacements[Number(/^\0replacement-(\d+)$/.exec(id)?.[1])]?.code,
};

/**
 * rolldown loads its runtime in every chunk. The entry does not need it, and loading one file fewer saves 5% of
 * `gpuctl --version`.
 */
const runtime = "require_rolldown_runtime";
const dropUnusedRuntime = {
  name: "drop-unused-runtime",
  renderChunk(this: Rolldown.PluginContext, code: string, { isEntry }: { isEntry: boolean }) {
    if (!isEntry || code.split(runtime).length !== 2) return undefined;
    const declaration = this.parse(code).body.find(
      (node) =>
        node.type === "VariableDeclaration" &&
        node.declarations.some(({ id }) => id.type === "Identifier" && id.name === runtime),
    );
    return declaration && code.slice(0, declaration.start) + code.slice(declaration.end);
  },
};

/** A file without characters beyond ASCII takes half as long to read. No option of the bundler escapes them. */
const inAscii = {
  name: "in-ascii",
  generateBundle(_options: unknown, bundle: Rolldown.OutputBundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === "chunk") file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
    }
  },
};
const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * jq.wasm is built with at most 256 MiB of memory, which a list of 70,000 rentals fills. gpuctl raises the limit to the
 * most that its JavaScript can address. The limit is the end of the section that declares the memory.
 */
const moreMemoryForJq = {
  name: "more-memory-for-jq",
  transform: (code: string, id: string) =>
    id.includes("/jq-wasm/")
      ? replaced(code, "getHeapMax = () => 268435456", "getHeapMax = () => 2147483648")
      : undefined,
  generateBundle(this: Rolldown.PluginContext) {
    const wasm = readFileSync("node_modules/jq-wasm/dist/build/jq.wasm", "latin1");
    // Section 5, its length, one memory with a limit, 256 pages, and at most 4,096 pages, which become 32,768.
    const more = replaced(wasm, "\x05\x06\x01\x01\x80\x02\x80\x20", "\x05\x07\x01\x01\x80\x02\x80\x80\x02");
    this.emitFile({ type: "asset", fileName: "jq.wasm", source: Buffer.from(more, "latin1") });
  },
};
function replaced(text: string, from: string, to: string): string {
  const parts = text.split(from);
  if (parts.length !== 2)
    throw new Error(`jq-wasm has changed: ${JSON.stringify(from)} does not occur exactly once`);
  return parts.join(to);
}

const thirdParty = { file: "dist/THIRD-PARTY-LICENSES.txt", template: licensesOf };

/** Options of all bundles. Bundles contain the libraries, but not the optional packages. */
const shared = {
  platform: "node",
  target: "node20.19",
  clean: true,
  logLevel: "error",
  inputOptions: { checks: { preferBuiltinFeature: false } },
} satisfies UserConfig;

/** The decoders of the sandbox for pictures. The build copies them next to the bundle that loads them. */
const decoders = [
  "node_modules/@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm",
  "node_modules/@jsquash/webp/codec/dec/webp_dec.wasm",
];

const library = {
  ...shared,
  entry: { client: "src/library/client.ts", sandbox: "src/library/sandbox.ts" },
  outDir: "dist/library",
  dts: true,
  // `await using` needs types that a program without Node's types may lack.
  banner: { dts: '/// <reference lib="esnext.disposable" />' },
} satisfies UserConfig;

export default defineConfig([
  /** The tool: CommonJS, split into chunks at dynamic imports, with the licenses of the libraries. */
  {
    ...shared,
    // A worker runs jq, and loads it by its file name.
    entry: { gpuctl: "src/cli/start/entry.ts", "jq-wasm": "node_modules/jq-wasm/dist/index.cjs" },
    format: "cjs",
    outDir: "dist",
    copy: decoders,
    minify: true,
    dts: false,
    outputOptions: {
      // Loading a built-in module with import() takes 2 ms longer than with require().
      dynamicImportInCjs: false,
      codeSplitting: { groups: [{ name: chunkOf }], includeDependenciesRecursively: false },
    },
    plugins: [
      replaceImports,
      moreMemoryForJq,
      dropUnusedRuntime,
      inAscii,
      license({ thirdParty: { output: thirdParty } }),
    ],
  },
  /** The library that programs import. A test checks that the tool contains every third-party library of this bundle. */
  { ...library, format: "esm", copy: decoders },
  {
    ...library,
    format: "cjs",
    // Jest runs CommonJS in a context that rejects import().
    outputOptions: { dynamicImportInCjs: false },
    clean: false,
  },
]);
