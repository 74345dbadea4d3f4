import * as z from "zod";
import { commonErrors } from "./errors.ts";
import { operation } from "./operation.ts";

const message = z
  .looseObject({
    role: z.string().describe("Who speaks, such as system, user or assistant"),
    content: z.string().describe("What is said"),
  })
  .meta({ id: "ChatMessage", description: "A message of a conversation" });

/** Chat (service section 2.8). The wire takes more than the documented fields, so unknown ones pass through. */
export const createChatCompletion = operation({
  id: "createChatCompletion",
  method: "POST",
  effect: "generate",
  path: "/v1/chat/completions",
  host: "inference",
  group: "inference",
  summary: "Answer a conversation",
  in: "body",
  input: z.looseObject({
    model: z.string().describe("Chat model"),
    messages: z.array(message).describe("The conversation so far"),
    max_tokens: z.int().optional().describe("Longest answer, in tokens"),
    temperature: z.number().optional().describe("Randomness of the answer"),
  }),
  output: z
    .looseObject({
      choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string().nullish() }) })),
    })
    .meta({ id: "ChatCompletion", description: "The answer" }),
  errors: commonErrors,
  streams: "text/event-stream",
});
