import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import type { InputOf } from "../../contract/index.ts";
import { UsageError } from "../../core/errors.ts";
import { type Completion, complete, reportCompletion } from "./completion.ts";
import { modelOf, sessionFlags, sessionFor, stored, storeQuestion, withHistory } from "./session.ts";

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
    ...sessionFlags,
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
  buildInput: async ({ input, args: { message }, flags, ...context }) => {
    const { settings, files } = context;
    const { system, topP, stop, seed, param } = flags;
    const session = await sessionFor(flags, context);
    const sessionModel = modelOf(session, context);
    const chatModel = settings.profileValues["chat.model"];
    if (settings.validate && message.trim() === "") {
      throw new UsageError("MESSAGE must not be empty");
    }
    const instructions =
      system === undefined ? [] : [{ role: "system", content: await textOrFile(system, files) }];
    return {
      ...(chatModel !== undefined && { model: chatModel }),
      ...(sessionModel !== undefined && { model: sessionModel }),
      ...input,
      messages: withHistory(session, [...instructions, { role: "user", content: message }]),
      ...(topP !== undefined && { top_p: topP }),
      ...(seed !== undefined && { seed }),
      ...(stop.length > 0 && { stop }),
      ...param,
    };
  },
  run: async ({ input, flags, ...context }) => {
    const { noStream, usage } = flags;
    const { output } = context.settings;
    const asText = output === "table";
    const stream = !noStream && (asText || output === "jsonl");
    const session = await sessionFor(flags, context);
    const question = await storeQuestion(questionIn(input.messages), session, context);
    const request = { input, stream, usage: usage || session !== undefined, needsText: asText };
    const completion = stored(complete(request, context), question);
    const report = () => {
      reportCompletion(completion.summary(), { usage }, context);
      return completion.failure();
    };
    if (asText) return { text: texts(completion, report), paid: true };
    if (stream) return { records: records(completion, report), paid: true };
    let data: unknown;
    for await (data of completion.events());
    return { data, paid: true, failure: report() };
  },
});

/** The new message, with the instructions. */
const questionIn = (messages: InputOf<"createChatCompletion">["messages"]) => ({
  content: messages.at(-1)?.content ?? "",
  system: messages.find(({ role }) => role === "system")?.content,
});

/** A text, or the contents of the file for `@FILE`. */
const textOrFile = async (text: string, files: Context["files"]): Promise<string> =>
  text.startsWith("@") ? new TextDecoder().decode(await files.read(text.slice(1), "--system")) : text;

/** Reports what is special about a completion, and returns why it could not be stored. */
type Report = () => Error | undefined;

function throwIfAny(error: Error | undefined): void {
  if (error) throw error;
}

/** The text as it arrives. */
async function* texts(completion: Completion, report: Report): AsyncGenerator<string> {
  for await (const { kind, text } of completion) if (kind === "text") yield text;
  throwIfAny(report());
}

/** Each event as the service sent it. */
async function* records(completion: Completion, report: Report): AsyncGenerator<readonly unknown[]> {
  for await (const event of completion.events()) yield [event];
  throwIfAny(report());
}
