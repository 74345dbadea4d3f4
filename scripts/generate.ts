/**
 * Writes every file that is derived from the contract, or with `--check` says which ones are stale.
 * Each entry of `files` is a path and the text that belongs there.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { plainRoutes } from "../src/contract/plain.ts";

const header = "// Made by `npm run generate` from the contract; do not edit.\n";

const routes = `${header}import type { OperationId } from "../index.ts";
import type { Route } from "../route.ts";

export const routes: Readonly<Record<OperationId, Route>> = ${JSON.stringify(plainRoutes(), null, 2)};
`;

const files: readonly (readonly [path: string, text: string])[] = [
  ["src/contract/generated/routes.ts", routes],
];

const check = process.argv.includes("--check");
const stale: string[] = [];
for (const [path, text] of files) {
  const present = await readFile(path, "utf8").catch(() => undefined);
  if (present === text) continue;
  stale.push(path);
  if (check) continue;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
if (stale.length > 0) process.stderr.write(`${check ? "Stale" : "Written"}: ${stale.join(", ")}\n`);
if (check && stale.length > 0) process.exitCode = 1;
