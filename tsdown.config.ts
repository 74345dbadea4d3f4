import license from "rollup-plugin-license";
import { defineConfig } from "tsdown";
import { chunkOf } from "./scripts/chunks.ts";

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

/** One CommonJS bundle, split at each dynamic import; the libraries are inside, with their licences beside them. */
export default defineConfig({
  entry: { gpuctl: "src/cli/entry.ts" },
  format: "cjs",
  platform: "node",
  target: "node20.19",
  outDir: "dist",
  minify: true,
  dts: false,
  clean: true,
  logLevel: "error",
  inputOptions: { checks: { preferBuiltinFeature: false } },
  outputOptions: { codeSplitting: { groups: [{ name: chunkOf }], includeDependenciesRecursively: false } },
  copy: [
    "node_modules/@jsquash/webp/codec/dec/webp_dec.wasm",
    "node_modules/jq-wasm/dist/build/jq.wasm",
  ],
  plugins: [withoutUnused, license({ thirdParty: { output: "dist/THIRD-PARTY-LICENSES.txt" } })],
});
