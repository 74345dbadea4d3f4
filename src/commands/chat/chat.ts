import { arg } from "../../command-kit/arg.ts";
import type { Context, Ports } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { UsageError } from "../../core/errors.ts";
import { asList, asRecord } from "../../core/json.ts";
import { StreamTruncated } from "../../core/service-errors.ts";
import { quoted, readText } from "../../core/text.ts";
import { stringifyExactly } from "../../core/values/exact-numbers.ts";
import { isContent, type Message } from "../../sessions/turn.ts";
import { readAttachments, withAttachments } from "./attach.ts";
import { assertMoneySettings, complete } from "./completion.ts";
import { readSchema, responseFormat } from "./schema.ts";
import {
  modelOf,
  sessionFlags,
  sessionFor,
  sessionsOf,
  stored,
  storeQuestion,
  withHistory,
} from "./session.ts";
import { afterText, finishing, records, texts } from "./texts.ts";

const declared = {
  ...sessionFlags,
  attach: flag.texts("Text file or image to send with the message, or the URL of an image; - for stdin", {
    value: "FILE|URL",
    readsStdin: "-",
  }),
  schema: flag.text("JSON Schema that the answer must match, - for stdin", {
    value: "FILE",
    readsStdin: "-",
  }),
  system: flag.text("Instructions for the model; @FILE reads a file, @- stdin", {
    short: "s",
    readsStdin: "@-",
  }),
  topP: flag.number("Nucleus sampling threshold, from 0 to 1", { setsFields: ["top_p"] }),
  stop: flag.texts("Text that ends the answer", { setsFields: ["stop"] }),
  seed: flag.number("Seed for sampling", { setsFields: ["seed"] }),
  param: flag.params("Any other field that the service accepts"),
  noStream: flag.boolean("Print the answer all at once, not as it arrives"),
  noMarkdown: flag.boolean("Print Markdown as plain text, even on a terminal"),
  usage: flag.boolean("Report token counts on stderr, and the cost if chat.prices lists the model"),
};

const text = { kind: "lines", path: "choices.0.message.content" } as const;

