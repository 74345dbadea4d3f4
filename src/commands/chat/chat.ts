import { readChunk } from "../../client/stream.ts";
import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { UsageError } from "../../core/errors.ts";
import { bodies, type Ending, reportEnding, streamCompletion, texts } from "./completion.ts";

export default defineCommand({
  path: "chat",
  summary: "Chat with a model",
  details: "The message is stdin followed by the argument, separated by a blank line.",
  operation: "createChatCompletion",
  args: [arg.text("MESSAGE", "Message to send", { setsField: "messages", required: true, stdin: "before" })],
  withoutFlag: ["messages"],
  defaulted: { model: "chat.model" },
  flags: {
    system: flag.text("Instructions for the model; @FILE reads a file", { short: "s" }),
    topP: flag.number("Nucleus sampling", { setsFields: ["top_p"] }),
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
    return {
      ...(chatModel !== undefined && { model: chatModel }),
      ...input,
      messages: [...(await systemMessage(system, files)), { role: "user", content: message }],
      ...(topP !== undefined && { top_p: topP }),
      ...(seed !== undefined && { seed }),
      ...(stop.length > 0 && { stop }),
      ...param,
    };
  },
  run: async ({ input, flags: { noStream, usage }, ...context }) => {
    const { call, progress, settings } = context;
    const report = (ending: Ending) => reportEnding(ending, usage, context);
    if (noStream || !(settings.output === "table" || settings.output === "jsonl")) {
      const data = await progress("Thinking", () => call("createChatCompletion", input));
      report(readChunk(data));
      return { data };
    }
    const streamed = { ...input, stream: true, ...(usage && { stream_options: { include_usage: true } }) };
    const events = streamCompletion(streamed, context, report);
    return settings.output === "jsonl" ? { records: bodies(events) } : { text: texts(events) };
  },
});

async function systemMessage(
  system: string | undefined,
  files: Context["files"],
): Promise<readonly { readonly role: "system"; readonly content: string }[]> {
  if (system === undefined) return [];
  const content = system.startsWith("@")
    ? new TextDecoder().decode(await files.read(system.slice(1)))
    : system;
  return [{ role: "system", content }];
}
