import { createHash } from "node:crypto";
import { ApiError, issue, issueIf, throwIfInvalid } from "../errors.ts";
import { MissingDependency } from "../packages.ts";
import { count } from "../tables/numbers.ts";
import type { Handlers } from "./handler.ts";

/** The range of speeds that the sandbox's voice can speak at. */
export const speeds = { slowest: 0.25, fastest: 4 } as const;

/** The seed, below 2^32, of the n-th picture that is requested without one. */
const pickedSeed = (n: number): number => createHash("sha256").update(`picture ${n}`).digest().readUInt32BE();

export const media = {
  async generateImage({ seed: requested, strength, ...request }, { store }) {
    throwIfInvalid(...issueIf(request.steps < 1, "steps", "must be at least 1"));
    const seed = requested ?? pickedSeed(store.write(() => count(store, "pictures")));
    const [{ drawPicture }, { UnreadableReference }] = await Promise.all([
      import("../engines/picture/draw.ts"),
      import("../engines/picture/request.ts"),
    ]);
    try {
      const picture = await drawPicture({
        ...request,
        seed,
        // The strength means nothing without a reference, so it must not change the picture.
        ...(request.image !== undefined && { strength }),
      });
      return { images: [{ index: 0, image: Buffer.from(picture).toString("base64"), random_seed: seed }] };
    } catch (error) {
      if (!(error instanceof UnreadableReference)) throw error;
      throw new ApiError("BAD_REQUEST", [issue("image", error.message)]);
    }
  },

  async generateAudio({ text, speed = 1 }) {
    const { slowest, fastest } = speeds;
    const range = `must be from ${slowest} to ${fastest}`;
    throwIfInvalid(...issueIf(speed < slowest || speed > fastest, "speed", range));
    const { NothingToSay, speak } = await import("../engines/speech.ts");
    try {
      const { bytes, sampleRate } = await speak(text, speed);
      return { audio: Buffer.from(bytes).toString("base64"), sample_rate: sampleRate };
    } catch (error) {
      if (error instanceof NothingToSay) throw new ApiError("BAD_REQUEST", [issue("text", error.message)]);
      if (!(error instanceof MissingDependency)) throw error;
      throw new ApiError("INTERNAL_SERVER_ERROR", [{ path: [], message: error.message }]);
    }
  },
} satisfies Partial<Handlers>;
