import { asList, asRecord, asText } from "../../../core/json.ts";
import { EngineFailure } from "./failure.ts";
import { type EngineAccess, jsonFromEngine } from "./request.ts";

/** The models of a chat or audio engine, as it lists them. */
export const listModels = async (access: EngineAccess): Promise<readonly unknown[]> =>
  asList(asRecord(await jsonFromEngine(access, { path: "/models" })).data);

/** What an engine offers, and its problem if it has one. */
export interface Probe {
  readonly models: readonly string[];
  /** The voices of an audio engine that responded; empty if it does not list them. */
  readonly voices?: readonly string[];
  /** Why the engine may not work; null if it responded as expected. */
  readonly problem: string | null;
}

/** How long a probe waits for an engine, in milliseconds. */
const maxProbeMs = 5000;

/** Asks an engine what it offers. */
export async function probeEngine(access: Omit<EngineAccess, "signal">): Promise<Probe> {
  const signal = AbortSignal.timeout(maxProbeMs);
  const limited = { ...access, signal };
  const { kind, url } = access.engine;
  try {
    if (kind === "image") return { models: await listCheckpoints(limited), problem: null };
    const models = (await listModels(limited)).map((one) => asText(asRecord(one).id));
    if (kind === "chat") return { models, problem: null };
    return { models, voices: await listVoices(limited), problem: null };
  } catch (error) {
    if (error instanceof EngineFailure) return { models: [], problem: error.message };
    if (!signal.aborted) throw error;
    return {
      models: [],
      problem: `The ${kind} engine at ${url} did not respond within ${maxProbeMs / 1000} s.`,
    };
  }
}

const listCheckpoints = async (access: EngineAccess): Promise<readonly string[]> =>
  asList(await jsonFromEngine(access, { path: "/sd-models" })).map((one) => {
    const { model_name, title } = asRecord(one);
    return asText(model_name) || asText(title);
  });

/** The voices of an audio engine. It may list them as texts or as records. Empty if it lists none, which is common. */
async function listVoices(access: EngineAccess): Promise<readonly string[]> {
  try {
    const { voices } = asRecord(await jsonFromEngine(access, { path: "/audio/voices" }));
    return asList(voices).map((one) => asText(one) || asText(asRecord(one).id));
  } catch (error) {
    if (error instanceof EngineFailure) return [];
    throw error;
  }
}
