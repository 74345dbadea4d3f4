import { createHash } from "node:crypto";
import { issue, Refusal, refuse } from "../refusal.ts";
import { count } from "../tables/counters.ts";
import type { Handlers } from "./handler.ts";

/** A seed below 2^32 for the picture that is drawn as the n-th one without a seed. */
const pickedSeed = (n: number): number => createHash("sha256").update(`picture ${n}`).digest().readUInt32BE();

export const image = {
  async generateImage({ seed: wanted, strength, ...request }, { store }) {
    if (request.steps < 1) refuse(issue("steps", "must be at least 1"));
    const seed = wanted ?? pickedSeed(store.write(() => count(store, "pictures")));
    const { drawPicture, UnreadableReference } = await import("../engines/index.ts");
    try {
      const picture = await drawPicture({
        ...request,
        seed,
        // Without a reference there is nothing that it could be the strength of.
        ...(request.image !== undefined && { strength }),
      });
      return { images: [{ index: 0, image: Buffer.from(picture).toString("base64"), random_seed: seed }] };
    } catch (error) {
      if (error instanceof UnreadableReference) {
        throw new Refusal("BAD_REQUEST", [issue("image", error.message)]);
      }
      throw error;
    }
  },
} satisfies Partial<Handlers>;
