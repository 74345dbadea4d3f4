import { ExpectationFailed } from "../core/errors.ts";
import type { bootOutcomes, EngineKind, SituationKind } from "../core/sandbox.ts";
import { parseDuration } from "../core/values/durations.ts";
import type { ClockState } from "../sandbox/clock.ts";
import { ControlRefused } from "../sandbox/errors.ts";
import type { Sandbox } from "../sandbox/index.ts";
import type { Inputs } from "./generated/types.ts";
import { shown } from "./options.ts";

export function advance({ clock }: Sandbox, span: Span): ClockState {
  const milliseconds = spanOf(span, "the duration");
  return withNames({ duration: "the duration" }, () => clock.advance(milliseconds));
}

export function setClock({ clock }: Sandbox, time: string | number | Date): ClockState {
  const moment = new Date(time).getTime();
  if (Number.isNaN(moment)) {
    throw new RangeError(
      `the time must be a Date, milliseconds since 1970 or a text such as 2026-12-31T00:00:00Z, not ${shown(time)}`,
    );
  }
  return withNames({ time: "the time" }, () => clock.set(moment));
}

export function addFault({ faults }: Sandbox, fault: Fault): FaultStatus {
  if (typeof fault !== "object" || fault === null) {
    throw new TypeError(`a fault must be an object with an operation, not ${shown(fault)}`);
  }
  const { delay, retryAfter, ...rest } = fault;
  const input = {
    ...rest,
    ...(delay !== undefined && { delayMs: spanOf(delay, "delay") }),
    ...(retryAfter !== undefined && { retryAfterSeconds: spanOf(retryAfter, "retryAfter") / 1000 }),
  };
  return withNames({ delayMs: "delay", retryAfterSeconds: "retryAfter" }, () => faults.add(input));
}

export function setEngine({ engines }: Sandbox, engine: Engine): void {
  if (typeof engine !== "object" || engine === null) {
    throw new TypeError(`an engine must be an object with a kind and a url, not ${shown(engine)}`);
  }
  engines.save(engine);
}

export function addBoot({ boots }: Sandbox, boot: Boot): BootStatus {
  if (typeof boot !== "object" || boot === null) {
    throw new TypeError(`a boot rule must be an object with an outcome, not ${shown(boot)}`);
  }
  const { after, ...rest } = boot;
  const input = { ...rest, ...(after !== undefined && { afterSeconds: spanOf(after, "after") / 1000 }) };
  return withNames({ afterSeconds: "after" }, () => boots.add(input));
}

export function expectRequests({ requests }: Sandbox, expectation: RequestExpectation): void {
  const result = requests.expect(expectation);
  if (!result.met) throw new ExpectationFailed(result);
}

export function addSituation({ situations }: Sandbox, situation: Situation): SituationStatus {
  if (typeof situation !== "object" || situation === null) {
    throw new TypeError(`a situation must be an object with a kind, not ${shown(situation)}`);
  }
  const {
    after,
    window: windowSpan,
    ...rest
  }: Situation & { readonly after?: Span | undefined; readonly window?: Span | undefined } = situation;
  const input = {
    ...rest,
    ...(after !== undefined && { afterSeconds: spanOf(after, "after") / 1000 }),
    ...(windowSpan !== undefined && { windowSeconds: spanOf(windowSpan, "window") / 1000 }),
  };
  return withNames({ afterSeconds: "after", windowSeconds: "window" }, () => situations.add(input));
}

/** Wraps a clock so that an invalid time throws a TypeError. Reads the clock once immediately, to check it. */
export function checkedClock(now: () => number): () => number {
  const clock = (): number => {
    const time = now();
    if (Number.isNaN(new Date(time).getTime()) || typeof time !== "number") {
      throw new TypeError(`now() must return a time in milliseconds since 1970, not ${shown(time)}`);
    }
    return time;
  };
  clock();
  return clock;
}

/**
 * Runs `work`. If it throws a `ControlRefused`, replaces the field names in the issues with the names of the library's
 * options.
 */
