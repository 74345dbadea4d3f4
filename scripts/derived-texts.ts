import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { globals, nouns } from "../src/cli/generated/tree.ts";
import { latestReleaseDate, sourceDate } from "../src/docs/changelog.ts";
import { completions } from "../src/docs/completions/index.ts";
import { manual } from "../src/docs/manual.ts";
import { code, readmeTables, table, withTables } from "../src/docs/readme.ts";
import { treeOf } from "../src/docs/tree.ts";

interface DerivedOptions {
  readonly version: string;
  /** Whether `SOURCE_DATE_EPOCH` sets the date of the manual. Otherwise it is the date of the latest release. */
  readonly useSourceDateEpoch: boolean;
}

/** The path and text of each derived manual page, completion script and document. */
export async function derivedTexts({
  version,
  useSourceDateEpoch,
}: DerivedOptions): Promise<readonly (readonly [string, string])[]> {
  const [changelog, readme, architecture] = await Promise.all([
    readFile("CHANGELOG.md", "utf8"),
    readFile("README.md", "utf8"),
    readFile("ARCHITECTURE.md", "utf8"),
  ]);
  const date =
    (useSourceDateEpoch && sourceDate(process.env.SOURCE_DATE_EPOCH)) || latestReleaseDate(changelog);
  const pages = manual({ nouns, globals, version, date });
  const scripts = completions(treeOf(nouns, globals));
  return [
    ...Object.entries(pages).map(([name, text]) => [`man/${name}`, text] as const),
    ...Object.entries(scripts).map(([name, text]) => [`completions/${name}`, text] as const),
    ["ARCHITECTURE.md", withTables(architecture, { imports: importTable() })],
    ["README.md", withTables(readme, readmeTables(nouns, globals))],
  ];
}

/** The allowed imports between the rooms (folders) of `src/`, as dependency-cruiser enforces them. */
function importTable(): string {
  const { rooms, typesOnly } = createRequire(import.meta.url)("./rooms.cjs") as {
    readonly rooms: Readonly<Record<string, readonly string[]>>;
    readonly typesOnly: Readonly<Record<string, readonly string[]>>;
  };
  return table(
    ["Room", "May import", "Types only"],
    Object.entries(rooms).map(([room, others]) => {
      const types = typesOnly[room] ?? [];
      const values = others.filter((other) => !types.includes(other));
      return [code(room), values.map(code).join(", ") || "none", types.map(code).join(", ")];
    }),
  );
}