export default defineCommand({
  path: "chat",
  summary: "Chat with a model",
  details:
    'Without MESSAGE on a terminal, starts a conversation; type /help for its commands. A message can also be piped on stdin. If MESSAGE is given as well, the text from stdin comes first, followed by a blank line and MESSAGE. In a loop that reads lines, use --no-stdin so that gpuctl does not consume them:\n  seq 3 | while read -r line; do gpuctl chat "$line" --no-stdin --sandbox; done',
  operation: "createChatCompletion",
  args: [
    arg.text("MESSAGE", "Message to send", {
      derivedField: "messages",
      required: "off-terminal",
      stdin: "before",
    }),
  ],
  fieldsWithoutFlag: ["messages"],
  defaulted: { model: "chat.model" },
  flags: declared,
  uses: ["dialog", "ask", "withServiceFlags"],
  view: { ...text, markdown: true },
  examples: [
    { text: "Ask a question", command: 'gpuctl chat "Which GPU for a 70B model?" --sandbox' },
    {
      text: "Continue the last conversation",
      command: 'gpuctl chat "And for an 8B model?" --continue --sandbox',
      after: ['gpuctl chat "Which GPU for a 70B model?" --sandbox'],
    },
    {
      text: "Ask about an image that the service fetches from a URL",
      command: 'gpuctl chat "What is in it?" --attach https://example.com/rack.png --sandbox',
    },
    {
      text: "Ask about text from stdin, and print the whole response as JSON",
      command: 'printf "GPU 0: ECC error" | gpuctl chat "What is wrong?" -o json --sandbox',
    },
  ],
  buildInput: async ({ input, args: { message }, flags, ...context }) => {
    const { settings, files } = context;
    const { system, topP, stop, seed, param, attach, schema } = flags;
    const session = await sessionFor(flags, context);
    const sessionModel = modelOf(session, context);
    const chatModel = settings.profileValues["chat.model"];
    if (settings.validate && message?.trim() === "") {
      throw new UsageError("MESSAGE must not be empty");
    }
    if ([...attach, schema, system === "@-" ? "-" : undefined].filter((place) => place === "-").length > 1) {
      throw new UsageError("--attach, --schema and --system can read stdin only once");
    }
    if (message === undefined && attach.length > 0) {
      throw new UsageError("--attach needs a MESSAGE; in a conversation, use /file");
    }
    if (settings.validate && ["table", "id"].includes(settings.output) && (param.n ?? 1) !== 1) {
      throw new UsageError("--param n must be 1, because chat prints only one answer", {
        hint: "To get several answers, use -o json, which prints the whole response, or -o jsonl.",
      });
    }
    const attachments = await readAttachments(attach, files, "--attach");
    const added: Message[] = [];
    if (system !== undefined) added.push({ role: "system", content: await textOrFile(system, files) });
    if (message !== undefined) added.push({ role: "user", content: withAttachments(message, attachments) });
    const known = sessionModel ?? chatModel;
    // A conversation adds its history to each question later. Checking the history here would only delay the prompt.
    const isConversation = message === undefined && context.dialog.isPossible;
    const isMissing = known === undefined && settings.validate && !Object.hasOwn(input, "model");
    const model = isMissing ? await askForModel(context) : known;
    return {
      ...(model !== undefined && { model }),
      ...input,
      messages: withHistory(isConversation ? undefined : session, added),
      ...(topP !== undefined && { top_p: topP }),
      ...(seed !== undefined && { seed }),
      ...(stop.length > 0 && { stop }),
      ...(schema !== undefined && { response_format: responseFormat(await readSchema(schema, files)) }),
      ...param,
    };
  },
  run: async ({ input, flags, args: { message }, ...context }) => {
    const { noStream, noMarkdown, usage, schema } = flags;
    assertMoneySettings(context);
    if (message === undefined && context.dialog.isPossible) {
      const { startConversation } = await import("./conversation/start.ts");
      const session = (await sessionFor(flags, context)) ?? sessionsOf(context).create();
      await startConversation({ input, session, given: flags, flags: declared }, context);
      return { exitCode: 0 };
    }
    const { output } = context.settings;
    const asText = output === "table";
    const stream = !noStream && (asText || output === "jsonl");
    const session = await sessionFor(flags, context);
    const question = await storeQuestion(questionIn(input.messages), session, context);
    const request = { input, stream, usage: usage || session !== undefined, needsText: asText };
    const completion = stored(complete(request, context), question, context);
    const format = schema === undefined ? undefined : input.response_format;
    const finish = finishing(completion, { usage, toolCalls: asText, format }, context);
    if (asText) {
      const after = afterText(completion, { finish, usage }, context);
      // An answer for a schema is JSON, not Markdown.
      const isPlain = noMarkdown || format !== undefined;
      return { text: texts(completion), after, ...(isPlain && { view: text }), paid: true };
    }
    if (stream) return { records: records(completion, finish), continued: "choices", paid: true };
    let data: unknown;
    try {
      for await (data of completion.events());
    } catch (error) {
      if (!(error instanceof StreamTruncated)) throw error;
      const notStored = completion.failure();
      if (notStored) context.setFailureContext(`Also, ${notStored.message}.`);
      // The incomplete answer was paid for, so it is printed.
      return { data, paid: true, failure: error };
    }
    const failure = await finish().catch((error: Error) => error);
    return { data, paid: true, ...(failure && { failure }) };
  },
});

/** Asks the user for a chat model. Throws `UsageError` if the command does not run interactively. */
async function askForModel(context: Context & Pick<Ports, "ask">): Promise<string> {
  const prompts = await context.ask("Name a chat model with --model.");
  const model = await (await import("./models.ts")).pickModel(prompts, context);
  context.say(`To run this again without prompts, add: --model ${quoted(model)}`);
  return model;
}

/**
 * The new message and, if there are any, the instructions. With --no-validate, the messages may have any type. A value
 * that a session cannot store as the content of a message becomes text.
 */
const questionIn = (messages: unknown) => {
  const all = asList(messages).map(asRecord);
  const system = all.find(({ role }) => role === "system")?.content;
  const content = all.at(-1)?.content ?? "";
  return {
    content: isContent(content) ? content : (stringifyExactly(content) ?? ""),
    ...(typeof system === "string" && { system }),
  };
};

/** Returns the text or, for `@FILE`, the contents of the file. */
const textOrFile = async (text: string, files: Context["files"]): Promise<string> =>
  text.startsWith("@") ? readText(text.slice(1), "--system", files) : text;
