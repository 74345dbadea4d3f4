import license from "rollup-plugin-license";
import { defineConfig, type UserConfig } from "tsdown";
import { chunkOf } from "./scripts/chunks.ts";
import { licencesOf } from "./scripts/licences.ts";

/**
 * What libraries load and gpuctl has no use for: commander's way to run subcommands that are programs of their own,
 * cli-table3's table of wide characters, which is given plain text only, and conf's search for a folder, which is
 * given one.
 */
const unused: readonly { importer: string; source: string; instead: string }[] = [
  { importer: "/commander/", source: "node:child_process", instead: "export {}" },
  { importer: "/conf/", source: "env-paths", instead: "export default () => ({})" },
  { importer: "/cli-table3/", source: "string-width", instead: "module.exports = (text) => text.length" },
];
const withoutUnused = {
  name: "without-unused",
  resolveId: (source: string, importer?: string) => {
    const at = unused.findIndex((one) => one.source === source && importer?.includes(one.importer));
    return at < 0 ? undefined : `\0unused-${at}`;
  },
  load: (id: string) => unused[Number(/^\0unused-(\d+)$/.exec(id)?.[1])]?.instead,
};

const thirdParty = { file: "dist/THIRD-PARTY-LICENSES.txt", template: licencesOf };

/** The entry needs none of the bundler's helpers, and is spared reading them: they do nothing by themselves. */
const withoutIdleHelpers = {
  name: "without-idle-helpers",
  renderChunk: (code: string, { isEntry }: { isEntry: boolean }) =>
    isEntry && code.split("require_rolldown_runtime").length === 2
      ? code.replace(/^const require_rolldown_runtime = .*\n/m, "")
      : code,
};

/** The way to load a part of Node.js as an ES module takes 2 ms more than the other. */
const requiredBuiltins = {
  name: "required-builtins",
  renderChunk: (code: string) =>
    code.replace(/\bimport\(("node:[\w/]+")\)/g, "Promise.resolve().then(() => require($1))"),
};

/** The same for every bundle: the libraries are inside, the optional packages outside. */
const shared = {
  platform: "node",
  target: "node20.19",
  clean: true,
  logLevel: "error",
  inputOptions: { checks: { preferBuiltinFeature: false } },
  copy: ["node_modules/@jsquash/webp/codec/dec/webp_dec.wasm", "node_modules/jq-wasm/dist/build/jq.wasm"],
} satisfies UserConfig;

export default defineConfig([
  /** The tool: CommonJS, split at each dynamic import, with the licences of the libraries beside it. */
  {
    ...shared,
    entry: { gpuctl: "src/cli/entry.ts" },
    format: "cjs",
    outDir: "dist",
    minify: true,
    dts: false,
    outputOptions: { codeSplitting: { groups: [{ name: chunkOf }], includeDependenciesRecursively: false } },
    plugins: [
      withoutUnused,
      withoutIdleHelpers,
      requiredBuiltins,
      license({ thirdParty: { output: thirdParty } }),
    ],
  },
  /** What programs import. Every library in it is in the tool, too; a test holds it to that. */
  {
    ...shared,
    entry: { client: "src/library/client.ts", sandbox: "src/library/sandbox.ts" },
    format: ["esm", "cjs"],
    outDir: "dist/library",
    dts: true,
    // `await using` has types of its own, which a program without Node's types may lack.
    banner: { dts: '/// <reference lib="esnext.disposable" />' },
  },
]);
