import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import { codeOf, UsageError } from "../../core/errors.ts";
import { canonicalJson, parseJson } from "../../core/json.ts";
import { didYouMean } from "../../core/text.ts";
import { inputLimits, sizeText } from "../../core/values/input-limits.ts";
import { fileName } from "../../media/filename.ts";
import { Ledger } from "../ledger.ts";
import { type Line, linesOf } from "../read-lines.ts";
import {
  type BatchRequest,
  type Endpoint,
  endpoints,
  type InvalidLine,
  nestingProblem,
  type Source,
} from "./lines.ts";

export interface PromptsOptions {
  /** The name of the file, for errors. */
  readonly path: string;
  readonly read: () => AsyncIterable<Uint8Array>;
  readonly endpoint: Endpoint;
  /** Fields of every body. The fields of a line override them. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** A text file with one prompt in each line. Empty lines are left out. */
export const textPrompts = ({ path, read, endpoint, defaults }: PromptsOptions): Source =>
  async function* () {
    const idOf = ids();
    const requestsOf = function* (lines: Iterable<Line>): Generator<BatchRequest | InvalidLine> {
      for (const { text, number, isUtf8 } of lines) {
        const prompt = text.replace(/^\ufeff/, "").trim();
        if (!isUtf8) yield { number, problems: [notUtf8] };
        else if (prompt.includes("\r")) yield { number, problems: [oldLineEnd] };
        else if (prompt !== "") {
          const fields = promptFields(endpoint, { prompt });
          const body = { ...defaults, ...fields };
          yield { number, id: idOf(prompt, fields), endpoint, body, sum: crc32(text) };
        }
      }
    };
    for await (const lines of linesOf(read(), path)) yield requestsOf(lines);
  };

const notUtf8 = "the line is not valid UTF-8";
const oldLineEnd = "the line contains carriage returns; save the file with Linux or Windows line endings";

function* invalidLines(lines: Iterable<Line>): Generator<InvalidLine> {
  for (const { number, isUtf8 } of lines) if (!isUtf8) yield { number, problems: [notUtf8] };
}

/** Whether a file starts with the byte order mark of little-endian UTF-16, which spreadsheets write. */
const isUtf16 = ([first, second]: Uint8Array): boolean => first === 0xff && second === 0xfe;

/** A CSV file whose header names the fields. */
export const csvPrompts = ({ path, read, endpoint, defaults }: PromptsOptions): Source =>
  async function* () {
    const { parse } = await import("csv-parse");
    const idOf = ids();
    const parser = parse({
      info: true,
      skip_empty_lines: true,
      // By default, the first line ending is taken as the only one of the file.
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      max_record_size: inputLimits.bytes,
    });
    // The parser itself compares bytes. In UTF-16, the bytes of two other characters may look like a quote.
    const decoded = async function* () {
      let decoder: InstanceType<typeof TextDecoder> | undefined;
      for await (const chunk of read()) {
        decoder ??= new TextDecoder(isUtf16(chunk) ? "utf-16le" : "utf-8", { fatal: true });
        yield decoder.decode(chunk, { stream: true });
      }
      yield decoder?.decode() ?? "";
    };
    const input = Readable.from(decoded());
    input.on("error", (error) => parser.destroy(error)).pipe(parser);
    let columns: readonly Column[] | undefined;
    let headerSum = 0;
    try {
      for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
        const sum = crc32(JSON.stringify(record), headerSum);
        if (columns === undefined) {
          columns = columnsOf(record, endpoint, `${path}:${info.lines}`);
          headerSum = sum;
        } else yield [rowOf({ record, number: info.lines, columns, sum }, { endpoint, defaults, idOf })];
      }
    } catch (error) {
      if (codeOf(error) === "ERR_ENCODING_INVALID_ENCODED_DATA") {
        for await (const lines of linesOf(read(), path)) yield invalidLines(lines);
        return;
      }
      if (error instanceof Error && "lines" in error) {
        const isTooLong = "code" in error && error.code === "CSV_MAX_RECORD_SIZE";
        const problem = isTooLong
          ? `the record is longer than ${sizeText(inputLimits.bytes)}`
          : error.message;
        throw new UsageError(`${path}:${String(error.lines)}: ${problem}`);
      }
      throw error;
    } finally {
      input.destroy();
    }
  };

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

interface Column {
  readonly name: string;
  /** The kind of the field. It decides how a cell is converted to a value. */
  readonly kind: string;
}

/** Columns that are not fields of the request. */
const specialColumns: Readonly<Record<Endpoint, readonly string[]>> = {
  chat: ["prompt", "system"],
  image: ["size"],
  tts: ["prompt"],
};
const aliases: Readonly<Record<Endpoint, Readonly<Record<string, string>>>> = {
  chat: { message: "prompt" },
  image: { model: "model_name", negative: "negative_prompt" },
  tts: {},
};

/**
 * The columns of a header. `place` says where the header is, for errors. Throws `UsageError` for an unknown column, and
 * for two columns with the same name. An alias counts as the name that it stands for.
 */