function withNames<Value>(names: Readonly<Record<string, string>>, work: () => Value): Value {
  try {
    return work();
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
  /** The id of an operation, even one that the service does not document, or `*` for all operations. */
  readonly operation: keyof Inputs | "*" | (string & {});
  /**
   * Affects only calls whose fields have these values, such as `{ gpuType: "b200" }`. `times`, `after`, `every` and
   * `rate` do not count other calls.
   */
  readonly where?: Readonly<Record<string, unknown>> | undefined;
  /** Affects only calls whose header `Gpuctl-Sandbox-Caller` has this value. */
  readonly caller?: string | undefined;
  /** Affects only calls with the API key of this name. */
  readonly key?: string | undefined;
  /** Responds with this error status instead of the service's response. */
  readonly status?: number | undefined;
  /** The code and the message of that error, instead of the service's own. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** Responds with this text, as a proxy would. The status is 200 unless `status` is set. */
  readonly body?: string | undefined;
  /** The media type of that text; plain text by default. */
  readonly contentType?: string | undefined;
  /** The header Retry-After of a response with `status`: whole seconds, such as `30s`. By default `1s` for a 429. */
  readonly retryAfter?: Span | undefined;
  /** How many calls the fault affects. By default 1, or any number if `every` or `rate` is set. */
  readonly times?: number | undefined;
  /** How many calls pass unaffected before `times`, `every` and `rate` apply; 0 by default. */
  readonly after?: number | undefined;
  /** Affects only every Nth call. */
  readonly every?: number | undefined;
  /**
   * Affects only this share of the calls, more than 0 and up to 1. Whether it affects a call depends on `seed` and the
   * number of the call.
   */
  readonly rate?: number | undefined;
  /** The seed for `rate`; 0 by default. The same seed affects the same calls in every run. */
  readonly seed?: number | undefined;
  /** Delays the response. */
  readonly delay?: Span | undefined;
  /** Breaks the connection: instead of the response or, with `cutStreamAfter`, within it. */
  readonly reset?: boolean | undefined;
  /** Ends the response after this many server-sent events, or after this many KiB if it is not a stream. */
  readonly cutStreamAfter?: number | undefined;
  /** Keeps the connection open after `cutStreamAfter`, and sends nothing more. */
  readonly stall?: boolean | undefined;
  /** Responds with a body that is not JSON. */
  readonly garbage?: boolean | undefined;
  /** The operation takes effect, although its response is replaced or not sent. */
  readonly applied?: boolean | undefined;
}

/** Selects requests from the log. */
export interface RequestFilter {
  /** The id of an operation. */
  readonly operation?: keyof Inputs | (string & {}) | undefined;
  /** A status such as 404, a class such as `"4xx"`, or `"none"` for a broken connection. */
  readonly status?: number | string | undefined;
  /** Only requests from this time on: a time of the sandbox in ISO 8601, or a duration before now such as `10m`. */
  readonly since?: string | undefined;
  /** Only requests up to this time, in the same form as `since`. */
  readonly until?: string | undefined;
  /** The header `Gpuctl-Sandbox-Caller` of the requests. */
  readonly caller?: string | undefined;
  /** The name of the API key of the requests. */
  readonly key?: string | undefined;
  /** The values of fields by their dotted paths, such as `{ gpuType: "b200", "messages.0.role": "user" }`. */
  readonly where?: Readonly<Record<string, unknown>> | undefined;
}

/** How many requests are expected: `count`, or `atLeast` and `atMost`. By default, at least 1. */
export interface RequestExpectation extends RequestFilter {
  readonly count?: number | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** An inference server of your own that generates instead of the sandbox. */
export interface Engine {
  /** What the server generates: chats or speech with OpenAI's API, or pictures with the API of AUTOMATIC1111. */
  readonly kind: EngineKind;
  /** The URL of the server, such as `http://127.0.0.1:11434`, with or without the path of its API. */
  readonly url: string;
  /**
   * The model to use. For chat and images, it overrides the model of the request. For audio, it is used if the request
   * names no model.
   */
  readonly model?: string | undefined;
  /** The voice that an audio engine uses if a request names none. */
  readonly voice?: string | undefined;
  /** The environment variable that holds a key for the server. */
  readonly apiKeyEnv?: string | undefined;
}

/** A boot rule: how new rentals boot. */
export interface Boot {
  /**
   * `slow`: rentals start to run later than usual. `failed`: they get the status `Failed`. `never`: they do not boot.
   * Rentals that fail or do not boot stay active until they are terminated, and cost nothing.
   */
  readonly outcome: (typeof bootOutcomes)[number];
  /** The time until a rental runs or has failed; 10 minutes by default for `slow`, and the usual time for `failed`. */
  readonly after?: Span | undefined;
  /** Applies only to rentals created with a matching label: `*` is any text, `?` any character. */
  readonly label?: string | undefined;
  /** How many rentals it applies to; all by default. */
  readonly times?: number | undefined;
}

/** A fault of the sandbox. */
export interface FaultStatus {
  readonly id: number;
  readonly operation: string;
  /** What the fault does, in words. */
  readonly effect: string;
  /** How many calls it affects; null for no limit. */
  readonly times: number | null;
  /** How many more calls it affects; null for no limit. */
  readonly left: number | null;
}

/** A boot rule of the sandbox. */
export interface BootStatus {
  readonly id: number;
  readonly outcome: Boot["outcome"];
  /** How many rentals it applies to; null for no limit. */
  readonly times: number | null;
  /** How many more rentals it applies to; null for no limit. */
  readonly left: number | null;
}

/** A situation of the sandbox. */
export interface SituationStatus {
  readonly id: number;
  readonly kind: SituationKind;
  /** What the situation does, in words. */
  readonly effect: string;
  /** How many rentals, calls or pictures it has affected. */
  readonly affected: number;
}

/** Which rentals end or fail, and when. */
interface PlannedEnd {
  /** Applies only to this active rental. */
  readonly rentalId?: number | undefined;
  /** Applies only to rentals created with a matching label: `*` is any text, `?` any character. */
  readonly label?: string | undefined;
  /** Delay from when the rental starts running, or from now if it is already running; 0 by default. */
  readonly after?: Span | undefined;
  /** When the rentals end or fail, in ISO 8601. Use either this or `after`. */
  readonly at?: string | undefined;
  /** How many rentals it applies to; all by default. */
  readonly times?: number | undefined;
}

/** A situation of a real cloud. */
export type Situation =
  /**
   * In each region of `regions`, only `gpus` GPUs of `gpuType` exist; 0 by default. Without `gpuType`, this applies to
   * each type, and without `regions`, to each region.
   */
  | {
      readonly kind: "capacity";
      readonly gpuType?: string | undefined;
      readonly regions?: readonly string[] | undefined;
      readonly gpus?: number | undefined;
    }
  /** The account can have only `gpus` GPUs, of one type or in total. */
  | { readonly kind: "quota"; readonly gpus: number; readonly gpuType?: string | undefined }
  /** Running rentals end. */
  | ({ readonly kind: "interruption" } & PlannedEnd)
  /** Running rentals become `Failed`. */
  | ({ readonly kind: "failure" } & PlannedEnd)
  /**
   * After `requests` calls within `window`, which is a minute by default, calls get 429. With `operation`, this applies
   * only to the calls of that operation.
   */
  | {
      readonly kind: "rate-limit";
      readonly requests: number;
      readonly window?: Span | undefined;
      readonly operation?: keyof Inputs | "*" | (string & {}) | undefined;
    }
  /**
   * When the balance is used up, rentals end, and requests that cost money are refused. `balanceCents` sets the
   * balance.
   */
  | { readonly kind: "prepaid"; readonly balanceCents?: number | undefined }
  /** Pictures are paid from the balance. */
  | { readonly kind: "picture-prices" }
  /** A volume attaches only to rentals in its own region. */
  | { readonly kind: "same-region" };

/** Matches a text that contains this string, or that matches this regular expression. */
export type TextPattern = string | { readonly pattern: string; readonly flags?: string | undefined };

/** One reply of a chat script. It has at least one of text, json, reasoning, toolCalls, error, streamError and cut. */
export interface ChatReply {
  /** The requests that get this reply: all of these fields must match. Without `when`, any request gets it. */
  readonly when?:
    | {
        /**
         * The text of the last user message. If a tool result follows that message, the request matches only if
         * `toolResult` is given, too.
         */
        readonly message?: TextPattern | undefined;
        /** The text of the last message, which must be the result of a tool. */
        readonly toolResult?: TextPattern | undefined;
        readonly model?: string | undefined;
      }
    | undefined;
  /** How many requests get this reply. By default 1, or every matching request if `when` is set. */
  readonly times?: number | "always" | undefined;
  readonly text?: string | undefined;
  /** A value to send as the text, in JSON. */
  readonly json?: unknown;
  readonly reasoning?: string | undefined;
  /** Calls of tools. `arguments` are sent as JSON; a string is sent as it is. */
  readonly toolCalls?:
    | readonly {
        readonly name: string;
        readonly arguments?: unknown;
        readonly id?: string | undefined;
      }[]
    | undefined;
  /** By default `tool_calls` if the reply has tool calls, and `stop` otherwise. */
  readonly finishReason?: string | null | undefined;
  /** The usage to send, such as `{ total_tokens: 12 }`. By default the tokens are counted; null sends no usage. */
  readonly usage?: Readonly<Record<string, unknown>> | null | undefined;
  /** An error response instead of a completion; the status is 500 by default. */
  readonly error?:
    | {
        readonly status?: number | undefined;
        readonly message?: string | undefined;
        readonly type?: string | undefined;
        readonly param?: string | null | undefined;
        readonly code?: string | number | null | undefined;
        readonly retryAfterSeconds?: number | undefined;
      }
    | undefined;
  /**
   * An error at the end of a stream, after the other content of the reply. `form` says how it is sent: `chunk` (the
   * default) is an event with the key `error`, `event` is an event named `error`, and `text` is an event with text
   * before the JSON. If the request does not stream, it gets an error response with status 500 instead.
   */
  readonly streamError?:
    | {
        readonly message?: string | undefined;
        readonly type?: string | undefined;
        readonly code?: string | number | null | undefined;
        readonly form?: "chunk" | "event" | "text" | undefined;
      }
    | undefined;
  /**
   * The response breaks off: a stream ends without a finish reason and without `[DONE]`, and any other response in the
   * middle of its JSON.
   */
  readonly cut?: boolean | undefined;
  /** Milliseconds of real time before the first token. */
  readonly firstTokenMs?: number | undefined;
  /** Milliseconds of real time between two tokens. */
  readonly betweenTokensMs?: number | undefined;
}

/** A reply of the chat script, and how often it was sent. */
export interface ChatReplyStatus {
  /** Its place in the script, from 0. */
  readonly index: number;
  readonly reply: ChatReply;
  /** How many requests get this reply; null for every matching one. */
  readonly times: number | null;
  /** How many requests have got this reply. */
  readonly used: number;
}

/** A duration: milliseconds, or a string such as `90s`, `1h30m` or `30d`. */
export type Span = number | string;

/** Converts a duration to whole milliseconds. @throws RangeError when the duration is invalid or negative */
function spanOf(span: Span, name: string): number {
  const milliseconds = typeof span === "string" ? parseDuration(span) : span;
  if (typeof milliseconds !== "number" || !Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new RangeError(
      `${name} must be a number of milliseconds, 0 or more, or a string such as 90s, 1h30m or 30d, not ${shown(span)}`,
    );
  }
  return Math.round(milliseconds);
}
