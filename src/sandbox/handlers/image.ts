import { randomInt } from "node:crypto";
import { issue, Refusal } from "../refusal.ts";
import type { Handlers } from "./handler.ts";

/** Seeds that the sandbox picks are below this. */
const seeds = 2 ** 32;

export const image = {
  async generateImage({ seed = randomInt(seeds), ...request }) {
    const { drawPicture, UnreadableReference } = await import("../engines/index.ts");
    try {
      const picture = await drawPicture({ ...request, seed });
      return { images: [{ index: 0, image: Buffer.from(picture).toString("base64"), random_seed: seed }] };
    } catch (error) {
      if (error instanceof UnreadableReference) {
        throw new Refusal("BAD_REQUEST", [issue("image", error.message)]);
      }
      throw error;
    }
  },
} satisfies Partial<Handlers>;
