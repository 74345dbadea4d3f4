import type { Document, LineCounter, Scalar } from "yaml";
import type { Issue } from "../contract/check/check.ts";
import { reasonOf } from "../core/errors.ts";
import { isNestedBeyond } from "../core/json.ts";
import { ControlRefused } from "./errors.ts";
import { jsonLines } from "./json-lines.ts";
import { endOfString } from "./read-input.ts";

/** A document for the sandbox's controls, such as a seed. */
interface ParsedDocument {
  /** Undefined if the document is empty or null. */
  readonly content: unknown;
  /**
   * Returns the error for issues of the content. If the line of an issue is found, its number is added to the message.
   * `outside` is the number of leading path segments that are not in the document.
   */
  readonly errorFor: (issues: readonly Issue[], outside?: number) => ControlRefused;
}

/**
 * Parses YAML or JSON. `name` is the document's name in messages, such as `the seed`.
 * @throws ControlRefused when the text is neither, has a key twice in a map, or exceeds a limit
 */
export async function parseDocument(given: string, name: string): Promise<ParsedDocument> {
  const text = given.replace(/^\ufeff/, "");
  const json = jsonOf(text);
  if ("value" in json) {
    if (isNestedBeyond(json.value, maxDepth)) throw new ControlRefused([], `${name} ${tooDeep}`);
    if (json.isUnambiguous) {
      return {
        content: json.value ?? undefined,
        errorFor: (issues, outside) => listedIssues(issues, outside, (paths) => jsonLines(text, paths)),
      };
    }
  }
  // Loading this parser takes longer than reading most JSON.
  const yaml = await import("yaml");
  const excess = excessIn(text, yaml);
  if (excess === tooLarge && "value" in json) {
    throw new ControlRefused([], `${name} has a key twice in a map`);
  }
  if (excess === tooLarge && /^\s*[[{]/.test(text) && "problem" in json) {
    // The text may be meant as JSON, or as YAML in flow style.
    throw new ControlRefused([], `${name} ${excess}. As JSON, it has the error: ${json.problem}`);
  }
  if (excess !== undefined) throw new ControlRefused([], `${name} ${excess}`);
  const nodes = nodesOf(text, yaml);
  const { parsed, lines } = nodes;
  const [error] = parsed.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new ControlRefused([], `${name} ${invalid}: ${error.message} at line ${line}, column ${col}`);
  }
  const repeated = repeatedKey(parsed, yaml);
  if (repeated) {
    const { line } = lines.linePos(repeated.range?.[0] ?? 0);
    throw new ControlRefused(
      [],
      `${name} has the key ${String(repeated.value)} twice in a map, on line ${line}`,
    );
  }
  return {
    content: toValue(parsed, name) ?? undefined,
    errorFor: (issues, outside) =>
      listedIssues(issues, outside, (paths) => paths.map((path) => lineOf(path, nodes))),
  };
}

/**
 * Parses JSON with `JSON.parse`, which is a hundred times as fast as the YAML parser. If a map has a key twice,
 * `JSON.parse` keeps only the last value. `isUnambiguous` is true if no map has a key twice.
 */
function jsonOf(
  text: string,
): { readonly value: unknown; readonly isUnambiguous: boolean } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return { value, isUnambiguous: colonsIn(text) === keysIn(value) };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

/** How many colons are in a JSON text, not counting those in strings. */
function colonsIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === ":") count += 1;
  }
  return count;
}

/** How many keys the maps in a value have. Counts no deeper than a document may be nested. */
function keysIn(value: unknown, levels = maxDepth): number {
  if (typeof value !== "object" || value === null || levels === 0) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const inner of Object.values(value)) count += keysIn(inner, levels - 1);
  return count;
}

type Yaml = typeof import("yaml");

/** The nodes of a document, and the positions of its lines. */
interface Nodes {
  readonly parsed: Document;
  readonly lines: LineCounter;
}

