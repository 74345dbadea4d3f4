import * as z from "zod";
import { commonErrors } from "./errors.ts";
import { operation } from "./operation.ts";

const message = z
  .looseObject({
    role: z.string().describe("Role of the author, such as system, user or assistant"),
    content: z.string().describe("Text of the message"),
  })
  .meta({ id: "ChatMessage", description: "A message in a conversation" });

/** Chat (service section 2.8). Undocumented fields pass through. */
export const createChatCompletion = operation({
  id: "createChatCompletion",
  method: "POST",
  effect: "generate",
  path: "/v1/chat/completions",
  host: "inference",
  group: "inference",
  summary: "Create a chat completion",
  in: "body",
  input: z.looseObject({
    model: z.string().describe("Chat model"),
    messages: z.array(message).describe("Messages of the conversation so far"),
    max_tokens: z.int().optional().describe("Maximum length of the reply in tokens"),
    temperature: z.number().optional().describe("Sampling temperature; higher is more random"),
  }),
  output: z
    .looseObject({
      choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string().nullish() }) })),
    })
    .meta({ id: "ChatCompletion", description: "The model's reply" }),
  errors: commonErrors,
  streams: "text/event-stream",
});
