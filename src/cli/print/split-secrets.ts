import { isRecord, scalarText } from "../../core/json.ts";
import type { Redactor } from "../../core/redact.ts";

type Batches = AsyncIterable<readonly unknown[]>;

/** If this many records in a row have no text at a place, the rest of a secret is no longer expected at that place. */
const maxApart = 16;

/**
 * Masks secrets that are split between the texts of several records. The texts are joined, and the joined text is
 * masked, except for an end that may be the start of a secret. If a secret was split, the first record gets the masked
 * text, and each later record keeps only its part of that end. The text of a record without such a part becomes empty.
 * Only texts in the field that `continued` names are joined, each with the texts at the same place in later records
 * (see `textsIn`). A record is held back only while one of its texts may end with the start of a secret, or while an
 * earlier record is held back.
 */
export async function* withoutSplitSecrets(
  records: Batches,
  continued: string,
  redactor: Pick<Redactor, "redact" | "stream">,
): Batches {
  const held: unknown[] = [];
  /** How many records have arrived. */
  let count = 0;
  /** The texts that are not finished, by their place in the record. */
  const texts = new Map<string, Joined>();
  /** Removes from `held` the records whose texts are finished, and returns them. */
  const release = (): readonly unknown[] => {
    let first = count;
    for (const { pieces } of texts.values()) first = Math.min(first, pieces[0]?.at ?? count);
    return held.splice(0, held.length - (count - first));
  };
  const releaseAll = (): readonly unknown[] => {
    for (const joined of texts.values()) finish(joined, 0, redactor);
    return held;
  };
  try {
    for await (const batch of records) {
      const ready: unknown[] = [];
      for (const record of batch) {
        for (const { place, path, text } of textsIn(isRecord(record) ? record[continued] : undefined, [
          continued,
        ])) {
          if (text === "") continue;
          const joined = texts.get(place) ?? { stream: redactor.stream(), pieces: [], last: count };
          texts.set(place, joined);
          joined.last = count;
          joined.pieces.push({ at: count, record, path, text });
          joined.stream.add(text);
          finish(joined, joined.stream.heldLength(), redactor);
        }
        held.push(record);
        count += 1;
        for (const [place, joined] of texts) {
          if (count - joined.last > maxApart) finish(joined, 0, redactor);
          if (joined.pieces.length === 0) texts.delete(place);
        }
        for (const one of release()) ready.push(one);
      }
      if (ready.length > 0) yield ready;
    }
  } catch (error) {
    if (held.length > 0) yield releaseAll();
    throw error;
  }
  if (held.length > 0) yield releaseAll();
}

/** The texts at one place that are held back, because they may end with the start of a secret. */
interface Joined {
  /** Gets each text only once, so that the time for a record does not depend on the amount of text before it. */
  readonly stream: ReturnType<Redactor["stream"]>;
  readonly pieces: Piece[];
  /** The number of the last record that has a text. */
  last: number;
}

interface Piece {
  /** The number of the record. */
  readonly at: number;
  readonly record: unknown;
  /** Where the text is in the record. */
  readonly path: readonly string[];
  readonly text: string;
}

/** How many levels deep to look for texts. The arguments of a tool call are six levels below `choices`. */
const maxDepth = 8;

/**
 * The texts inside a value. Texts of several records that have the same `place` continue each other. If an element of a
 * list has the field `index`, as choices and tool calls do, this index decides its place, not its position.
 */
function* textsIn(
  value: unknown,
  path: readonly string[],
  place = path.join("\0"),
): Generator<{ readonly place: string; readonly path: readonly string[]; readonly text: string }> {
  if (typeof value === "string") yield { place, path, text: value };
  else if (typeof value === "object" && value !== null && path.length <= maxDepth) {
    for (const [key, inner] of Object.entries(value)) {
      const index = Array.isArray(value) && isRecord(inner) ? scalarText(inner.index) : "";
      yield* textsIn(inner, [...path, key], `${place}\0${index === "" ? key : `index ${index}`}`);
    }
  }
}

/**
 * Removes from the list all pieces that end before the last `heldLength` characters, and masks the secrets in them.
 * Changes no record if no secret is split, that is, if masking the pieces one by one gives the same text as masking
 * them together.
 */
function finish({ pieces }: Joined, heldLength: number, { redact }: Pick<Redactor, "redact">): void {
  const finished: Piece[] = [];
  let rest = pieces.reduce((length, { text }) => length + text.length, -heldLength);
  for (let next = pieces[0]; next && next.text.length <= rest; next = pieces[0]) {
    rest -= next.text.length;
    finished.push(next);
    pieces.shift();
  }
  if (finished.length === 0) return;
  // A secret may end within the first piece that stays.
  const [staying] = pieces;
  const texts = [...finished.map(({ text }) => text), staying?.text.slice(0, rest) ?? ""];
  const masked = redact(texts.join(""));
  if (masked === texts.map((text) => redact(text)).join("")) return;
  for (const [number, { record, path }] of finished.entries())
    replaceText(record, path, number === 0 ? masked : "");
  if (staying === undefined) return;
  const text = staying.text.slice(rest);
  replaceText(staying.record, staying.path, text);
  pieces[0] = { ...staying, text };
}

/** Changes the record in place: it was parsed from a response, and nothing else uses it. */
function replaceText(record: unknown, path: readonly string[], text: string): void {
  const holder = path.slice(0, -1).reduce<unknown>((value, key) => Reflect.get(Object(value), key), record);
  const key = path.at(-1);
  if (typeof holder === "object" && holder !== null && key !== undefined) Reflect.set(holder, key, text);
}
