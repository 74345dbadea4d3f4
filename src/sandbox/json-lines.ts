import type { Issue } from "../contract/check/check.ts";
import { endOfString } from "./read-input.ts";

type Path = Issue["path"];

/** A value that is looked for, or a parent of such a value. */
interface Wanted {
  /** The line on which the value begins, from 1. Undefined if it was not found. */
  line?: number;
  /** The wanted values inside this value, by key or index. */
  readonly inner: Map<string, Wanted>;
}

/**
 * Finds values in a JSON text, which must be valid and have no key twice in a map. For each path, returns the line of
 * the value or of its closest parent that is in the text; undefined if that parent is the whole text.
 */
export function jsonLines(json: string, paths: readonly Path[]): readonly (number | undefined)[] {
  const root = wanted();
  for (const path of paths) {
    let node = root;
    for (const key of path.map(String)) {
      const inner = node.inner.get(key) ?? wanted();
      node.inner.set(key, inner);
      node = inner;
    }
  }
  findLines(json, root);
  return paths.map((path) => {
    let [node, line]: [Wanted | undefined, number | undefined] = [root, undefined];
    for (const key of path) {
      node = node?.inner.get(String(key));
      line = node?.line ?? line;
    }
    return line;
  });
}

const wanted = (): Wanted => ({ inner: new Map() });

/** Sets the lines of the wanted values. */
function findLines(json: string, root: Wanted): void {
  let [at, line] = [0, 1];
  const skipSpace = () => {
    for (; json[at] === " " || json[at] === "\n" || json[at] === "\r" || json[at] === "\t"; at += 1) {
      if (json[at] === "\n") line += 1;
    }
  };
  const skipKey = (): string => {
    const start = at;
    at = endOfString(json, at) + 1;
    const key: unknown = JSON.parse(json.slice(start, at));
    skipSpace();
    // The colon.
    at += 1;
    return String(key);
  };
  const visit = (node: Wanted | undefined): void => {
    skipSpace();
    if (node) node.line = line;
    const first = json[at];
    if (first === '"') at = endOfString(json, at) + 1;
    else if (first !== "{" && first !== "[") {
      const end = /[\s,\]}]|$/g;
      end.lastIndex = at;
      at = end.exec(json)?.index ?? json.length;
    } else {
      at += 1;
      skipSpace();
      for (let index = 0; json[at] !== "}" && json[at] !== "]"; index += 1) {
        if (json[at] === ",") at += 1;
        skipSpace();
        const key = first === "{" ? skipKey() : String(index);
        visit(node?.inner.get(key));
        skipSpace();
      }
      at += 1;
    }
  };
  visit(root);
}
