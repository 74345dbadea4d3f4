import { createHash } from "node:crypto";
import { bound } from "../../contract/check/check.ts";
import { ApiError, issue, issueIf, throwIfInvalid } from "../errors.ts";
import { PlainResponse } from "../http/exchange.ts";
import { MissingDependency } from "../packages.ts";
import { payForPicture } from "../situations/money.ts";
import { findEngine } from "../tables/engines.ts";
import { increment } from "../tables/numbers.ts";
import type { Handlers } from "./handler.ts";

/** The speeds that the sandbox's voice supports. */
export const speedRange = { min: 0.25, max: 4 } as const;

/** The longest text that the sandbox speaks, in UTF-16 code units: about ten minutes at speed 1. */
export const maxSpeechLength = 10_000;

/** The seed, below 2^32, of the n-th picture that is requested without a seed. */
const derivedSeed = (n: number): number =>
  createHash("sha256").update(`picture ${n}`).digest().readUInt32BE();

/** Draws a picture, with the image engine if there is one. */
const draw: Handlers["generateImage"] = async (input, { store, exchange, environment }) => {
  const engine = findEngine(store, "image");
  if (engine !== undefined) {
    const { drawWithEngine } = await import("../engines/remote/image.ts");
    return drawWithEngine(exchange, input, { engine, environment, signal: exchange.request.signal });
  }
  const { seed: requested, strength, ...request } = input;
  throwIfInvalid(...issueIf(request.steps < 1, "steps", "must be at least 1"));
  const seed = requested ?? derivedSeed(store.write(() => increment(store, "pictures")));
  const [{ drawPicture }, { UnreadableReference }] = await Promise.all([
    import("../engines/picture/draw.ts"),
    import("../engines/picture/request.ts"),
  ]);
  try {
    // If strength is passed on, it affects the picture. Without a reference, it must have no effect, so it is left out.
    const drawn = { ...request, seed, ...(request.image !== undefined && { strength }) };
    const picture = await drawPicture(drawn, exchange.request.signal);
    return { images: [{ index: 0, image: Buffer.from(picture).toString("base64"), random_seed: seed }] };
  } catch (error) {
    if (!(error instanceof UnreadableReference)) throw error;
    throw new ApiError("BAD_REQUEST", [issue("image", error.message)]);
  }
};

export const media = {
  async generateImage(input, call) {
    const { store, userId, now } = call;
    // Pays first, so that requests at the same time do not spend the same money.
    const payBack = payForPicture(store, userId, input, now);
    let isPaid = false;
    try {
      const result = await draw(input, call);
      isPaid = !(result instanceof PlainResponse) || result.ok;
      return result;
    } finally {
      if (!isPaid) payBack();
    }
  },

  async generateAudio(input, { store, exchange, environment }) {
    const engine = findEngine(store, "audio");
    if (engine !== undefined) {
      const { speakWithEngine } = await import("../engines/remote/audio.ts");
      return speakWithEngine(exchange, input, { engine, environment, signal: exchange.request.signal });
    }
    const { text, speed = 1 } = input;
    const { min, max } = speedRange;
    const range = `must be from ${min} to ${max}`;
    throwIfInvalid(
      ...issueIf(speed < min || speed > max, "speed", range),
      ...issueIf(
        text.length > maxSpeechLength,
        "text",
        `must ${bound("string", "at most", maxSpeechLength)}`,
      ),
    );
    const { NoSpeakableText, speak } = await import("../engines/speech.ts");
    try {
      const { bytes, sampleRate } = await speak(text, speed, { signal: exchange.request.signal });
      return { audio: Buffer.from(bytes).toString("base64"), sample_rate: sampleRate };
    } catch (error) {
      if (error instanceof NoSpeakableText) throw new ApiError("BAD_REQUEST", [issue("text", error.message)]);
      if (!(error instanceof MissingDependency)) throw error;
      throw new ApiError("INTERNAL_SERVER_ERROR", [{ path: [], message: error.message }]);
    }
  },
} satisfies Partial<Handlers>;
