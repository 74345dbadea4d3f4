import { isRecord } from "../../core/json.ts";
import type { Redactor } from "../../core/redact.ts";

type Batches = AsyncIterable<readonly unknown[]>;

/** After this many records without text at a place, the rest of a secret is no longer expected there. */
const maxApart = 16;

/**
 * Masks secrets that are split between texts of several records. The first of these records gets the whole text,
 * masked; in the others, the text becomes empty. Only texts in the field `continued` are joined, each with the texts at
 * the same place in later records. Records are held back only while a text may end with the start of a secret.
 */
export async function* withoutSplitSecrets(
  records: Batches,
  continued: string,
  redactor: Pick<Redactor, "redact" | "stream">,
): Batches {
  let held: unknown[] = [];
  /** The texts of the records that are held back, by their place in the record. */
  const texts = new Map<string, Joined>();
  const release = (): readonly unknown[] => {
    for (const [place, joined] of texts) maskSplit(held, place, joined, redactor);
    const released = held;
    held = [];
    texts.clear();
    return released;
  };
  try {
    for await (const batch of records) {
      const ready: unknown[] = [];
      for (const record of batch) {
        for (const [place, text] of textsIn(isRecord(record) ? record[continued] : undefined, continued)) {
          const joined = texts.get(place) ?? { pieces: [], last: 0 };
          joined.pieces.push({ at: held.length, text });
          joined.last = held.length;
          texts.set(place, joined);
        }
        held.push(record);
        const isWaiting = [...texts.values()].some(
          (joined) => held.length - joined.last <= maxApart && isUnfinished(joined, redactor),
        );
        if (!isWaiting) ready.push(...release());
      }
      if (ready.length > 0) yield ready;
    }
  } catch (error) {
    if (held.length > 0) yield release();
    throw error;
  }
  if (held.length > 0) yield release();
}

interface Joined {
  /** The texts, each with the index of its record. */
  readonly pieces: { readonly at: number; readonly text: string }[];
  /** The index of the last record that has a text. */
  last: number;
}

/** How many levels deep to look for texts. The arguments of a tool call are six below `choices`. */
const maxDepth = 8;

/** The texts inside a value, each with its place. */
function* textsIn(
  value: unknown,
  place: string,
  depth = 0,
): Generator<readonly [place: string, text: string]> {
  if (typeof value === "string") yield [place, value];
  else if (typeof value === "object" && value !== null && depth < maxDepth) {
    for (const [key, inner] of Object.entries(value)) yield* textsIn(inner, `${place}\0${key}`, depth + 1);
  }
}

const textOf = ({ pieces }: Joined): string => pieces.map(({ text }) => text).join("");

/** Whether the end of the text may be the start of a secret. */
function isUnfinished(joined: Joined, { stream }: Pick<Redactor, "stream">): boolean {
  const rest = stream();
  rest.add(textOf(joined));
  return rest.end() !== "";
}

/** Masks the secrets of the joined text. Changes nothing if masking each piece separately gives the same text. */
function maskSplit(
  records: readonly unknown[],
  place: string,
  joined: Joined,
  { redact }: Pick<Redactor, "redact">,
): void {
  const { pieces } = joined;
  if (pieces.length < 2) return;
  const masked = redact(textOf(joined));
  if (masked === pieces.map(({ text }) => redact(text)).join("")) return;
  for (const [number, { at }] of pieces.entries()) {
    replaceText(records[at], place.split("\0"), number === 0 ? masked : "");
  }
}

/** Changes the record in place: it was parsed from a response, and nothing else uses it. */
function replaceText(record: unknown, path: readonly string[], text: string): void {
  const holder = path.slice(0, -1).reduce<unknown>((value, key) => Reflect.get(Object(value), key), record);
  const key = path.at(-1);
  if (typeof holder === "object" && holder !== null && key !== undefined) Reflect.set(holder, key, text);
}
