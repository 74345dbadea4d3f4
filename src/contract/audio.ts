import * as z from "zod";
import { commonErrors } from "./errors.ts";
import { operation } from "./operation.ts";

/** Speech (service section 2.8). Other audio parameters are not documented, so unknown ones pass through. */
export const generateAudio = operation({
  id: "generateAudio",
  method: "POST",
  effect: "generate",
  path: "/v1/audio/generation",
  host: "inference",
  group: "inference",
  summary: "Speak a text",
  in: "body",
  input: z.looseObject({
    text: z.string().describe("What to say"),
    speed: z.number().optional().describe("Speed; 1 is normal"),
  }),
  output: z
    .looseObject({ audio: z.string().describe("Base64 of the recording's bytes") })
    .meta({ id: "GeneratedAudio", description: "The generated speech" }),
  errors: commonErrors,
});
