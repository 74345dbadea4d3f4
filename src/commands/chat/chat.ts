import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { UsageError } from "../../core/errors.ts";
import { type Completion, complete, reportCompletion } from "./completion.ts";

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
    const { output } = context.settings;
    const asText = output === "table";
    const stream = !noStream && (asText || output === "jsonl");
    const completion = complete({ input, stream, usage, needsText: asText }, context);
    const report = () => reportCompletion(completion.summary(), { usage }, context);
    if (asText) return { text: texts(completion, report), paid: true };
    if (stream) return { records: records(completion, report), paid: true };
    let data: unknown;
    for await (data of completion.events());
    report();
    return { data, paid: true };
  },
});

/** A text, or the contents of the file for `@FILE`. */
const textOrFile = async (text: string, files: Context["files"]): Promise<string> =>
  text.startsWith("@") ? new TextDecoder().decode(await files.read(text.slice(1), "--system")) : text;

/** The text as it arrives. */
async function* texts(completion: Completion, report: () => void): AsyncGenerator<string> {
  for await (const { kind, text } of completion) if (kind === "text") yield text;
  report();
}

/** Each event as the service sent it. */
async function* records(completion: Completion, report: () => void): AsyncGenerator<readonly unknown[]> {
  for await (const event of completion.events()) yield [event];
  report();
}
