import { Interrupted } from "../../../core/errors.ts";
import { InterruptedWrite, ServiceError } from "../../../core/service-errors.ts";
import { openHistory } from "../../../sessions/history.ts";
import type { Content } from "../../../sessions/turn.ts";
import { withAttachments } from "../attach.ts";
import { complete } from "../completion.ts";
import { stored, withHistory } from "../session.ts";
import { afterText, finishing, texts } from "../texts.ts";
import { createCommands } from "./commands.ts";
import { readEntry } from "./read.ts";
import { aboutSession, type Settable, type Talk, type Tools } from "./talk.ts";

const plainText = { kind: "lines", path: "" } as const;

interface ConversationOptions {
  readonly talk: Talk;
  readonly settable: readonly Settable[];
  readonly stream: boolean;
  readonly noMarkdown: boolean;
  /** Whether to check each answer against the schema that is sent. */
  readonly checksSchema: boolean;
  /** Whether to report the number of tokens after each answer. */
  readonly usage: boolean;
}

/** Talks with a model until the user leaves. A failure ends one answer, not the conversation. */
export async function converse(options: ConversationOptions, tools: Tools): Promise<void> {
  const { talk } = options;
  const { dialog, files, interrupted } = tools;
  const history = openHistory(files.state);
  const send = async (content: Content) => {
    await answer(content, options, tools);
    // Separates the answer from the prompt.
    dialog.show("");
  };
  const commands = createCommands({ talk, settable: options.settable, send }, tools);
  const editor = await dialog.lineEditor({ history: history.entries, complete: commands.complete });
  const remember = (entry: string) => {
    editor.remember(entry);
    history.add(entry);
  };
  dialog.show(`${startOfFirstLine(talk)}Model: ${talk.model}.`, "Type /help for commands, Ctrl-D to leave.");
  try {
    for (;;) {
      const entry = await readEntry(editor);
      if (entry === "end") break;
      if (entry === "empty") dialog.show("To leave, press Ctrl-D or type /exit.");
      if (typeof entry === "string" || entry.text.trim() === "") continue;
      remember(entry.text);
      const ran = entry.isMessage
        ? Promise.resolve({ message: entry.text, remember: false })
        : commands.run(entry.text, editor);
      const outcome = await ran.catch(async (error) => {
        interrupted.throwIfAborted();
        // The user pressed Ctrl-C at a prompt.
        if (error instanceof Interrupted) dialog.show("Canceled.");
        else await dialog.report(error);
        return "done" as const;
      });
      if (outcome === "leave") break;
      if (typeof outcome === "string") continue;
      if (outcome.remember) remember(outcome.message);
      const content = withAttachments(outcome.message, talk.attachments);
      talk.attachments = [];
      await send(content);
    }
  } finally {
    editor.close();
  }
  sayWhereKept(talk, tools);
}

/** Returns the start of the first line: the session, if it has a name. */
const startOfFirstLine = ({ session }: Talk): string =>
  session.name() === undefined ? "" : `${aboutSession(session)} `;

function sayWhereKept({ session }: Talk, { dialog, withServiceFlags }: Tools): void {
  const name = session.name();
  if (name === undefined || session.turns().length === 0) return;
  dialog.show(withServiceFlags(`To continue: \`gpuctl chat --session ${name}\``));
}

/** Sends a message and prints the answer. Reports a failure. */
async function answer(
  content: Content,
  { talk, stream, noMarkdown, checksSchema, usage }: ConversationOptions,
  tools: Tools,
): Promise<void> {
  const { dialog, interrupted } = tools;
  const messages = withHistory(talk.session, [
    ...(talk.system === undefined ? [] : [{ role: "system" as const, content: talk.system }]),
    { role: "user", content },
  ]);
  try {
    const question = await talk.session.ask(content, talk.system);
    const input = { ...talk.fields, model: talk.model, messages };
    await dialog.interruptible(async (signal) => {
      const completion = stored(complete({ input, stream, usage: true, signal }, tools), question, tools);
      try {
        const format = checksSchema ? talk.fields.response_format : undefined;
        const finish = finishing(completion, { usage, format }, tools);
        await dialog.print({
          text: texts(completion),
          after: afterText(completion, { finish, usage }, tools),
          ...((noMarkdown || format !== undefined) && { view: plainText }),
          paid: true,
        });
      } catch (error) {
        if (!signal.aborted || interrupted.aborted) throw error;
        const failure = completion.failure();
        const isKept = completion.summary().text !== "" && failure === undefined;
        if (isKept) dialog.show("Stopped. The partial answer was saved and marked as incomplete.");
        else if (error instanceof InterruptedWrite) {
          const kept = await dialog.kept(error);
          dialog.show(["Stopped. You may have been charged.", kept].filter(Boolean).join(" "));
        } else dialog.show("Stopped.");
      }
    });
  } catch (error) {
    if (interrupted.aborted && error instanceof InterruptedWrite) throw error;
    interrupted.throwIfAborted();
    if (error instanceof Interrupted) throw error;
    await dialog.report(error);
    if (isTooLong(error)) {
      dialog.show(
        `The conversation is too long for the context window of ${talk.model} (${messages.length} messages).`,
        "gpuctl does not drop earlier messages. Use /clear to start over, or /model to choose another model.",
      );
    }
  }
}

/**
 * Whether the service says that a request does not fit the context window of the model. An error about the length of
 * the answer, such as `max_tokens is too large`, is not such an error.
 */
function isTooLong(error: unknown): boolean {
  if (!(error instanceof ServiceError) || ![400, 413, 422].includes(error.status)) return false;
  const text = `${error.code} ${error.message}`;
  if (/context/i.test(text)) return true;
  return /too (long|large|many tokens)|maximum.*tokens/i.test(text) && !/max_\w*tokens/i.test(text);
}
