import type { EngineKind } from "../core/sandbox.ts";
import { parseDuration } from "../core/values/durations.ts";
import { ControlRefused } from "../sandbox/errors.ts";
import type { Sandbox } from "../sandbox/index.ts";
import type { Inputs } from "./generated/types.ts";
import { shown } from "./options.ts";

export function advance({ clock }: Sandbox, span: Span): void {
  const milliseconds = spanOf(span, "the duration");
  withNames({ duration: "the duration" }, () => clock.advance(milliseconds));
}

export function addFault({ faults }: Sandbox, fault: Fault): void {
  if (typeof fault !== "object" || fault === null) {
    throw new TypeError(`a fault must be an object with an operation, not ${shown(fault)}`);
  }
  const { delay, retryAfter, ...rest } = fault;
  const input = {
    ...rest,
    ...(delay !== undefined && { delayMs: spanOf(delay, "delay") }),
    ...(retryAfter !== undefined && { retryAfterSeconds: spanOf(retryAfter, "retryAfter") / 1000 }),
  };
  withNames({ delayMs: "delay", retryAfterSeconds: "retryAfter" }, () => faults.add(input));
}

export function setEngine({ engines }: Sandbox, engine: Engine): void {
  if (typeof engine !== "object" || engine === null) {
    throw new TypeError(`an engine must be an object with a kind and a url, not ${shown(engine)}`);
  }
  engines.save(engine);
}

/** Wraps a clock to check every reading, once immediately. The wrapper throws a TypeError for an invalid time. */
export function checkedClock(now: () => number): () => number {
  const clock = (): number => {
    const time = now();
    if (Number.isNaN(new Date(time).getTime()) || typeof time !== "number") {
      throw new TypeError(`now must return milliseconds since 1970, not ${shown(time)}`);
    }
    return time;
  };
  clock();
  return clock;
}

/** Renames the fields of a `ControlRefused` that `work` throws to the names of the library's options. */
function withNames(names: Readonly<Record<string, string>>, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ControlRefused)) throw error;
    const issues = error.issues.map(({ path: [first = "", ...rest], message }) => ({
      path: [names[first] ?? first, ...rest],
      message,
    }));
    throw new ControlRefused(issues);
  }
}

/** A fault: how calls to an operation fail. */
export interface Fault {
  /** The id of an operation, including the ones that the sandbox assumes, or `*` for all. */
  readonly operation: keyof Inputs | "*" | (string & {});
  /** Responds with this error status instead of the service. */
  readonly status?: number | undefined;
  /** The Retry-After header of that response, in whole seconds; 1 s by default for a 429. */
  readonly retryAfter?: Span | undefined;
  /** How many calls it affects; 1 by default. */
  readonly times?: number | undefined;
  /** How many calls pass before the first one that it affects; 0 by default. */
  readonly after?: number | undefined;
  /** Delays the response. */
  readonly delay?: Span | undefined;
  /** Breaks the connection. */
  readonly reset?: boolean | undefined;
  /** Ends the response after this many server-sent events, or KiB when it is not a stream. */
  readonly cutStreamAfter?: number | undefined;
  /** Responds with a body that is not JSON. */
  readonly garbage?: boolean | undefined;
  /** The operation takes effect even though its response is replaced. */
  readonly applied?: boolean | undefined;
}

/** An inference server of the user that generates in place of the sandbox. */
export interface Engine {
  /** What it generates: chats or speech with OpenAI's API, or pictures with the API of AUTOMATIC1111. */
  readonly kind: EngineKind;
  /** The URL of the server, such as `http://127.0.0.1:11434`, with or without the path of its API. */
  readonly url: string;
  /** The model to use, whatever model a request names; for speech, unless it names one. */
  readonly model?: string | undefined;
  /** The voice of an audio engine, unless a request names one. */
  readonly voice?: string | undefined;
  /** The environment variable that holds a key for the server. */
  readonly apiKeyEnv?: string | undefined;
}

/** A duration: milliseconds, or a string such as `90s`, `1h30m` or `30d`. */
export type Span = number | string;

/** The duration in whole milliseconds. @throws RangeError naming it when it is invalid or negative */
function spanOf(span: Span, name: string): number {
  const milliseconds = typeof span === "string" ? parseDuration(span) : span;
  if (typeof milliseconds !== "number" || !Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new RangeError(
      `${name} must be a number of milliseconds or a string such as 90s, 1h30m or 30d, not ${shown(span)}`,
    );
  }
  return Math.round(milliseconds);
}
