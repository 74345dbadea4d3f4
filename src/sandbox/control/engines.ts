import { check, type Issue } from "../../contract/check/check.ts";
import type { EngineKind } from "../../core/sandbox.ts";
import { isLoopback, isOwnVariable, urlProblem } from "../../core/urls.ts";
import type { Probe } from "../engines/remote/models.ts";
import { ControlRefused, issueIf, issuesFor } from "../errors.ts";
import type { Store } from "../store/queries.ts";
import { type Engine, engineInput, listEngines, removeEngine, saveEngine } from "../tables/engines.ts";

/** An engine as shown to the user. */
export interface EngineInfo {
  readonly kind: EngineKind;
  /** The root of its API, such as http://127.0.0.1:11434/v1. */
  readonly url: string;
  readonly model: string | null;
  readonly voice: string | null;
  /** The environment variable that holds its key. */
  readonly apiKeyEnv: string | null;
  /** The service's fields that have no equivalent in the engine. */
  readonly ignoredFields: readonly string[];
}

export interface EngineControl {
  /** Saves an engine, and replaces any other engine of its kind. @throws ControlRefused as `checkEngine` does */
  save(input: unknown): Engine;
  /**
   * Saves an engine, even if it does not respond, and asks the engine what it offers.
   * @throws ControlRefused as `checkEngine` does
   */
  set(input: unknown): Promise<EngineInfo & Probe>;
  list(): Promise<readonly EngineInfo[]>;
  /** Removes the engine of a kind or, without a kind, all engines. Returns how many were removed. */
  clear(kind?: string): number;
}

/** Controls the engines of a sandbox. `environment` returns the value of a variable that holds an engine's key. */
export function engineControl(
  store: Store,
  environment: (name: string) => string | undefined,
): EngineControl {
  const save = (input: unknown): Engine => {
    const engine = checkEngine(input);
    saveEngine(store, engine);
    return engine;
  };
  return {
    save,
    set: async (input) => {
      const engine = save(input);
      const { probeEngine } = await import("../engines/remote/models.ts");
      return { ...(await info(engine)), ...(await probeEngine({ engine, environment })) };
    },
    list: () => Promise.all(listEngines(store).map(info)),
    clear: (kind) =>
      store.write(() => {
        const removed = listEngines(store).filter((engine) => kind === undefined || engine.kind === kind);
        for (const engine of removed) removeEngine(store, engine.kind);
        return removed.length;
      }),
  };
}

async function info({ kind, url, model, voice, apiKeyEnv }: Engine): Promise<EngineInfo> {
  const ignoredFields =
    kind === "image" ? (await import("../engines/remote/image.ts")).ignoredImageFields : [];
  return {
    kind,
    url,
    model: model ?? null,
    voice: voice ?? null,
    apiKeyEnv: apiKeyEnv ?? null,
    ignoredFields,
  };
}

/**
 * Checks an engine, and returns it with the root of its API as its URL.
 * @throws ControlRefused with the issues of the first step that finds any: the check of the format, of the URL, or of
 * the voice and the key
 */
export function checkEngine(input: unknown): Engine {
  const result = check({ input: engineInput }, input);
  if (!result.ok) throw new ControlRefused(issuesFor("an engine", result.issues));
  const engine = result.value;
  const url = issuesOfUrl(engine.url);
  if (url.length > 0) throw new ControlRefused(url);
  const root = apiRoot(engine);
  const issues = [
    ...issueIf(engine.voice !== undefined && engine.kind !== "audio", "voice", "is for audio engines only"),
    ...(engine.apiKeyEnv === undefined ? [] : issuesOfKey(engine.apiKeyEnv, new URL(root))),
  ];
  if (issues.length > 0) throw new ControlRefused(issues);
  return { ...engine, url: root };
}

function issuesOfUrl(url: string): readonly Issue[] {
  const problem = urlProblem(url);
  if (problem !== undefined) return issueIf(true, "url", `must be ${problem}`);
  const { search, hash } = new URL(url);
  return issueIf(search !== "" || hash !== "", "url", "must be a URL without a query or a fragment");
}

const issuesOfKey = (name: string, { protocol, hostname, origin }: URL): readonly Issue[] => [
  ...issueIf(
    !/^[A-Za-z_]\w*$/.test(name),
    "apiKeyEnv",
    "must be the name of an environment variable, not the key itself",
  ),
  ...issueIf(isOwnVariable(name), "apiKeyEnv", "must not be a variable of gpuctl"),
  ...issueIf(
    protocol === "http:" && !isLoopback(hostname),
    "apiKeyEnv",
    `requires https: a key is not sent over plain http to ${origin}`,
  ),
];

/**
 * The first group of `root` is the path of the API in a URL. If `root` does not match, the URL is that of the server,
 * and `path` is appended to it.
 */
const apis: Readonly<Record<EngineKind, { readonly root: RegExp; readonly path: string }>> = {
  chat: { root: /^(.*\/v\d+\w*|.*(?=\/chat\/completions$))(\/chat\/completions)?$/, path: "/v1" },
  image: { root: /^(.*\/sdapi\/v1)(\/txt2img|\/img2img)?$/, path: "/sdapi/v1" },
  audio: { root: /^(.*\/v\d+\w*|.*(?=\/audio\/speech$))(\/audio\/speech)?$/, path: "/v1" },
};

/**
 * Returns the URL of the root of an engine's API. The given URL may be that of the server, the API or one operation.
 */
function apiRoot({ kind, url }: Pick<Engine, "kind" | "url">): string {
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, "");
  const { root, path: added } = apis[kind];
  return origin + (root.exec(path)?.[1] ?? path + added);
}

/** The URL of the engine of each kind; null for a kind without an engine. */
export const enginesInUse = (store: Store): Readonly<Record<EngineKind, string | null>> => {
  const used = listEngines(store);
  const urlOf = (kind: EngineKind) => used.find((engine) => engine.kind === kind)?.url ?? null;
  return { chat: urlOf("chat"), image: urlOf("image"), audio: urlOf("audio") };
};
