import type { CheckedInputOf } from "../../../contract/index.ts";
import { ignoredFieldsHeader } from "../../../core/sandbox.ts";
import type { Exchange } from "../../http/exchange.ts";
import { EngineFailure, orFailure, sentenceAbout } from "./failure.ts";
import { type EngineAccess, readFrom, sendToEngine } from "./request.ts";

/** OpenAI's names for a model and a voice, which most engines accept. */
export const audioDefaults = { model: "tts-1", voice: "alloy" } as const;

/** By default, engines return MP3, some of them in pieces. gpuctl always asks for one complete WAV file. */
const fixed = { response_format: "wav", stream: false } as const;

/**
 * Asks an engine with OpenAI's API to speak a text, which becomes the field `input`. Other fields of the request are
 * passed on as given, except those in `fixed`: if the request has another value for one of them, a header of the
 * response lists that field as ignored.
 */
export const speakWithEngine = (
  exchange: Exchange,
  input: CheckedInputOf<"generateAudio">,
  access: EngineAccess,
) =>
  orFailure(exchange, async () => {
    const { text, ...given } = input;
    const { model = audioDefaults.model, voice = audioDefaults.voice } = access.engine;
    const body = JSON.stringify({ model, voice, ...given, input: text, ...fixed });
    const response = await sendToEngine(access, { path: "/audio/speech", body });
    const bytes = await readFrom(access, response);
    const type = response.headers["content-type"] ?? "";
    if (bytes.length === 0 || /^(application\/json|text\/)/i.test(type)) {
      const what = bytes.length === 0 ? "an empty response" : type;
      throw new EngineFailure(
        sentenceAbout(
          access.engine,
          `responded with ${what} instead of audio. Check that the URL points to its API.`,
        ),
      );
    }
    const ignored = Object.entries(fixed).filter(([name, value]) => name in given && given[name] !== value);
    if (ignored.length > 0)
      exchange.headers[ignoredFieldsHeader.toLowerCase()] = ignored.map(([name]) => name).join(", ");
    const sampleRate = sampleRateOf(bytes);
    return { audio: bytes.toString("base64"), ...(sampleRate !== undefined && { sample_rate: sampleRate }) };
  });

/** The samples per second of a WAV file; undefined for another format. */
function sampleRateOf(bytes: Buffer): number | undefined {
  const isWave = bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WAVE";
  for (let at = 12; isWave && at + 16 <= bytes.length; ) {
    if (bytes.toString("latin1", at, at + 4) === "fmt ") return bytes.readUInt32LE(at + 12);
    const size = bytes.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  return undefined;
}
