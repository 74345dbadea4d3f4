import { ExpectationFailed } from "../core/errors.ts";
import type { bootOutcomes, EngineKind } from "../core/sandbox.ts";
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

export function addBoot({ boots }: Sandbox, boot: Boot): void {
  if (typeof boot !== "object" || boot === null) {
    throw new TypeError(`a boot rule must be an object with an outcome, not ${shown(boot)}`);
  }
  const { after, ...rest } = boot;
  const input = { ...rest, ...(after !== undefined && { afterSeconds: spanOf(after, "after") / 1000 }) };
  withNames({ afterSeconds: "after" }, () => boots.add(input));
}

export function expectRequests({ requests }: Sandbox, expectation: RequestExpectation): void {
  const result = requests.expect(expectation);
  if (!result.met) throw new ExpectationFailed(result);
}

export function addSituation({ situations }: Sandbox, situation: Situation): void {
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
  withNames({ afterSeconds: "after", windowSeconds: "window" }, () => situations.add(input));
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

/** If `work` throws a `ControlRefused`, renames its fields to the library's options. */
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
  /** Only calls with these values of fields, such as `{ gpuType: "b200" }`. Other calls are not counted. */
  readonly where?: Readonly<Record<string, unknown>> | undefined;
  /** Only calls with this header `Gpuctl-Sandbox-Caller`. */
  readonly caller?: string | undefined;
  /** Only calls with the API key of this name. */
  readonly key?: string | undefined;
  /** Responds with this error status instead of the service. */
  readonly status?: number | undefined;
  /** The code and the message of that error, instead of the service's. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** Responds with this text instead, as a proxy would; with status 200 unless `status` is set. */
  readonly body?: string | undefined;
  /** The media type of that text; plain text by default. */
  readonly contentType?: string | undefined;
  /** The Retry-After header of that response, in whole seconds; 1 s by default for a 429. */
  readonly retryAfter?: Span | undefined;
  /** How many calls it affects; 1 by default, and no limit with `every` or `rate`. */
  readonly times?: number | undefined;
  /** How many calls pass before the first one that it affects; 0 by default. */
  readonly after?: number | undefined;
  /** Affects only every Nth call. */
  readonly every?: number | undefined;
  /** Affects only this share of the calls, more than 0 and up to 1. `seed` and the number of a call decide which. */
  readonly rate?: number | undefined;
  /** Chooses the calls that `rate` affects, the same ones in every run; 0 by default. */
  readonly seed?: number | undefined;
  /** Delays the response. */
  readonly delay?: Span | undefined;
  /** Breaks the connection. */
  readonly reset?: boolean | undefined;
  /** Ends the response after this many server-sent events, or KiB when it is not a stream. */
  readonly cutStreamAfter?: number | undefined;
  /** Keeps the connection open after `cutStreamAfter`, and sends nothing more. */
  readonly stall?: boolean | undefined;
  /** Responds with a body that is not JSON. */
  readonly garbage?: boolean | undefined;
  /** The operation takes effect even though its response is replaced. */
  readonly applied?: boolean | undefined;
}

/** Which requests of the log. */
export interface RequestFilter {
  /** The id of an operation. */
  readonly operation?: keyof Inputs | (string & {}) | undefined;
  /** A status such as 404, a class such as `"4xx"`, or `"none"` for a broken connection. */
  readonly status?: number | string | undefined;
  /** A time of the sandbox, ISO 8601, or a duration before now such as `10m`. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** The header `Gpuctl-Sandbox-Caller` of the requests. */
  readonly caller?: string | undefined;
  /** The name of the API key of the requests. */
  readonly key?: string | undefined;
  /** The values of fields by their dotted paths, such as `{ gpuType: "b200", "messages.0.role": "user" }`. */
  readonly where?: Readonly<Record<string, unknown>> | undefined;
}

