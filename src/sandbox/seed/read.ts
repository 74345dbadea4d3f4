import type { Document, LineCounter } from "yaml";
import { check, type Issue } from "../../contract/check.ts";
import { ControlRefused } from "../control/refused.ts";
import { type SeedDocument, seedDocument } from "./schema.ts";

/** A seed that was read: its document, and a way to tell where in the text a place of it stands. */
export interface Seed {
  readonly document: SeedDocument;
  /** Throws nothing: makes the error that names each place and its line. */
  readonly wrong: (issues: readonly Issue[]) => ControlRefused;
}

/**
 * Reads a seed, YAML or JSON; an empty one is that of an untouched sandbox.
 * @throws ControlRefused that names each place at fault and its line
 */
export async function readSeed(text: string): Promise<Seed> {
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const parsed = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: true });
  const [error] = parsed.errors;
  if (error) throw new ControlRefused([], `the seed is neither YAML nor JSON: ${error.message.trim()}`);
  const wrong = (issues: readonly Issue[]): ControlRefused => refusal(issues, parsed, lines);
  const content = toValue(parsed);
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw new ControlRefused([], "the seed must be a map with keys such as rentals, volumes and clock");
  }
  const checked = check({ input: seedDocument }, content);
  if (!checked.ok) throw wrong(checked.issues.map(inSeed));
  return { document: checked.value, wrong };
}

function toValue(parsed: Document): unknown {
  try {
    return parsed.toJS() ?? {};
  } catch (error) {
    throw new ControlRefused(
      [],
      `the seed cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

const inSeed = ({ path, message }: Issue): Issue => ({
  path,
  message: message.replace("of this operation", "that a seed has"),
});

function refusal(issues: readonly Issue[], parsed: Document, lines: LineCounter): ControlRefused {
  const placed = issues.map(({ path, message }) => {
    const line = lineOf(path, parsed, lines);
    return { path, message: line === undefined ? message : `${message} (line ${line})` };
  });
  return new ControlRefused(placed);
}

/** The line of a place, or of the nearest one around it that is there. */
function lineOf(path: Issue["path"], parsed: Document, lines: LineCounter): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const node = parsed.getIn(path.slice(0, length), true);
    if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)) {
      return lines.linePos(Number(node.range[0])).line;
    }
  }
  return undefined;
}
