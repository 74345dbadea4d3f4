/**
 * Writes every file that is derived from the contract and the commands, or with `--check` says which ones are stale.
 * What the commands read is written first, so that one run is enough.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { plainRoutes } from "../src/contract/plain/routes.ts";
import { libraryTypes } from "./library-types.ts";

const check = process.argv.includes("--check");
const stale: string[] = [];

/** Puts a text where it belongs, or notes that another one stands there. */
async function put(path: string, text: string): Promise<void> {
  if ((await readFile(path, "utf8").catch(() => undefined)) === text) return;
  stale.push(path);
  if (check) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const header = "// Made by `npm run generate`; do not edit.\n";

await put(
  "src/contract/generated/routes.ts",
  `${header}import type { OperationId } from "../index.ts";
import type { Route } from "../plain/route.ts";

export const routes: Readonly<Record<OperationId, Route>> = ${JSON.stringify(plainRoutes(), null, 2)};
`,
);

const { version, engines } = JSON.parse(await readFile("package.json", "utf8")) as {
  version: string;
  engines: { node: string };
};
const ofVersion = `/** The version of gpuctl. */
export const version = ${JSON.stringify(version)};
`;
await put("src/library/generated/version.ts", `${header}${ofVersion}`);
await put(
  "src/cli/start/generated/version.ts",
  `${header}${ofVersion}
/** The versions of Node.js that it runs on. */
export const neededNode = ${JSON.stringify(engines.node)};
`,
);
await put("src/library/generated/types.ts", `${header}${await libraryTypes()}`);

const { commandTree } = await import("./command-tree.ts");
const { tree, loaders } = await commandTree();
await put("src/cli/generated/tree.ts", header + tree);
await put("src/cli/generated/loaders.ts", header + loaders);

const { derivedTexts } = await import("./derived-texts.ts");
for (const [path, text] of await derivedTexts({ version, forPackager: !check })) await put(path, text);

if (stale.length > 0) process.stderr.write(`${check ? "Stale" : "Written"}: ${stale.join(", ")}\n`);
if (check && stale.length > 0) process.exitCode = 1;
