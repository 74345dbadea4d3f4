import { Worker } from "node:worker_threads";
import { locate } from "../../core/runtime/packages.ts";
import { MissingDependency, speechPackage } from "../packages.ts";
import { hostSource } from "./speech-host.ts";

/** The text has no words that the English voice can speak. */
export class NoSpeakableText extends Error {
  override readonly name = "NoSpeakableText";
}

/** The fastest voice (a minute of speech in about 40 ms), and the only one whose duration follows the speed exactly. */
const voice = "kal16";

interface SpeakOptions {
  readonly signal?: AbortSignal;
  readonly find?: (packageName: string) => string | undefined;
}

/**
 * Speaks a text in English with Flite (service section 2.8). Returns a RIFF/WAVE file of 16-bit mono samples, with
 * `sampleRate` samples per second. At `speed` 2, the speech lasts half as long as at 1. Equal arguments give equal
 * bytes. Runs in a worker thread, which ends when `signal` is aborted. `find` returns the path of a package's main
 * file, or undefined if the package is not installed.
 *
 * @throws NoSpeakableText if the text has no letter or digit that the voice can speak.
 * @throws MissingDependency if the optional package of the engine is not installed.
 * @throws RangeError if the speed is not a finite number greater than 0.
 */
export async function speak(
  text: string,
  speed: number,
  { signal, find = locate }: SpeakOptions = {},
): Promise<{ bytes: Uint8Array; sampleRate: number }> {
  if (!(speed > 0 && speed < Number.POSITIVE_INFINITY))
    throw new RangeError("The speed must be a finite number greater than 0.");
  const plain = plainText(text);
  if (!hasWords(plain))
    throw new NoSpeakableText("The text has no words that the built-in English voice can speak.");
  const program = find(speechPackage);
  if (program === undefined) throw new MissingDependency(speechPackage);
  const bytes = await runFlite(program, breakUpLongText(plain), 1 / speed, signal);
  return { bytes, sampleRate: new DataView(bytes.buffer, bytes.byteOffset).getUint32(24, true) };
}

/**
 * Runs Flite on a text and returns a WAV file. The text is passed as a file, so that it cannot be parsed as an option.
 * A newline is added, because Flite otherwise drops a final sentence of one word.
 */
async function runFlite(
  program: string,
  text: string,
  stretch: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  signal?.throwIfAborted();
  const options = ["--setf", `duration_stretch=${stretch}`, "-voice", voice];
  const workerData = {
    program,
    args: ["flite", ...options, "-f", "/text", "-o", "/speech.wav"],
    file: "text",
    input: new TextEncoder().encode(`${text}\n`),
    output: "speech.wav",
  };
  const worker = new Worker(hostSource, { eval: true, execArgv: [], workerData });
  const stop = () => void worker.terminate();
  signal?.addEventListener("abort", stop);
  try {
    return await new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
      worker.once("exit", (code) => reject(new Error(`The speech engine exited with code ${code}.`)));
    });
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * Converts a text to ASCII: accents are dropped, typographic quotes and hyphens become plain ones, dashes become
 * commas, and anything else, such as emoji, becomes a space.
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

/** Breaks up very long words and sentences, because Flite's time grows with the square of a sentence's length. */
export function breakUpLongText(text: string): string {
  return text.replace(/\S{40}(?=\S)/g, "$& ").replace(/[^.!?\n]{400,}? /g, "$&\n\n");
}

/** Whether an ASCII text has a letter or digit to speak. */
export function hasWords(text: string): boolean {
  return /[a-z0-9]/i.test(text);
}
