import { createHash } from "node:crypto";
import type { PictureRequest } from "./request.ts";

/** The texts that fix a picture's pixels. */
export type Identity = {
  /** What the picture is of: model, prompts and seed. Seeds its composition. */
  subject: string;
  /** `subject` and everything that refines it, but for size and reference. Seeds its details. */
  whole: string;
  /** Eight hexadecimal digits over every field that describes the picture, shown in its mark. */
  fingerprint: string;
};

/** The identity of a request. `backend` and the order of fields and LoRAs have no part in it. */
export function identify(request: PictureRequest): Identity {
  const { backend: _, image, strength, width, height, ...described } = request;
  const { model_name, prompt, prompt_2, seed } = described;
  return {
    subject: canonical({ model_name, prompt, prompt_2, seed }),
    whole: canonical(described),
    fingerprint: createHash("sha256")
      .update(canonical({ ...described, image, strength, width, height }))
      .digest("hex")
      .slice(0, 8),
  };
}

/** JSON with the keys of every object in order, so that equal values have equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === "object"
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
