import * as z from "zod";
import { commonErrors } from "./errors.ts";
import { operation } from "./operation.ts";

/** Speech (service section 2.8). Undocumented fields pass through. */
export const generateAudio = operation({
  id: "generateAudio",
  method: "POST",
  effect: "generate",
  path: "/v1/audio/generation",
  host: "inference",
  group: "inference",
  summary: "Generate speech from text",
  in: "body",
  input: z.looseObject({
    text: z.string().describe("Text to speak"),
    speed: z.number().optional().describe("Speaking speed; 1 is normal"),
  }),
  output: z
    .looseObject({ audio: z.string().describe("The audio, base64-encoded") })
    .meta({ id: "GeneratedAudio", description: "The generated speech" }),
  errors: commonErrors,
});
