import { issue, Refusal, refuse } from "../refusal.ts";
import type { Handlers } from "./handler.ts";

/** How slow and how fast the sandbox speaks. */
export const speeds = { slowest: 0.25, fastest: 4 } as const;

export const audio = {
  async generateAudio({ text, speed = 1 }) {
    const { slowest, fastest } = speeds;
    if (speed < slowest || speed > fastest) {
      refuse(issue("speed", `must be from ${slowest} to ${fastest}`));
    }
    const { MissingEngine, NothingToSay, speak } = await import("../engines/index.ts");
    try {
      const { bytes, sampleRate } = await speak(text, speed);
      return { audio: Buffer.from(bytes).toString("base64"), sample_rate: sampleRate };
    } catch (error) {
      if (error instanceof NothingToSay) throw new Refusal("BAD_REQUEST", [issue("text", error.message)]);
      if (error instanceof MissingEngine) {
        throw new Refusal("INTERNAL_SERVER_ERROR", [{ path: [], message: error.message }]);
      }
      throw error;
    }
  },
} satisfies Partial<Handlers>;