/** How many requests are expected: `count`, or `atLeast` (1 by default) and `atMost`. */
export interface RequestExpectation extends RequestFilter {
  readonly count?: number | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** An inference server of your own that generates in place of the sandbox. */
export interface Engine {
  /** What it generates: chats or speech with OpenAI's API, or pictures with the API of AUTOMATIC1111. */
  readonly kind: EngineKind;
  /** The URL of the server, such as `http://127.0.0.1:11434`, with or without the path of its API. */
  readonly url: string;
  /** The model to use. For chat and images it overrides the model of the request; for audio it applies if there is none. */
  readonly model?: string | undefined;
  /** The voice of an audio engine, unless a request names one. */
  readonly voice?: string | undefined;
  /** The environment variable that holds a key for the server. */
  readonly apiKeyEnv?: string | undefined;
}

/** A boot rule: how new rentals boot. */
export interface Boot {
  /**
   * `slow`: later than usual. `failed`: with the status `Failed`. `never`: not at all. The last two stay active and cost
   * nothing until they are terminated.
   */
  readonly outcome: (typeof bootOutcomes)[number];
  /** The time until a rental runs or has failed; 10 minutes by default for `slow`, and the usual time for `failed`. */
  readonly after?: Span | undefined;
  /** Only rentals created with a matching label: `*` is any text, `?` any character. */
  readonly label?: string | undefined;
  /** How many rentals it applies to; all by default. */
  readonly times?: number | undefined;
}

/** Which rentals end or fail, and when. */
interface PlannedEnd {
  /** Only this active rental. */
  readonly rentalId?: number | undefined;
  /** Only rentals created with a matching label: `*` is any text, `?` any character. */
  readonly label?: string | undefined;
  /** The time after a rental has started to run, or from now on for one that runs already; 0 by default. */
  readonly after?: Span | undefined;
  /** A moment instead, ISO 8601. */
  readonly at?: string | undefined;
  /** How many rentals it applies to; all by default. */
  readonly times?: number | undefined;
}

/** A situation of a real cloud. */
export type Situation =
  /** Each of the regions has only so many GPUs of a type: 0 by default, for every type and region. */
  | {
      readonly kind: "capacity";
      readonly gpuType?: string | undefined;
      readonly regions?: readonly string[] | undefined;
      readonly gpus?: number | undefined;
    }
  /** The account can have only so many GPUs, of a type or in total. */
  | { readonly kind: "quota"; readonly gpus: number; readonly gpuType?: string | undefined }
  /** Running rentals end. */
  | ({ readonly kind: "interruption" } & PlannedEnd)
  /** Running rentals become `Failed`. */
  | ({ readonly kind: "failure" } & PlannedEnd)
  /** Calls, of one operation or of all, get 429 after `requests` within `window`, which is a minute by default. */
  | {
      readonly kind: "rate-limit";
      readonly requests: number;
      readonly window?: Span | undefined;
      readonly operation?: keyof Inputs | "*" | (string & {}) | undefined;
    }
  /** Rentals end, and what costs money is refused, when the balance is used up. `balanceCents` sets it. */
  | { readonly kind: "prepaid"; readonly balanceCents?: number | undefined }
  /** Pictures are paid from the balance. */
  | { readonly kind: "picture-prices" }
  /** Volumes attach only to rentals in their region. */
  | { readonly kind: "same-region" };

/** Matches a text that contains this string, or that matches this regular expression. */
export type TextPattern = string | { readonly pattern: string; readonly flags?: string | undefined };

/** One reply of a chat script. It has at least one of text, json, reasoning, toolCalls, error, streamError and cut. */
export interface ChatReply {
  /** The requests that it matches: all of these fields have to match. Without it, any request. */
  readonly when?:
    | {
        /** The text of the last user message, if no tool result follows it, or `toolResult` is given as well. */
        readonly message?: TextPattern | undefined;
        /** The text of the last message, if it is the result of a tool. */
        readonly toolResult?: TextPattern | undefined;
        readonly model?: string | undefined;
      }
    | undefined;
  /** How many requests it is sent to: 1 by default without `when`, and otherwise every matching one. */
  readonly times?: number | "always" | undefined;
  readonly text?: string | undefined;
  /** A value that is sent as the text, as JSON. */
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
  /** `stop` by default, or `tool_calls`. */
  readonly finishReason?: string | null | undefined;
  /** The usage as sent, such as `{ total_tokens: 12 }`; counted by default, and null for none. */
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
   * An error after the rest of a stream: an event with the key `error` (`chunk`, the default), an event named `error`
   * (`event`), or one with text before the JSON (`text`). Without a stream, a response with status 500.
   */
  readonly streamError?:
    | {
        readonly message?: string | undefined;
        readonly type?: string | undefined;
        readonly code?: string | number | null | undefined;
        readonly form?: "chunk" | "event" | "text" | undefined;
      }
    | undefined;
  /** The response ends without a finish reason and without `[DONE]`. */
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
  /** How many requests it is sent to; null for every matching one. */
  readonly times: number | null;
  /** How many requests it was sent to. */
  readonly used: number;
}

/** A duration: milliseconds, or a string such as `90s`, `1h30m` or `30d`. */
export type Span = number | string;

/** The duration in whole milliseconds. @throws RangeError naming it when it is invalid or negative */
function spanOf(span: Span, name: string): number {
  const milliseconds = typeof span === "string" ? parseDuration(span) : span;
  if (typeof milliseconds !== "number" || !Number.isFinite(milliseconds) || milliseconds < 0) {
    throw new RangeError(
      `${name} must be a number of milliseconds, 0 or more, or a string such as 90s, 1h30m or 30d, not ${shown(span)}`,
    );
  }
  return Math.round(milliseconds);
}
