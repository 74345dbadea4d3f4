import license from "rollup-plugin-license";
import { defineConfig } from "tsdown";

/** commander loads this for subcommands that are programs of their own; there are none, and it slows every start. */
const withoutSubprograms = {
  name: "without-subprograms",
  resolveId: (source: string, importer?: string) =>
    source === "node:child_process" && importer?.includes("/commander/") ? "\0none" : undefined,
  load: (id: string) => (id === "\0none" ? "export {}" : undefined),
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
  logLevel: "warn",
  inputOptions: { checks: { preferBuiltinFeature: false } },
  copy: ["node_modules/@jsquash/webp/codec/dec/webp_dec.wasm"],
  plugins: [withoutSubprograms, license({ thirdParty: { output: "dist/THIRD-PARTY-LICENSES.txt" } })],
});
