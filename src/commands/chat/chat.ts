import { type CompletionChunk, completionChunks, contentOf, readChunk } from "../../client/stream.ts";
import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { receivedJson, warnOfUnknownPrice } from "../../command-kit/inference.ts";
import type { InputOf } from "../../contract/index.ts";
import { EmptyResult, UsageError } from "../../core/errors.ts";
import { type Received, ServiceError } from "../../core/service-errors.ts";
import { serviceErrorIn } from "../../core/success.ts";

export default defineCommand({
  path: "chat",
  summary: "Chat with a model",
  details:
    'MESSAGE can also be piped on stdin. If both are given, stdin comes first, followed by a blank line and MESSAGE. In a loop over lines, --no-stdin leaves the other lines to the loop:\n  seq 3 | while read -r line; do gpuctl chat "$line" --no-stdin --sandbox; done',
  operation: "createChatCompletion",
  args: [arg.text("MESSAGE", "Message to send", { setsField: "messages", required: true, stdin: "before" })],
  fieldsWithoutFlag: ["messages"],
  defaulted: { model: "chat.model" },
  flags: {
    system: flag.text("Instructions for the model; @FILE reads a file", { short: "s" }),
    topP: flag.number("Nucleus sampling threshold, from 0 to 1", { setsFields: ["top_p"] }),
    stop: flag.texts("Text that ends the response", { setsFields: ["stop"] }),
    seed: flag.number("Seed for sampling", { setsFields: ["seed"] }),
    param: flag.params("Any other field that the service accepts"),
    noStream: flag.boolean("Print the response once it is complete"),
    usage: flag.boolean("Report the number of tokens on stderr"),
  },
  view: { kind: "lines", path: "choices.0.message.content" },
  examples: [
    { text: "Ask a question", command: 'gpuctl chat "Which GPU for a 70B model?" --sandbox' },
    {
      text: "Ask about a file and print the whole response as JSON",
      command: 'printf "GPU 0: ECC error" | gpuctl chat "What is wrong?" -o json --sandbox',
    },
  ],
  buildInput: async ({ input, args: { message }, flags, settings, files }) => {
    const { system, topP, stop, seed, param } = flags;
    const chatModel = settings.profileValues["chat.model"];
    if (settings.validate && message.trim() === "") {
      throw new UsageError("MESSAGE must not be empty");
    }
    const instructions =
      system === undefined ? [] : [{ role: "system", content: await textOrFile(system, files) }];
    return {
      ...(chatModel !== undefined && { model: chatModel }),
      ...input,
      messages: [...instructions, { role: "user", content: message }],
      ...(topP !== undefined && { top_p: topP }),
      ...(seed !== undefined && { seed }),
      ...(stop.length > 0 && { stop }),
      ...param,
    };
  },
  run: async ({ input, flags: { noStream, usage }, ...context }) => {
    const { call, progress, settings } = context;
    warnOfUnknownPrice("of a chat", context);
    const report = (ending: Ending) => reportEnding(ending, usage, context);
    if (noStream || !(settings.output === "table" || settings.output === "jsonl")) {
      const data = await progress("Thinking", () => call("createChatCompletion", input));
      const content = contentOf(data);
      const asText = settings.output === "table";
      assertUsable(new Set([content]), { asText, error: serviceErrorIn(data), received: receivedJson(data) });
      const chunk = readChunk(data);
      report(chunk);
      return asText && content === "text" ? { text: [chunk.text], paid: true } : { data, paid: true };
    }
    const streamed = { ...input, stream: true, ...(usage && { stream_options: { include_usage: true } }) };
    const asText = settings.output === "table";
    const events = streamCompletion(streamed, asText, context, report);
    return asText ? { text: texts(events), paid: true } : { records: bodies(events), paid: true };
  },
});

/** A text, or the contents of the file for `@FILE`. */
const textOrFile = async (text: string, files: Context["files"]): Promise<string> =>
  text.startsWith("@") ? new TextDecoder().decode(await files.read(text.slice(1), "--system")) : text;

type Ending = Pick<CompletionChunk, "finish" | "usage">;

/**
 * The events of the response as they arrive. Throws `StreamTruncated` when an event reports a failure, and when the
 * stream ends without `[DONE]` or a finish reason, because the response is then incomplete, and `EmptyResult` for a complete
 * response without anything to print.
 */
async function* streamCompletion(
  input: InputOf<"createChatCompletion">,
  asText: boolean,
  context: Pick<Context, "progress" | "stream">,
  report: (ending: Ending) => void,
): AsyncGenerator<CompletionChunk> {
  let finish: Ending["finish"];
  let usage: Ending["usage"];
  const contents = new Set<ReturnType<typeof contentOf>>();
  const hideProgress = showProgress(context);
  try {
    const events = await open(input, context);
    for await (const piece of completionChunks(events)) {
      const error = serviceErrorIn(piece.body);
      if (error !== undefined) assertUsable(contents, { asText, error, received: events.received() });
      contents.add(contentOf(piece.body));
      finish = piece.finish ?? finish;
      usage = piece.usage ?? usage;
      if (piece.text !== "") await hideProgress();
      yield piece;
    }
    const received = events.received();
    assertUsable(contents, { asText, received: received && { ...received, complete: true } });
  } finally {
    await hideProgress();
  }
  report({ finish, usage });
}

/**
 * Throws `EmptyResult`, with what was received, for a response that is not a completion, or has something to say that is
 * not text when text is printed.
 */
function assertUsable(
  contents: ReadonlySet<ReturnType<typeof contentOf>>,
  {
    asText,
    error,
    received,
  }: {
    readonly asText: boolean;
    readonly error?: string | undefined;
    readonly received: Received | undefined;
  },
): void {
  if (contents.has("text")) return;
  if (!contents.has("nothing") && !contents.has("other")) {
    throw new EmptyResult(error ?? "the response is not a chat completion", received);
  }
  if (asText && contents.has("other")) throw new EmptyResult("the response has no text", received);
}

/** The text of each event. */
async function* texts(events: AsyncIterable<CompletionChunk>): AsyncGenerator<string> {
  for await (const { text } of events) if (text !== "") yield text;
}

/** Each event as the service sent it. */
async function* bodies(events: AsyncIterable<CompletionChunk>): AsyncGenerator<readonly unknown[]> {
  for await (const { body } of events) yield [body];
}

/** Shows that a response is on its way until the returned function is called. */
function showProgress({ progress }: Pick<Context, "progress">): () => Promise<void> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const shown = progress("Thinking", () => ended);
  return () => {
    end();
    return shown;
  };
}

/** Opens the stream. If the service rejects the request for token counts, tries once more without it. */
async function open(input: InputOf<"createChatCompletion">, { stream }: Pick<Context, "stream">) {
  try {
    return await stream("createChatCompletion", input);
  } catch (error) {
    const rejected = error instanceof ServiceError && (error.status === 400 || error.status === 422);
    if (!rejected || input.stream_options === undefined) throw error;
    return stream("createChatCompletion", { ...input, stream_options: undefined });
  }
}

/** Says on stderr that the response is incomplete, and reports the token counts if requested. */
function reportEnding({ finish, usage }: Ending, withUsage: boolean, { say }: Pick<Context, "say">): void {
  if (finish === "length") say("The response was cut at the token limit; --max-tokens raises it.");
  if (finish === "content_filter") say("The service withheld a part of the response.");
  if (!withUsage) return;
  say(
    usage
      ? `Tokens: ${usage.prompt_tokens ?? "?"} in, ${usage.completion_tokens ?? "?"} out`
      : "The service reported no token counts.",
  );
}
