import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { routes } from "../../contract/generated/routes.ts";
import { isNestedBeyond, isRecord, parseJson } from "../../core/json.ts";
import { copyTexts, stringifyExactly } from "../../core/values/exact-numbers.ts";
import type { Ledger } from "../ledger.ts";
import { type Line, linesOf } from "../read-lines.ts";

/** The operations that a line of a batch can call, each under the name of the command that calls it. */
export const endpoints = {
  chat: routes.createChatCompletion,
  image: routes.generateImage,
  tts: routes.generateAudio,
} as const;

export type Endpoint = keyof typeof endpoints;

const endpointNames: readonly Endpoint[] = ["chat", "image", "tts"];

/** A line of the input. */
export interface BatchRequest {
  /** The line number, from 1. */
  readonly number: number;
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly body: Readonly<Record<string, unknown>>;
  /** A CRC-32 of the text of the line. It shows whether the line was edited since it was last read. */
  readonly sum: number;
}

/** A line that is not a valid request. */
export interface InvalidLine {
  readonly number: number;
  /** Each says what is wrong, such as `body must be an object`. */
  readonly problems: readonly string[];
}

/** Reads the lines of an input, in groups as `linesOf` does. Can be called several times. */
export type Source = () => AsyncIterable<Iterable<BatchRequest | InvalidLine>>;

/** Returns the problems of a body; an empty list if it can be sent. */
export type CheckBody = (endpoint: Endpoint, body: object) => readonly string[] | Promise<readonly string[]>;

/**
 * The lines of a JSONL file: `{"custom_id","method","url","body"}`. Empty lines are left out. `path` names the file in
 * errors.
 */
export const jsonLines = (path: string, read: () => AsyncIterable<Uint8Array>): Source =>
  async function* () {
    for await (const lines of linesOf(read(), path)) yield requestsOf(lines);
  };

function* requestsOf(lines: Iterable<Line>): Generator<BatchRequest | InvalidLine> {
  for (const { text, number, isUtf8 } of lines) {
    const json = number === 1 ? text.replace(/^\ufeff/, "") : text;
    if (!isUtf8) yield { number, problems: ["the line is not valid UTF-8"] };
    else if (json.trim() !== "") yield requestOf(json, number);
  }
}

/**
 * How deeply a line may be nested. The checks of a request recurse into each level, and fail on a few thousand levels.
 */
const maxLevels = 500;

/** The problem of a line that is nested too deeply; undefined for any other line. */
export const nestingProblem = (line: unknown): string | undefined =>
  isNestedBeyond(line, maxLevels) ? `the line is nested more than ${maxLevels} levels deep` : undefined;

const knownFields = ["custom_id", "method", "url", "body"];

function requestOf(json: string, number: number): BatchRequest | InvalidLine {
  const line = parseJson(json);
  if (!isRecord(line)) return { number, problems: ["the line is not a JSON object"] };
  // Each level takes at least one character, so a short line cannot be nested too deeply.
  const tooDeep = json.length > maxLevels ? nestingProblem(line) : undefined;
  if (tooDeep !== undefined) return { number, problems: [tooDeep] };
  const { custom_id: id, method, url, body } = line;
  const endpoint = endpointNames.find((name) => endpoints[name].path === url);
  const problems = [
    ...(typeof id === "string" && id !== "" ? [] : ["custom_id must be a string that is not empty"]),
    ...(method === "POST" ? [] : [`method must be "POST", not ${shown(method)}`]),
    ...(endpoint ? [] : [`url must be one of ${paths.join(", ")}, not ${shown(url)}`]),
    ...(isRecord(body) ? [] : ["body must be an object"]),
    ...Object.keys(line)
      .filter((name) => !knownFields.includes(name))
      .map((name) => `${name} is not a known field; the fields are ${knownFields.join(", ")}`),
  ];
  return typeof id === "string" && endpoint && isRecord(body) && problems.length === 0
    ? { number, id, endpoint, body, sum: crc32(json) }
    : { number, problems };
}

const paths = endpointNames.map((name) => endpoints[name].path);

/** A value as JSON, cut off after 80 characters; `nothing` if there is no value. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** A hash of a request: 16 hexadecimal digits. The order of keys does not matter. */
export const requestHash = ({ endpoint, body }: Pick<BatchRequest, "endpoint" | "body">): string =>
  hash("sha256", `${endpoint} ${stringifyExactly(sorted(body))}`, "hex").slice(0, 16);

/** A copy with the keys of every object sorted. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return copyTexts(value, value.map(sorted));
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) copy[key] = sorted(value[key]);
  return copyTexts(value, copy);
}

/** The maximum number of listed problems. */
const maxProblems = 50;

/** What an input asks for, or why it cannot be run. */
export interface Validated {
  /** How many lines of this run call each endpoint. */
  readonly counts: Readonly<Record<Endpoint, number>>;
  readonly total: number;
  /** At most 50. */
  readonly problems: readonly Problem[];
  readonly problemCount: number;
}

/** A problem, such as `body.width must be a number`, and the number of its line. */
export interface Problem {
  readonly line: number;
  readonly message: string;
}

interface ValidateOptions {
  readonly check: CheckBody;
  /**
   * Receives the number and checksum of the first line with each ID, and the request hash of each valid line of this
   * run.
   */
  readonly ledger: Ledger;
  /** Whether a line belongs to this run. Lines of other shards are checked, too. */
  readonly isOurs: (id: string) => boolean;
  /** Called for each valid line of this run, before its hash replaces the hash from the journal in the ledger. */
  readonly visit: (request: BatchRequest, entry: number, hash: string) => void;
  /** Ends the check when it is aborted. */
  readonly stopped: AbortSignal;
}

/**
 * Checks every line of an input. If `stopped` is aborted, throws its reason. Keeps only the ledger and the listed
 * problems in memory.
 */
export async function validate(source: Source, options: ValidateOptions): Promise<Validated> {
  const { check, ledger, isOurs, visit, stopped } = options;
  const counts: Record<Endpoint, number> = { chat: 0, image: 0, tts: 0 };
  const problems: Problem[] = [];
  let problemCount = 0;
  let total = 0;
  const add = (number: number, found: readonly string[]): void => {
    problemCount += found.length;
    const room = Math.max(0, maxProblems - problems.length);
    problems.push(...found.slice(0, room).map((message) => ({ line: number, message })));
  };
  for await (const lines of source()) {
    stopped.throwIfAborted();
    for (const line of lines) {
      if ("problems" in line) {
        add(line.number, line.problems);
        continue;
      }
      const entry = ledger.add(line.id);
      const earlier = ledger.line(entry);
      if (earlier > 0) add(line.number, [`custom_id ${shown(line.id)} is already used in line ${earlier}`]);
      else ledger.setLine(entry, line.number, line.sum);
      const checked = check(line.endpoint, line.body);
      const found = checked instanceof Promise ? await checked : checked;
      if (found.length > 0)
        add(
          line.number,
          found.map((problem) => `body.${problem}`),
        );
      else if (earlier === 0 && isOurs(line.id)) {
        total += 1;
        counts[line.endpoint] += 1;
        const requested = requestHash(line);
        visit(line, entry, requested);
        ledger.setRequest(entry, requested);
      }
    }
  }
  return { counts, total, problems, problemCount };
}
