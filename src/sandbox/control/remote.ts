import type * as z from "zod";
import { tokenFileVariable } from "../../core/control-token.ts";
import { NotFound, UnexpectedResponse } from "../../core/errors.ts";
import { asList, asRecord, asText, isRecord, parseJson, scalarText } from "../../core/json.ts";
import { servedControls } from "../../core/sandbox.ts";
import { ServiceError, UnknownOutcome } from "../../core/service-errors.ts";
import { secondMs } from "../clock.ts";
import { ControlRefused } from "../errors.ts";
import { cleared, expectation, requestCount } from "./responses.ts";

/** Sends a request and returns the text of its response. Throws `ServiceError` for a response that reports an error. */
type Send = (request: ControlRequest) => Promise<string>;

interface ControlRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: readonly (readonly [string, string])[];
  readonly body?: string;
  /** Sends the request without the token. */
  readonly open?: boolean;
  /** Does not mask keys in the response: it is saved as a file, and the sandbox would not restore it without them. */
  readonly keepsKeys?: boolean;
}

const health = "/health";

/** Rethrows an error. If the sandbox did not get the right token, adds a hint that says how to send it. */
function withHint(error: unknown): never {
  if (!(error instanceof ServiceError) || error.status !== 401) throw error;
  const hint = `Set ${tokenFileVariable} to the file with the token that the sandbox is served with.`;
  throw new ServiceError(error, error.request, hint);
}

/**
 * Returns the controls of a sandbox that is served at `url`. These throw `ControlRefused` for the same reasons as the
 * controls of a local sandbox.
 * @throws NotFound when `url` is not a sandbox
 */
export async function connectToControls(url: string, sendTo: Send) {
  const send = async (method: ControlRequest["method"], path: string, more: Partial<ControlRequest> = {}) =>
    parseJson(await sendTo({ method, path: `${servedControls.path}${path}`, ...more }).catch(withHint));
  const get = (path: string) => send("GET", path);
  const checkedSend: typeof send = (...request) =>
    send(...request).catch((error) => {
      throw asControlRefused(error);
    });
  const post = (path: string, body?: string) => checkedSend("POST", path, body === undefined ? {} : { body });
  const postJson = (path: string, body: object) => post(path, JSON.stringify(body));
  /** Checks a response whose fields are used here. A newer sandbox may send more fields. */
  const understood = <Shape extends z.ZodRawShape>(type: z.ZodObject<Shape>, response: unknown) => {
    const result = type.strip().safeParse(response);
    if (result.success) return result.data;
    throw new UnexpectedResponse(
      `the response of the sandbox at ${url} cannot be understood`,
      "Is the sandbox served by another version of gpuctl?",
    );
  };
  const remove = async (path: string, more?: Partial<ControlRequest>): Promise<number> => {
    const result = cleared.strip().safeParse(await send("DELETE", path, more));
    if (result.success) return result.data.cleared;
    const request = { method: "DELETE", url: `${url}${servedControls.path}${path}` };
    throw new UnknownOutcome("the response does not say how many were removed", undefined, request);
  };
  const numbered = (path: string) => ({
    add: (entry: object) => postJson(path, entry),
    list: async () => asList(await get(path)),
    clear: (id?: number) => remove(id === undefined ? path : `${path}/${id}`).catch(none),
  });
  await assertSandbox(url, async () =>
    parseJson(await sendTo({ method: "GET", path: servedControls.path + health, open: true })),
  );
  return {
    keys: async () => {
      const { full, readOnly } = asRecord(await get("/keys"));
      return { full: asText(full), readOnly: asText(readOnly) };
    },
    limits: async () => asList(await get("/limits")),
    status: () => get("/status"),
    clock: {
      show: () => get("/clock"),
      freeze: () => post("/clock/freeze"),
      resume: () => post("/clock/resume"),
      advance: (milliseconds: number) => postJson("/clock/advance", { seconds: milliseconds / secondMs }),
      set: (moment: number) => postJson("/clock/set", { time: new Date(moment).toISOString() }),
    },
    faults: numbered("/faults"),
    engines: {
      set: (engine: object) => postJson("/engines", engine),
      list: async () => asList(await get("/engines")),
      clear: (kind?: string) => remove(kind === undefined ? "/engines" : `/engines/${kind}`),
    },
    boots: numbered("/boots"),
    situations: numbered("/situations"),
    scenario: async (name: string) => asList(await postJson("/scenario", { name })),
    chatScript: {
      load: async (text: string) => asList(await post("/chat/script", text)),
      show: async () => asList(await get("/chat/script")),
      clear: () => remove("/chat/script"),
    },
    requests: {
      list: async (filter: object) =>
        asList(await checkedSend("GET", "/requests", { query: queryOf(filter) })),
      count: async (filter: object) =>
        understood(requestCount, await checkedSend("GET", "/requests/count", { query: queryOf(filter) }))
          .count,
      clear: (filter: object) =>
        remove("/requests", { query: queryOf(filter) }).catch((error) => {
          throw asControlRefused(error);
        }),
      expect: async (expected: object) =>
        understood(
          expectation.extend({ requests: expectation.shape.requests.element.strip().array() }),
          await postJson("/requests/expect", expected),
        ),
    },
    seed: async (text: string) => void (await post("/seed", text)),
    snapshot: () => send("GET", "/snapshot", { keepsKeys: true }),
    restore: async (text: string) => void (await post("/restore", text)),
    reset: async () => void (await post("/reset")),
  };
}

async function assertSandbox(url: string, health: () => Promise<unknown>): Promise<void> {
  try {
    const found = await health();
    if (asRecord(found).gpuctlSandbox === servedControls.health.gpuctlSandbox) return;
  } catch (error) {
    // Rethrows the error of a host that cannot be reached, that fails or that limits requests, and of a sandbox that
    // denies this machine.
    if (!(error instanceof ServiceError) || error.status >= 500 || error.status === 429) throw error;
    const isDenied = error.issues.some((one) =>
      asText(asRecord(one).message).startsWith(servedControls.name),
    );
    if (isDenied) throw error;
  }
  throw new NotFound(`${url} is not a sandbox`, {
    request: null,
    hint: "Nothing was changed. With --sandbox instead of a base URL, this command acts on the local sandbox; `gpuctl sandbox serve` serves a sandbox over HTTP.",
  });
}

/** Converts a 400 to the error that a local sandbox throws for the same values. Returns other errors unchanged. */
function asControlRefused(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.status !== 400) return error;
  const issues = error.issues.flatMap((one) =>
    isRecord(one) ? [{ path: asList(one.path).map(scalarText), message: scalarText(one.message) }] : [],
  );
  const [first, second] = issues;
  return first && !second && first.path.length === 0
    ? new ControlRefused([], first.message)
    : new ControlRefused(issues);
}

/** A filter as a query. */
const queryOf = (filter: object): readonly (readonly [string, string])[] =>
  Object.entries(filter).flatMap(([name, value]): readonly (readonly [string, string])[] =>
    isRecord(value)
      ? Object.entries(value).map(([field, expected]) => [name, `${field}=${expected}`])
      : [[name, String(value)]],
  );

/** Returns 0 for a 404, which says that there was nothing to remove. Throws any other error. */
function none(error: unknown): number {
  if (error instanceof ServiceError && error.status === 404) return 0;
  throw error;
}
