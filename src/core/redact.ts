/** The text that replaces each secret. */
const mask = "****";

/** Shorter secrets are not redacted, because they would often match parts of ordinary words. */
export const minSecretLength = 8;

/**
 * The maximum number of characters of a secret. Servers commonly reject longer headers, and the pattern for a much
 * longer secret does not compile. A longer secret is never sent as a key, and only its first `maxSecretLength`
 * characters are redacted.
 */
export const maxSecretLength = 8_192;

/** How many times a text may be encoded. JSON in a URL in JSON is encoded three times. */
const maxDepth = 4;

/**
 * How many characters one character of a secret takes at most when it is encoded, such as `%25255Cu0041`. Longer
 * encodings are found only in whole texts, not in texts that arrive in pieces.
 */
const maxCharacterLength = 16;

/**
 * A word of 16 characters or more counts as a key if it starts with a prefix of keys such as `sk-`, or if it mixes
 * digits, lowercase and uppercase letters and has no other characters than these and `_+=.-`.
 */
const keyLike = /^(?=.{16,}$)(?:(?:sk|pk|rk)[-_]|(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w+=.-]+$)/;

/**
 * Patterns for text between double quotes, and for one character outside quotes. Neither matches a command
 * substitution.
 */
const inDoubleQuotes = /(?:[^"$`\\]|\\.|\$(?!\())*/s.source;
const withoutQuotes = /(?:[^'"|;&<>`$\\]|\\.|\$(?!\())/s.source;

/**
 * In a command line that starts with `echo` or `printf`: their arguments, up to the first command substitution, pipe,
 * redirection, `;` or `&`.
 */
const printedText = new RegExp(
  String.raw`^\s*(?:echo|printf)\b((?:'[^']*'|"${inDoubleQuotes}"|${withoutQuotes})*(?:"${inDoubleQuotes})?)`,
  "s",
);

/**
 * The words of a command line that are probably keys: words that look like a key, and what `echo` and `printf` print.
 */
export function secretsInCommand(line: string): readonly string[] {
  const wordsOf = (text: string) => text.split(/[\s'";|&<>()`]+/);
  const printed = printedText.exec(line)?.[1] ?? "";
  return [
    ...wordsOf(printed).filter((word) => !/^[-%]|\$/.test(word)),
    ...wordsOf(line).filter((word) => keyLike.test(word)),
  ];
}

/** Removes secrets, such as API keys, from texts. */
export interface Redactor {
  /** Adds a secret. Ignores texts shorter than `minSecretLength`. */
  readonly add: (secret: string | undefined) => void;
  /**
   * Replaces each secret in a text with `****`. Ignores case. Also finds secrets that are written with the escapes of
   * JSON, URLs or HTML, that are encoded several times, or that are in Base64.
   */
  readonly redact: (text: string) => string;
  /**
   * Redacts a text that arrives in pieces, including secrets that are split between pieces. Holds back the end of the
   * text only while it may be the start of a secret.
   */
  readonly stream: () => RedactedStream;
  /** The maximum number of characters that a secret takes in an encoded text that arrives in pieces. */
  readonly maxLength: () => number;
}

interface RedactedStream {
  readonly add: (piece: string) => string;
  /** How many characters are held back. */
  readonly heldLength: () => number;
  /** Call this at the end. Returns the rest of the text. */
  readonly end: () => string;
}

/** Creates a redactor. Texts in `known` are never secrets. */
export function createRedactor(known: Iterable<string> = []): Redactor {
  const ignored = new Set(known);
  const secrets = new Set<string>();
  let compiled: Patterns | undefined;
  const patterns = () => {
    compiled ??= patternsFor(secrets);
    return compiled;
  };
  const redact = (text: string): string => {
    if (secrets.size === 0 || text.length < minSecretLength) return text;
    const { suspicious, secret } = patterns();
    return suspicious.test(text) ? masked(text, secret) : text;
  };
  const maxLength = () => maxCharacterLength * Math.max(0, ...[...secrets].map(({ length }) => length));
  return {
    add: (text) => {
      const secret = text?.trim().slice(0, maxSecretLength) ?? "";
      if (secret.length < minSecretLength || ignored.has(secret) || secrets.has(secret)) return;
      secrets.add(secret);
      compiled = undefined;
    },
    redact,
    stream: () => {
      let held = "";
      return {
        add: (piece) => {
          if (secrets.size === 0) return piece;
          const text = held + piece;
          const end = finishedEnd(text, patterns(), maxLength());
          held = text.slice(end);
          return redact(text.slice(0, end));
        },
        heldLength: () => held.length,
        end: () => {
          const rest = redact(held);
          held = "";
          return rest;
        },
      };
    },
    maxLength,
  };
}

/** Redacts bytes of any format. Treats each byte as a Latin-1 character. */
export function redactedBytes(bytes: Uint8Array, redact: Redactor["redact"]): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  const clean = redact(text);
  return clean === text ? bytes : Buffer.from(clean, "latin1");
}

interface Patterns {
  /** Matches every text that contains a secret, and a few other texts. */
  readonly suspicious: RegExp;
  /** Matches a secret without escapes. */
  readonly secret: RegExp;
  /**
   * The secrets without escapes. Each secret is a list with the accepted forms of each of its characters, such as both
   * cases.
   */
  readonly characters: readonly (readonly string[])[];
}

/**
 * Matches an escaped character, such as `\u002d`, `\u{2d}`, `\x2d`, `%2D`, `%252D`, `&#45;`, `&#x2d;`, `&amp;#45;` and
 * `&quot;`.
 */
const escapes =
  /(?<!\\)\\+(?:u([\da-f]{4})|u\{0*([\da-f]{1,6})\}|x([\da-f]{2}))|%(?:25)*([2-9a-f][\da-f])|&(?:amp;)*#(?:x0*([\da-f]{1,6})|0*(\d{1,7}));|&(?:amp;)*(amp|lt|gt|quot|apos);/gi;

/**
 * Matches backslashes, as in `\/`. They need no rule in `escapes`, because texts and secrets are also compared without
 * their backslashes.
 */
const backslashes = /\\+/g;

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Matches the start of an escape for an ASCII character that a secret may contain. */
const asciiEscape = "\\\\(?:u00[2-7]|u\\{0*[2-7]|x[2-7])|%[2-7]|&(?:#|[a-z]{2,4};)";

/** Matches the start of an escape for any character. */
const anyEscape = "\\\\(?:u[\\da-f{]|x[\\da-f])|%[2-9a-f]|&(?:#|[a-z]{2,4};)";

function patternsFor(secrets: Iterable<string>): Patterns {
  const all = [...secrets];
  // A secret may itself contain what looks like an escape, so its decoded forms are secrets too.
  const literals = all
    .flatMap((secret) => [secret, Buffer.from(secret).toString("latin1")])
    .flatMap(decodings);
  const encoded = all.flatMap(base64Forms);
  const marks = new Set(all.flatMap((secret) => secret.match(/[^\w\s]/gu) ?? []));
  const escapedMarks = [...marks].map((mark) => `\\\\${literal(mark)}`);
  // The longest secrets come first: if two have the same start, the expression matches the first of them.
  const secret = [...new Set([...literals.map(literal), ...encoded.map(base64Pattern)])]
    .sort((one, other) => other.length - one.length)
    .join("|");
  // Leaves out the Base64 digits that a secret shares with the text around it, because searching for them would take
  // three times as long.
  const starts = [...literals.map(literal), ...encoded.map(({ own }) => ownPattern(own))];
  const isAscii = all.every((one) => /^[\x20-\x7e]*$/.test(one));
  const escapeStart = isAscii ? asciiEscape : anyEscape;
  return {
    suspicious: new RegExp([...new Set(starts), escapeStart, ...escapedMarks].join("|"), "i"),
    secret: new RegExp(secret, "gi"),
    characters: [
      ...[...new Set(literals)].map((text) => text.split("").map(inBothCases)),
      ...encoded.map(base64Characters),
    ],
  };
}

const inBothCases = (character: string): string =>
  character + character.toLowerCase() + character.toUpperCase();

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

function decodings(text: string): readonly string[] {
  const all = [text];
  for (let next = decode(text); next && all.length <= maxDepth; next = decode(next.text)) all.push(next.text);
  const plain = all.map((one) => one.replace(backslashes, ""));
  return [...all, ...plain].filter(({ length }) => length >= minSecretLength);
}

/** The Base64 of a secret, alone or within a longer text. */
interface Base64Form {
  /** The digits that depend only on the secret. */
  readonly own: string;
  /**
   * Whether the secret shares its first digit with the text before it, and its last digit with the text after it. Only
   * some bits of a shared digit are known.
   */
  readonly sharesFirst: boolean;
  readonly sharesLast: boolean;
}

/** The forms that a secret can have in Base64, alone or anywhere in a longer text such as `user:secret`. */
function base64Forms(secret: string): readonly Base64Form[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].map((offset) => {
    const digits = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const sharesLast = (offset + bytes.length) % 3 !== 0;
    const own = digits.slice(offset === 0 ? 0 : offset + 1, sharesLast ? -1 : undefined);
    return { own, sharesFirst: offset !== 0, sharesLast };
  });
}

function base64Pattern({ own, sharesFirst, sharesLast }: Base64Form): string {
  const shared = "[\\w+/-]?";
  return `${sharesFirst ? shared : ""}${ownPattern(own)}${sharesLast ? shared : ""}`;
}

const ownPattern = (own: string): string => own.replaceAll("+", "[+-]").replaceAll("/", "[/_]");

const base64Characters = ({ own }: Base64Form): readonly string[] =>
  own.split("").map((digit) => (digit === "+" ? "+-" : digit === "/" ? "/_" : inBothCases(digit)));

/** A decoded text, whose positions can be converted to positions in the original text. */
interface Decoded {
  readonly text: string;
  /** Converts a position in the decoded text to a position in the original text. */
  readonly original: (at: number) => number;
}

/** Replaces each escape with its character, one level only. Undefined if there are no escapes. */
function decode(text: string, pattern = escapes): Decoded | undefined {
  const starts: number[] = [];
  const shifts: number[] = [];
  const parts: string[] = [];
  let length = 0;
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    const character = characterOf(match);
    const { index } = match;
    const end = index + match[0].length;
    parts.push(text.slice(last, index), character);
    length += index - last;
    starts.push(length);
    length += character.length;
    shifts.push(end - length);
    last = end;
  }
  if (starts.length === 0) return undefined;
  parts.push(text.slice(last));
  return { text: parts.join(""), original: (at) => at + (shifts[lastBelow(at, starts)] ?? 0) };
}

function characterOf([all, u4, braces, x, percent, hex, decimal, entity]: RegExpMatchArray): string {
  if (/^\\+$/.test(all)) return "";
  if (entity !== undefined) return entities[entity.toLowerCase()] ?? "";
  const digits = u4 ?? braces ?? x ?? percent ?? hex;
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}

/** The index of the last number below a limit in an ascending list; -1 if there is none. */
function lastBelow(limit: number, numbers: readonly number[]): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Combines two decoding steps. */
const after = (second: Decoded, first: Decoded): Decoded => ({
  text: second.text,
  original: (at) => first.original(second.original(at)),
});

const rangesIn = ({ text, original }: Decoded, secret: RegExp): Range[] =>
  [...text.matchAll(secret)].map(({ index, 0: found }) => [original(index), original(index + found.length)]);

type Range = readonly [start: number, end: number];

/**
 * Finds the secrets in a text, and in the text after decoding it once, twice and so on. The ranges are positions in the
 * original text.
 */
function secretRanges(text: string, secret: RegExp): readonly Range[] {
  const ranges: Range[] = [];
  let decoded: Decoded | undefined = { text, original: (at) => at };
  for (let depth = 0; decoded && depth <= maxDepth; depth += 1) {
    for (const range of rangesIn(decoded, secret)) ranges.push(range);
    const plain = decode(decoded.text, backslashes);
    if (plain) for (const range of rangesIn(after(plain, decoded), secret)) ranges.push(range);
    const next = decode(decoded.text);
    decoded = next && after(next, decoded);
  }
  return ranges;
}

/**
 * Matches an incomplete escape at the end of a text, or an escape that may become longer with the text that follows.
 */
const unfinishedEscape =
  /(?:\\+(?:u(?:[\da-f]{0,3}|\{[\da-f]*)|x[\da-f]?)?|%(?:25)*[\da-f]?|&(?:amp;)*(?:#(?:x[\da-f]*|\d*)|[a-z]{0,4}))$/i;

/**
 * The position up to which a text can be redacted now. The text after it may be the start of a secret, or contain a
 * part of one.
 */
function finishedEnd(text: string, { secret, characters }: Patterns, maxLength: number): number {
  // A secret is never longer than half of this window, so two secrets that overlap fit in the window.
  const windowStart = Math.max(0, text.length - 2 * maxLength);
  const window = text.slice(windowStart);
  let end = Math.max(window.length - maxLength, unfinishedStart(window, characters));
  if (end === window.length) return text.length;
  const ranges = secretRanges(window, secret);
  const crossing = () => ranges.find(([start, stop]) => start < end && end < stop);
  for (let range = crossing(); range; range = crossing()) end = range[0];
  return windowStart + end;
}

function unfinishedStart(text: string, characters: Patterns["characters"]): number {
  let start = text.length;
  let decoded: Decoded | undefined = { text, original: (at) => at };
  for (let depth = 0; decoded && depth <= maxDepth; depth += 1) {
    const { index = decoded.text.length } = unfinishedEscape.exec(decoded.text) ?? {};
    const complete: Decoded = { ...decoded, text: decoded.text.slice(0, index) };
    for (const one of [decoded, complete]) {
      const plain = decode(one.text, backslashes);
      for (const form of plain ? [one, after(plain, one)] : [one])
        start = Math.min(start, form.original(prefixStart(form.text, characters)));
    }
    const next = decode(complete.text);
    decoded = next && after(next, complete);
  }
  return start;
}

/**
 * Finds the first position from which the whole rest of the text matches the start of a secret. Returns the length of
 * the text if there is none.
 */
function prefixStart(text: string, characters: Patterns["characters"]): number {
  let first = text.length;
  for (const secret of characters) {
    for (let start = Math.max(0, text.length - secret.length + 1); start < first; start += 1) {
      let at = start;
      while (at < text.length && secret[at - start]?.includes(text.charAt(at))) at += 1;
      if (at === text.length) first = start;
    }
  }
  return first;
}

function masked(text: string, secret: RegExp): string {
  let result = "";
  let last = 0;
  for (const range of secretRanges(text, secret).toSorted(([one], [other]) => one - other)) {
    let [start, end] = range;
    // Keeps JSON valid by never leaving half of an escape: backslashes before a secret are masked, and those at its end
    // stay.
    while (start > last && text[start - 1] === "\\") start -= 1;
    while (text[end - 1] === "\\") end -= 1;
    if (start >= last) result += text.slice(last, start) + mask;
    last = Math.max(last, end);
  }
  return result + text.slice(last);
}
