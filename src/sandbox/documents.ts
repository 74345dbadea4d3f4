import type { Document, LineCounter, Scalar } from "yaml";
import type { Issue } from "../contract/check/check.ts";
import { reasonOf } from "../core/errors.ts";
import { ControlRefused } from "./errors.ts";

/** A document for the sandbox's controls, such as a seed. */
interface ParsedDocument {
  /** Undefined if the text is empty. */
  readonly content: unknown;
  /**
   * Returns the error for issues of the content. The number of a line in the document is added to the message of each
   * issue. `outside` is the number of leading path segments that are not in the document.
   */
  readonly errorFor: (issues: readonly Issue[], outside?: number) => ControlRefused;
}

/**
 * Parses YAML or JSON. `name` names the document in messages, such as `the seed`.
 * @throws ControlRefused when the text is neither
 */
export async function parseDocument(text: string, name: string): Promise<ParsedDocument> {
  const yaml = await import("yaml");
  const excess = excessIn(text, yaml);
  if (excess !== undefined) throw new ControlRefused([], `${name} ${excess}`);
  const lines = new yaml.LineCounter();
  // Comparing each key of a map with all others, as `uniqueKeys` does, takes minutes for 150,000 keys.
  // Without `logLevel`, the parser writes warnings to stderr.
  const parsed = yaml.parseDocument(text, {
    lineCounter: lines,
    logLevel: "error",
    prettyErrors: true,
    uniqueKeys: false,
  });
  const [error] = parsed.errors;
  if (error) {
    // The first line says what is wrong and where. The other lines quote the text.
    const [message = ""] = error.message.split("\n");
    throw new ControlRefused([], `${name} is not valid YAML or JSON: ${message.replace(/:$/, "")}`);
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
    errorFor: (issues, outside = 0) => {
      const listed = issues.slice(0, maxIssues).map(({ path, message }) => {
        const line = lineOf(path.slice(outside), parsed, lines);
        return { path, message: line === undefined ? message : `${message} (line ${line})` };
      });
      const more = issues.length - listed.length;
      return new ControlRefused(
        more === 0 ? listed : [...listed, { path: [], message: `has ${more} more problems` }],
      );
    },
  };
}

/** How many problems of a document an error lists. Finding the line of each takes time. */
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

/**
 * Returns in words which limit a document exceeds, if any. The parser is recursive, and Node.js aborts the process if a
 * regular expression is compiled when little of the stack is left. The lexer, which is used here, is not recursive. In
 * block style, each level takes a column of indentation or an indicator such as `-`.
 */
function excessIn(
  text: string,
  { Lexer, CST }: Pick<typeof import("yaml"), "Lexer" | "CST">,
): string | undefined {
  let [flow, block, isIndent, aliases] = [0, 0, true, 0];
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    if (type === "alias") aliases += 1;
    if (type === "newline") [block, isIndent] = [0, true];
    else if (type === "flow-map-start" || type === "flow-seq-start") flow += 1;
    else if (type === "flow-map-end" || type === "flow-seq-end") flow -= 1;
    else if (flow > 0) continue;
    else if (type === "space") block += isIndent ? token.length : 0;
    else if (type === "seq-item-ind" || type === "explicit-key-ind" || type === "map-value-ind") block += 1;
    else isIndent = false;
    if (flow + block > maxDepth) return `is nested more than ${maxDepth} levels deep`;
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
function lineOf(path: Issue["path"], parsed: Document, lines: LineCounter): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const node = parsed.getIn(path.slice(0, length), true);
    if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)) {
      return lines.linePos(Number(node.range[0])).line;
    }
  }
  return undefined;
}
