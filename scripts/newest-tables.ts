import { DatabaseSync } from "@photostructure/sqlite";
import { upgrades } from "../src/sandbox/store/schema.ts";

/**
 * The source of a constant with the SQL statements that create the newest version of the sandbox's tables, which is the
 * version after all upgrades.
 */
export function newestTables(): string {
  const database = new DatabaseSync(":memory:");
  for (const upgrade of upgrades) database.exec(upgrade);
  const statements = database
    .prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    .all()
    .map(({ sql }) => `${String(sql)};\n`);
  database.close();
  return `/** Creates the newest version of the sandbox's tables. */\nexport const newestTables = \`\n${statements.join("")}\`;\n`;
}