function columnsOf(header: readonly string[], endpoint: Endpoint, place: string): readonly Column[] {
  const { fields } = endpoints[endpoint];
  const known = [...fields.map(({ name }) => name), ...specialColumns[endpoint]];
  const columns = header.map((title): Column => {
    const wire = title.trim().replaceAll("-", "_");
    const name = aliases[endpoint][wire] ?? wire;
    if (name === "id" || name === "custom_id") return { name: "custom_id", kind: "string" };
    if (!known.includes(name)) {
      const hint = `Columns are ${["custom_id", ...known].join(", ")}.`;
      throw new UsageError(
        `${place}: ${JSON.stringify(title)} is not a field of ${endpoint}${didYouMean(wire, known)}`,
        { hint },
      );
    }
    return { name, kind: fields.find((field) => field.name === name)?.kind ?? "string" };
  });
  const twice = columns.find(({ name }, at) => columns.findIndex((one) => one.name === name) < at);
  if (twice) throw new UsageError(`${place}: more than one column sets ${JSON.stringify(twice.name)}`);
  return columns;
}

interface Row {
  readonly record: readonly string[];
  readonly number: number;
  readonly columns: readonly Column[];
  /** The checksum of the header and the row. */
  readonly sum: number;
}

function rowOf(
  { record, number, columns, sum }: Row,
  { endpoint, defaults, idOf }: Pick<PromptsOptions, "endpoint" | "defaults"> & { readonly idOf: IdOf },
): BatchRequest | InvalidLine {
  if (record.length > columns.length) {
    return { number, problems: [`the row has ${record.length} cells, but the header has ${columns.length}`] };
  }
  const cells = columns.flatMap(({ name, kind }, at): [string, unknown][] => {
    const text = record[at] ?? "";
    return text === "" ? [] : [[name, cellValue(text, kind)]];
  });
  const { custom_id: id, ...fields } = Object.fromEntries(cells);
  const tooDeep = nestingProblem(fields);
  if (tooDeep !== undefined) return { number, problems: [tooDeep] };
  const body = promptFields(endpoint, fields);
  const prompt = String(fields.prompt ?? fields.text ?? "");
  return {
    number,
    id: typeof id === "string" ? id : idOf(prompt, body),
    endpoint,
    body: { ...defaults, ...body },
    sum,
  };
}

/**
 * Converts a cell to a value. A cell that cannot be converted stays text. The check of the body rejects values of the
 * wrong type.
 */
function cellValue(text: string, kind: string): unknown {
  const trimmed = text.trim();
  if (kind === "string") return text;
  if (kind === "boolean") return booleans[trimmed.toLowerCase()] ?? text;
  if (kind === "map" && !trimmed.startsWith("{")) return weightsOf(trimmed) ?? text;
  return parseJson(trimmed) ?? text;
}

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false, yes: true, no: false };

/** Parses `NAME:WEIGHT`, or several separated by commas; undefined for anything else. */
function weightsOf(text: string): Fields | undefined {
  const pairs = text.split(",").map((pair) => /^\s*(.+):\s*([\d.]+)\s*$/.exec(pair));
  if (pairs.includes(null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", Number(pair?.[2])]));
}

/** Converts the fields of `--param`. For images, names that only columns have, such as `size`, are allowed, too. */
export function fieldsOfParams(endpoint: Endpoint, params: Fields): Fields {
  if (endpoint !== "image") return params;
  const named = Object.entries(params).map(([name, value]) => [aliases.image[name] ?? name, value]);
  return promptFields(endpoint, Object.fromEntries(named));
}

/** Converts columns to the fields of a body. */
function promptFields(endpoint: Endpoint, fields: Fields): Fields {
  if (endpoint === "image") {
    const { size, ...rest } = fields;
    const [, width, height] = /^(\d+)x(\d+)$/i.exec(String(size)) ?? [];
    if (size === undefined) return rest;
    return width === undefined
      ? { ...rest, width: size }
      : { ...rest, width: Number(width), height: Number(height) };
  }
  const { prompt, system, ...rest } = fields;
  if (prompt === undefined) return fields;
  if (endpoint === "tts") return { text: prompt, ...rest };
  const messages = [
    ...(system === undefined ? [] : [{ role: "system", content: system }]),
    { role: "user", content: prompt },
  ];
  return { messages, ...rest };
}

type IdOf = (prompt: string, fields: Fields) => string;

/**
 * Returns a function that makes IDs, such as `a-lighthouse-at-dusk-3f9c2b714e05`. An ID depends on the content of its
 * line and on how many lines before it have the same content: the ID of the second one ends in `-2`. Adding, moving or
 * removing lines with other content does not change the ID.
 */
function ids(): IdOf {
  const counts = new Ledger();
  return (prompt, fields) => {
    const hash = createHash("sha256").update(canonicalJson(fields)).digest("hex").slice(0, 12);
    const slug = fileName("{slug}", { date: new Date(0), prompt, fallback: "line", ext: "" });
    const entry = counts.add(hash);
    const count = counts.line(entry) + 1;
    counts.setLine(entry, count);
    return count === 1 ? `${slug}-${hash}` : `${slug}-${hash}-${count}`;
  };
}
