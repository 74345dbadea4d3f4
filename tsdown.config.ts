import license from "rollup-plugin-license";
import { defineConfig } from "tsdown";

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
  plugins: [license({ thirdParty: { output: "dist/THIRD-PARTY-LICENSES.txt" } })],
});