function nodesOf(text: string, { LineCounter, parseDocument: parse }: Yaml): Nodes {
  const lines = new LineCounter();
  // Comparing each key of a map with all others, as `uniqueKeys` does, takes minutes for 150,000 keys. `prettyErrors`
  // quotes the text in each error, and there may be thousands. Without `logLevel`, the parser writes warnings to
  // stderr.
  const parsed = parse(text, {
    lineCounter: lines,
    logLevel: "error",
    prettyErrors: false,
    uniqueKeys: false,
  });
  return { parsed, lines };
}

/** The error for issues. `linesOf` returns the lines of paths in the document, if it finds them. */
function listedIssues(
  issues: readonly Issue[],
  outside = 0,
  linesOf: (paths: readonly Issue["path"][]) => readonly (number | undefined)[],
): ControlRefused {
  const first = issues.slice(0, maxIssues);
  const lines = linesOf(first.map(({ path }) => path.slice(outside)));
  const listed = first.map(({ path, message }, index) => {
    const line = lines[index];
    return { path, message: line === undefined ? message : `${message} (line ${line})` };
  });
  const more = issues.length - listed.length;
  return new ControlRefused(
    more === 0
      ? listed
      : [...listed, { path: [], message: `has ${more} more ${more === 1 ? "problem" : "problems"}` }],
  );
}

/** The maximum number of problems that an error lists. Finding the line of each takes time. */
const maxIssues = 100;

/** The first key that occurs twice in a map. */
function repeatedKey(
  parsed: Document,
  { isScalar, visit }: Pick<typeof import("yaml"), "isScalar" | "visit">,
): Scalar | undefined {
  let repeated: Scalar | undefined;
  visit(parsed, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          repeated = key;
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return repeated;
}

/** How many levels deep a document may be nested. */
const maxDepth = 200;

/** How many aliases a document may have. For each alias, the parser looks at all anchors before it. */
const maxAliases = 1000;

const tooDeep = `is nested more than ${maxDepth} levels deep`;

/**
 * The maximum number of tokens and characters of YAML. While a document is parsed, the sandbox serves no other request
 * and cannot end. A rental is about twenty tokens.
 */
export const maxYaml = { tokens: 50_000, length: 1024 * 1024 } as const;

const tooLarge = `is too large for YAML: it has more than ${maxYaml.tokens} tokens or ${maxYaml.length / 1024 / 1024} MiB. Write it as JSON`;

const invalid = "is not valid YAML or JSON";

/**
 * Returns in words which limit a document exceeds, if any. Uses the lexer, because it is not recursive. The parser is
 * recursive, and Node.js aborts the process if a regular expression is compiled when little of the stack is left. In
 * block style, each level takes at least a column of indentation or an indicator such as `-`, so these are counted.
 */
function excessIn(
  text: string,
  { Lexer, CST }: Pick<typeof import("yaml"), "Lexer" | "CST">,
): string | undefined {
  if (text.length > maxYaml.length) return tooLarge;
  let [flow, block, isIndent, aliases, tokens] = [0, 0, true, 0, 0];
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > maxYaml.tokens) return tooLarge;
    const type = CST.tokenType(token);
    if (type === "alias") aliases += 1;
    if (type === "newline") [block, isIndent] = [0, true];
    else if (type === "flow-map-start" || type === "flow-seq-start") flow += 1;
    else if (type === "flow-map-end" || type === "flow-seq-end") flow -= 1;
    else if (flow > 0) continue;
    else if (type === "space") block += isIndent ? token.length : 0;
    else if (type === "seq-item-ind" || type === "explicit-key-ind" || type === "map-value-ind") block += 1;
    else isIndent = false;
    if (flow + block > maxDepth) return tooDeep;
  }
  return aliases > maxAliases ? `has more than ${maxAliases} aliases` : undefined;
}

function toValue(parsed: Document, name: string): unknown {
  try {
    return parsed.toJS();
  } catch (error) {
    throw new ControlRefused([], `${name} cannot be read: ${reasonOf(error)}`);
  }
}

/** The line of a field, or of the closest parent that is in the document. */
function lineOf(path: Issue["path"], { parsed, lines }: Nodes): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const node = parsed.getIn(path.slice(0, length), true);
    if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)) {
      return lines.linePos(Number(node.range[0])).line;
    }
  }
  return undefined;
}
