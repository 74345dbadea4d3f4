import * as z from "zod";
import { maxTimerMs } from "../../core/values/durations.ts";

/** Matches a text that contains this string, or that matches this regular expression. */
const textPattern = z.union([
  z.string().min(1),
  z.strictObject({ pattern: z.string(), flags: z.string().optional() }).superRefine((value, { addIssue }) => {
    try {
      new RegExp(value.pattern, value.flags);
    } catch {
      addIssue({ code: "custom", path: ["pattern"], message: "must be a regular expression" });
    }
  }),
]);

export type TextPattern = z.output<typeof textPattern>;

const delay = z.int().min(0).max(maxTimerMs).optional();
const errorCode = z.union([z.string(), z.int()]).nullable().optional();

/** The fields that make up a reply. At least one of them, or `cut`, is required. */
const contents = ["text", "json", "reasoning", "toolCalls", "error", "streamError"] as const;

/** The format of one reply of a chat script. */
export const scriptedReply = z
  .strictObject({
    /**
     * The requests that the reply matches. All given fields must match. With `message` but no `toolResult`, the reply
     * does not match a request that ends with a tool result. By default, the reply matches any request.
     */
    when: z
      .strictObject({
        /** The text of the last user message. */
        message: textPattern.optional(),
        /** The text of the last message, if that message is the result of a tool. */
        toolResult: textPattern.optional(),
        model: z.string().optional(),
      })
      .optional(),
    /** How many requests the reply is sent to. By default, every matching request if `when` is given, otherwise one. */
    times: z.union([z.int().min(1), z.literal("always")]).optional(),

    text: z.string().optional(),
    /** A value whose JSON is sent as the text. */
    json: z.json().optional(),
    reasoning: z.string().optional(),
    toolCalls: z
      .array(
        z.strictObject({
          name: z.string(),
          /** The arguments. A string is sent unchanged, and any other value as JSON. */
          arguments: z.json().default({}),
          id: z.string().optional(),
        }),
      )
      .min(1)
      .optional(),
    finishReason: z.string().nullable().optional(),
    /** The usage of the response, instead of the counted tokens. */
    usage: z.record(z.string(), z.json()).nullable().optional(),

    /** An error response instead of a completion. */
    error: z
      .strictObject({
        status: z.int().min(400).max(599).default(500),
        message: z.string().optional(),
        type: z.string().optional(),
        param: z.string().nullable().optional(),
        code: errorCode,
        retryAfterSeconds: z.int().min(0).optional(),
      })
      .optional(),
    /**
     * An error after the contents, in a stream that began with status 200. Without a stream, the response has only the
     * error, and status 500.
     */
    streamError: z
      .strictObject({
        message: z.string().default("The model failed"),
        type: z.string().default("server_error"),
        code: errorCode,
        /**
         * `chunk` sends only the JSON, `event` sends the JSON as an event named `error`, and `text` sends the message
         * followed by the JSON.
         */
        form: z.enum(["chunk", "event", "text"]).default("chunk"),
      })
      .optional(),
    /**
     * The response breaks off. A stream ends after the contents, without a finish reason and without [DONE]. A response
     * that is not a stream ends in the middle of its JSON.
     */
    cut: z.boolean().default(false),

    /** Milliseconds of real time before the first token, and between two tokens. */
    firstTokenMs: delay,
    betweenTokensMs: delay,
  })
  .superRefine((reply, { addIssue }) => {
    const refuse = (field: string, message: string) => addIssue({ code: "custom", path: [field], message });
    const has = (name: keyof typeof reply) => reply[name] !== undefined;
    if (!contents.some(has) && !reply.cut)
      refuse("text", `or one of these fields is required: ${contents.slice(1).join(", ")}, cut`);
    if (has("text") && has("json")) refuse("json", "cannot be combined with text");
    if (reply.cut && has("streamError")) refuse("cut", "cannot be combined with streamError");
    const besides = [...contents, "finishReason", "usage", "firstTokenMs", "betweenTokensMs"] as const;
    const other = has("error") ? besides.find((name) => name !== "error" && has(name)) : undefined;
    if (other !== undefined || (has("error") && reply.cut))
      refuse("error", `cannot be combined with ${other ?? "cut"}`);
  });

export type ScriptedReply = z.output<typeof scriptedReply>;

/** The format of a chat script. */
export const chatScript = z.strictObject({ replies: z.array(scriptedReply).min(1) });
