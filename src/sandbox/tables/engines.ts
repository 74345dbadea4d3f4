import * as z from "zod";
import { type EngineKind, engineKinds } from "../../core/sandbox.ts";
import type { Queries } from "../store/queries.ts";

/** An engine as set by the user. */
export const engineInput = z.strictObject({
  kind: z.enum(engineKinds),
  url: z.string(),
  /** The model to use for every request or, for audio, for requests that name no model. */
  model: z.string().min(1).optional(),
  /** The voice to use for requests that name no voice. */
  voice: z.string().min(1).optional(),
  /** The environment variable that holds the engine's key. The key itself is never stored. */
  apiKeyEnv: z.string().optional(),
});

/** An engine: the user's own inference server. Its URL is the root of its API, such as http://127.0.0.1:11434/v1. */
export type Engine = Readonly<z.output<typeof engineInput>>;

export function findEngine(store: Queries, kind: EngineKind): Engine | undefined {
  const [row] = store.all("SELECT record FROM engines WHERE kind = ?", kind);
  return row && engineInput.parse(JSON.parse(String(row.record)));
}

export const listEngines = (store: Queries): readonly Engine[] =>
  engineKinds.flatMap((kind) => findEngine(store, kind) ?? []);

export function saveEngine(store: Queries, engine: Engine): void {
  const sql = "INSERT OR REPLACE INTO engines (kind, record) VALUES (?, ?)";
  store.run(sql, engine.kind, JSON.stringify(engine));
}

export function removeEngine(store: Queries, kind: EngineKind): void {
  store.run("DELETE FROM engines WHERE kind = ?", kind);
}
