import * as z from "zod";
import { commonErrors } from "./errors.ts";
import { operation } from "./operation.ts";

const documentedMessage = z
  .looseObject({
    role: z.string().describe("Role of the author, such as system, user or assistant"),
    content: z.string().describe("Text of the message"),
  })
  .meta({ id: "ChatMessage", description: "A message in a conversation" });

const documentedInput = z.looseObject({
  model: z.string().describe("Chat model"),
  messages: z.array(documentedMessage).describe("Messages of the conversation so far"),
  max_tokens: z.int().optional().describe("Maximum length of the answer in tokens"),
  temperature: z.number().optional().describe("Sampling temperature; higher is more random"),
});

/** A part of a message, such as a text or a picture. Parts of other types have other fields. */
const part = z
  .looseObject({
    type: z.string().describe("Type of the part, such as text or image_url"),
    text: z.string().optional().describe("Text, if the type is text"),
    image_url: z
      .looseObject({ url: z.string().describe("URL of the image, which can be a data URL") })
      .optional()
      .describe("Image, if the type is image_url"),
  })
  .superRefine((value, { addIssue }) => {
    const field = ["text", "image_url"].find((name) => name === value.type && value[name] === undefined);
    if (field !== undefined) addIssue({ code: "custom", path: [field], message: "is required" });
  })
  .meta({ id: "ChatMessagePart", description: "A part of a message" });

/** A message in the common chat-completions format. */
const message = z
  .looseObject({
    ...documentedMessage.shape,
    content: z
      .union([z.string(), z.array(part)])
      .nullish()
      .describe("Text of the message, or its parts; may be null in a message with tool_calls"),
  })
  .superRefine(({ content, tool_calls }, { addIssue }) => {
    if (content === undefined && tool_calls == null)
      addIssue({ code: "custom", path: ["content"], message: "is required" });
    if (content === null && tool_calls == null)
      addIssue({ code: "custom", path: ["content"], message: "must not be null without tool_calls" });
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
  documentedInput,
  input: documentedInput.extend({
    messages: z.array(message).describe("Messages of the conversation so far"),
    max_tokens: documentedInput.shape.max_tokens.nullable(),
    temperature: documentedInput.shape.temperature.nullable(),
  }),
  output: z
    .looseObject({
      choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string().nullish() }) })),
    })
    .meta({ id: "ChatCompletion", description: "The model's answer" }),
  errors: commonErrors,
  streams: "text/event-stream",
});
