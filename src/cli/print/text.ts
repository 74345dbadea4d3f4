import { usesColor } from "../../config/settings.ts";
import type { Redactor } from "../../core/redact.ts";
import type { Text } from "../../core/result.ts";
import type { View } from "../../core/view.ts";
import { createSanitizer } from "../../output/text.ts";
import type { Sink } from "../../system/types.ts";
import type { Runtime } from "../start/services.ts";

/** Writes one text piece by piece. */
interface Writer {
  readonly add: (piece: string) => Promise<void>;
  /** Writes what was held back, and ends the last line. */
  readonly end: () => Promise<void>;
}

/** Pause after drawing, in multiples of the drawing time. */
const pauseFactor = 4;

/**
 * Prints text as it arrives, and ends its last line. Markdown is drawn on a terminal, and stays unchanged in a pipe.
 * Asides (a model's reasoning) go to stderr, and are dropped with `--quiet`. Also masks a secret that is split between
 * pieces.
 */
export async function printText(
  { text, after }: Text,
  view: View,
  { settings, system: { env, io }, redactor }: Pick<Runtime, "settings" | "system" | "redactor">,
): Promise<void> {
  const { stdout, stderr } = io;
  const usesColorOn = (sink: Sink) => usesColor(settings.color, sink.isTTY, env);
  const isDrawn = stdout.isTTY && view.kind === "lines" && view.markdown === true;
  let out: Writer | undefined;
  let aside: Writer | undefined;
  let pause = 0;
  const endAside = async () => {
    if (aside === undefined) return;
    await aside.end();
    aside = undefined;
    // Separates the asides from the result if a person sees both.
    if (stdout.isTTY && stderr.isTTY) await stderr.write("\n");
  };
  const endWriters = async () => {
    await endAside();
    await out?.end();
  };
  try {
    for await (const piece of gathered(text, () => pause)) {
      if ("aside" in piece) {
        if (settings.quiet) continue;
        aside ??= await asideWriter(stderr, cleaner(redactor, true), usesColorOn(stderr));
        await aside.add(piece.aside);
        continue;
      }
      await endAside();
      // Loads the Markdown drawer only now, so that loading does not delay the request.
      out ??= isDrawn
        ? await markdownWriter(stdout, cleaner(redactor, true), usesColorOn(stdout))
        : plainWriter(cleaner(redactor, stdout.isTTY), stdout.write);
      const start = performance.now();
      await out.add(piece.text);
      if (isDrawn) pause = (performance.now() - start) * pauseFactor;
    }
  } catch (error) {
    await endWriters();
    await after?.(error);
    throw error;
  }
  await endWriters();
  await after?.();
}

/** Masks secrets in text that arrives in pieces. For a terminal, and in asides, also removes control characters. */
type Cleaner = ReturnType<typeof createSanitizer>;

/** On a terminal, control characters are removed first, because they may split a secret. */
function cleaner({ stream }: Redactor, forTerminal: boolean): Cleaner {
  const redacted = stream();
  if (!forTerminal) return redacted;
  const sanitizer = createSanitizer();
  return {
    add: (piece) => redacted.add(sanitizer.add(piece)),
    end: () => redacted.add(sanitizer.end()) + redacted.end(),
  };
}

function plainWriter(clean: Cleaner, write: (piece: string) => Promise<void>): Writer {
  let last = "\n";
  const add = async (piece: string) => {
    if (piece === "") return;
    last = piece;
    await write(piece);
  };
  return {
    add: (piece) => add(clean.add(piece)),
    end: async () => {
      await add(clean.end());
      if (!last.endsWith("\n")) await write("\n");
    },
  };
}

async function asideWriter(stderr: Sink, clean: Cleaner, color: boolean): Promise<Writer> {
  if (!color) return plainWriter(clean, stderr.write);
  const { Chalk } = await import("chalk");
  const { dim } = new Chalk({ level: 1 });
  return plainWriter(clean, (piece) => stderr.write(dim(piece), { drawn: true }));
}

async function markdownWriter(stdout: Sink, clean: Cleaner, color: boolean): Promise<Writer> {
  const { createMarkdownDrawer } = await import("../../output/markdown/draw.ts");
  const drawer = createMarkdownDrawer({ width: () => stdout.columns, color });
  const write = async (drawn: string) => {
    if (drawn !== "") await stdout.write(drawn, { drawn: true });
  };
  return {
    add: async (piece) => write(await drawer.add(clean.add(piece))),
    end: async () => write((await drawer.add(clean.end())) + (await drawer.end())),
  };
}

type Gathered = { text: string } | { aside: string };

/**
 * Yields the first piece at once, and merges later pieces that arrive within `pause()` milliseconds. If the source
 * fails, yields what has arrived, then throws.
 */
async function* gathered(pieces: Text["text"], pause: () => number): AsyncGenerator<Gathered> {
  const iterator =
    Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  let timer: NodeJS.Timeout | undefined;
  let batch: Gathered[] = [];
  const pull = () => {
    const next = Promise.resolve(iterator.next());
    // `next` is awaited later. Without this handler, a rejection before then would count as unhandled.
    next.catch(() => {});
    return next;
  };
  let next = pull();
  let failure: { readonly error: unknown } | undefined;
  try {
    let isFirst = true;
    for (let isDone = false; !isDone; ) {
      try {
        let result: IteratorResult<string | { readonly aside: string }> | undefined = await next;
        const pauseEnded = new Promise<undefined>((resolve) => {
          if (pause() < 1) setImmediate(resolve, undefined);
          else timer = setTimeout(resolve, Math.min(pause(), maxPause), undefined);
        });
        while (result !== undefined && !result.done) {
          add(batch, result.value);
          next = pull();
          // The first piece is not merged with later ones: a service that sends without a pause would delay it.
          result = isFirst ? undefined : await Promise.race([next, pauseEnded]);
        }
        isFirst = false;
        isDone = result?.done === true;
      } catch (error) {
        failure = { error };
      }
      clearTimeout(timer);
      yield* batch;
      batch = [];
      if (failure) throw failure.error;
    }
  } finally {
    clearTimeout(timer);
    // `return()` is not awaited, because its promise never settles if the service is stuck.
    Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

/** The longest pause, in milliseconds. */
const maxPause = 200;

/** Adds a piece to a batch. Merges it with the last piece if both are of the same kind. */
function add(batch: Gathered[], piece: string | { readonly aside: string }): void {
  const last = batch.at(-1);
  if (typeof piece === "string") {
    if (last && "text" in last) last.text += piece;
    else batch.push({ text: piece });
  } else if (last && "aside" in last) last.aside += piece.aside;
  else batch.push({ aside: piece.aside });
}
