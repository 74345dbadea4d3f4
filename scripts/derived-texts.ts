import { readFile } from "node:fs/promises";
import { globalFlags } from "../src/cli/globals.ts";
import { nouns } from "../src/commands/index.ts";
import { newestDay, packagersDay } from "../src/docs/changelog.ts";
import { completions } from "../src/docs/completions/index.ts";
import { manual } from "../src/docs/manual.ts";
import { readmeTables, withTables } from "../src/docs/readme.ts";
import { treeOf } from "../src/docs/tree.ts";

interface Made {
  readonly version: string;
  /** `SOURCE_DATE_EPOCH` dates the manual; the committed pages have the day of the newest version. */
  readonly forPackager: boolean;
}

/** Manual pages, completions and the README, each a path and the text that belongs there. */
export async function derivedTexts({
  version,
  forPackager,
}: Made): Promise<readonly (readonly [string, string])[]> {
  const [changelog, readme] = await Promise.all([
    readFile("CHANGELOG.md", "utf8"),
    readFile("README.md", "utf8"),
  ]);
  const date = (forPackager && packagersDay(process.env.SOURCE_DATE_EPOCH)) || newestDay(changelog);
  const pages = manual({ nouns, globals: globalFlags, version, date });
  const scripts = completions(treeOf(nouns, globalFlags));
  return [
    ...Object.entries(pages).map(([name, text]) => [`man/${name}`, text] as const),
    ...Object.entries(scripts).map(([name, text]) => [`completions/${name}`, text] as const),
    ["README.md", withTables(readme, readmeTables(nouns, globalFlags))],
  ];
}
