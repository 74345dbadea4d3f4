import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { flag } from "../../command-kit/flag.ts";
import type { InputOf } from "../../contract/index.ts";
import { AnswerNotStored, reasonOf, SaveFailed, Unavailable } from "../../core/errors.ts";
import { sandboxChatModel } from "../../core/sandbox.ts";
import { StreamTruncated } from "../../core/service-errors.ts";
import { decimalText } from "../../core/values/money.ts";
import { fileName } from "../../media/filename.ts";
import type { Answer, OpenSession, Question } from "../../sessions/open.ts";
import { sessionsFolder } from "../../sessions/place.ts";
import { createSessions, type Sessions, type StoredSession } from "../../sessions/store.ts";
import { type Content, instructionsFirst, type Message } from "../../sessions/turn.ts";
import type { Completion, CompletionSummary } from "./completion.ts";

/** Returns the sessions of this user. Throws `Unavailable` if there is no home folder. */
export const sessionsOf = ({ files, now }: Pick<Context, "files" | "now">): Sessions =>
  createSessions({
    folder: sessionsFolder(files.state),
    processes: files.processes,
    now,
    nameFor: (message, date) =>
      fileName("{date}-{slug}", { date, prompt: message, fallback: "chat", ext: "" }),
  });

/** Reads the named session or, without a name, the most recently used one. Reports the lines that cannot be read. */
export async function readSession(
  name: string | undefined,
  context: Pick<Context, "files" | "now" | "say">,
): Promise<StoredSession> {
  const sessions = sessionsOf(context);
  const session = await sessions.read(name ?? (await sessions.latest()));
  for (const problem of session.problems) context.say(problem);
  return session;
}

/** Like `readSession`, but instead of throwing `Unavailable`, reports the error and returns undefined. */
export async function readIfPossible(
  name: string,
  context: Parameters<typeof readSession>[1],
): Promise<StoredSession | undefined> {
  try {
    return await readSession(name, context);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    context.say(`${error.message}. ${error.hint}`);
    return undefined;
  }
}

/** The name of an existing session. */
export const someSession = arg.text("NAME", "Name of the session (default: the most recently used one)", {
  completes: "chat-session",
});

/** A command line that creates a session for an example. */
export const exampleSession = 'gpuctl chat "Which GPU for a 70B model?" --session models --sandbox';

/** The flags that continue a session. A session remembers its model. */
export const sessionFlags = {
  continue: flag.boolean("Continue the most recently used session", {
    short: "c",
    setsFields: ["model", "messages"],
    conflictsWith: ["session"],
  }),
  session: flag.text("Continue the session NAME, or create it", {
    value: "NAME",
    completes: "chat-session",
    setsFields: ["model", "messages"],
  }),
};

interface SessionChoice {
  readonly continue: boolean;
  readonly session: string | undefined;
}

type Needs = Pick<Context, "files" | "now" | "say" | "settings">;

/** The sessions that this process has opened, by the parsed flags of the command. */
const opened = new WeakMap<SessionChoice, Promise<OpenSession | undefined>>();

/**
 * Opens the session that the flags name. Later calls with the same `flags` return the same session, so `buildInput` and
 * `run` of a command share it. Returns undefined if no flag names a session. A dry run changes no file.
 */
export function sessionFor(flags: SessionChoice, context: Needs): Promise<OpenSession | undefined> {
  const known = opened.get(flags) ?? open(flags, context);
  opened.set(flags, known);
  return known;
}

async function open(flags: SessionChoice, context: Needs): Promise<OpenSession | undefined> {
  if (!flags.continue && flags.session === undefined) return undefined;
  const sessions = sessionsOf(context);
  const name = flags.session ?? (await sessions.latest());
  const session = await (context.settings.dryRun ? sessions.peek(name) : sessions.open(name));
  sayState(session, context);
  return session;
}

/** Warns about lines that cannot be read and about an incomplete last answer, before a session is continued. */
export function sayState(session: OpenSession, { say }: Pick<Context, "say">): void {
  for (const problem of session.problems) say(problem);
  const last = session.chain().at(-1);
  if (last?.incomplete !== undefined) {
    say(
      `The last answer is incomplete (${last.incomplete}). gpuctl tells the model that the answer was cut off.`,
    );
  }
}

/**
 * The model that a session used last in the sandbox or, without `--sandbox`, with a service. Undefined if that model is
 * the sandbox model, which no service has, and which is the default in the sandbox.
 */
export function modelOf(session: OpenSession | undefined, { settings }: Needs): string | undefined {
  const turn = session
    ?.chain()
    .findLast(({ model, sandbox = false }) => model !== undefined && sandbox === settings.sandbox);
  return turn?.model === sandboxChatModel ? undefined : turn?.model;
}

type SentMessage = InputOf<"createChatCompletion">["messages"][number];

/** Returns the messages of a session followed by new ones. New instructions replace those of the session. */
export function withHistory(session: OpenSession | undefined, added: readonly Message[]): SentMessage[] {
  return instructionsFirst([...(session?.messages() ?? []), ...added]).map(sent);
}

const sent = ({ role, content }: Message): SentMessage => ({
  role,
  content: typeof content === "string" ? content : content.map((part) => ({ ...part })),
});

/** A question to store before it is sent. */
interface NewQuestion {
  readonly content: Content;
  readonly system?: string;
}

/**
 * Stores the question in its session. Without a session, stores it so that `--continue` can find it: in a session that
 * is named `last` once the question is answered. In that case, a failure to store it does not stop the chat. Returns
 * undefined if the question was not stored.
 */
export async function storeQuestion(
  { content, system }: NewQuestion,
  session: OpenSession | undefined,
  context: Needs,
): Promise<Question | undefined> {
  const { settings, say } = context;
  if (settings.dryRun) return undefined;
  if (session) return session.ask(content, system);
  if (settings.profileValues["chat.sessions"] === "false") return undefined;
  try {
    const question = await sessionsOf(context).question().ask(content, system);
    return { ...question, end: (answer) => question.end(answer).catch(orSay(say)) };
  } catch (error) {
    // Without a home folder, --continue cannot work anyway.
    if (!(error instanceof Unavailable)) orSay(say)(error);
    return undefined;
  }
}

const orSay = (say: Context["say"]) => (error: unknown) =>
  say(`This question cannot be continued with --continue: ${reasonOf(error)}.`);

/** A completion that is stored, while it arrives, as the answer to a question. */
export interface StoredCompletion extends Completion {
  /** Why the answer could not be stored; undefined if storing it has not failed. */
  readonly failure: () => AnswerNotStored | undefined;
}

/** Milliseconds. The text of arriving events is stored at most once in this time. */
const storeInterval = 50;

export function stored(
  completion: Completion,
  given: Question | undefined,
  { redactor, settings }: Pick<Context, "redactor" | "settings">,
): StoredCompletion {
  const question = given && masking(given, redactor);
  let failure: AnswerNotStored | undefined;
  let incomplete: string | undefined = "interrupted";
  /** Stores the answer once `arriving` ends, for whatever reason. */
  async function* storing<Item>(
    arriving: AsyncIterable<Item>,
    keep: (item: Item) => void,
  ): AsyncGenerator<Item> {
    try {
      for await (const item of arriving) {
        keep(item);
        yield item;
      }
      incomplete = undefined;
    } catch (error) {
      if (error instanceof StreamTruncated) incomplete = `cut off: ${error.reason}`;
      else if (completion.summary().complete) incomplete = undefined;
      throw error;
    } finally {
      await question?.end(answerOf(completion.summary(), settings, incomplete)).catch((error) => {
        failure = notStored(error);
      });
    }
  }
  return {
    ...completion,
    [Symbol.asyncIterator]: () =>
      storing(completion, ({ kind, text }) => {
        if (kind === "text") question?.add(text);
      }),
    events: () => {
      let kept = 0;
      let keptAt = performance.now();
      return storing(completion.events(), () => {
        if (performance.now() - keptAt < storeInterval) return;
        const { text } = completion.summary();
        question?.add(text.slice(kept));
        kept = text.length;
        keptAt = performance.now();
      });
    },
    failure: () => failure,
  };
}

/**
 * Returns a question whose answer is stored with API keys masked. Keys are already masked within each event of a
 * stream, but a service may split a key between events. A stored answer may later be shown, or sent to another service.
 */
function masking(question: Question, { redact, stream }: Context["redactor"]): Question {
  const pieces = stream();
  return {
    add: (text) => question.add(pieces.add(text)),
    end: (answer) =>
      question.end(
        answer && typeof answer.content === "string"
          ? { ...answer, content: redact(answer.content) }
          : answer,
      ),
  };
}

function notStored(error: unknown): AnswerNotStored {
  const reason = error instanceof SaveFailed ? `${error.path}: ${error.reason}` : reasonOf(error);
  return new AnswerNotStored(`the answer could not be stored in ${reason}`);
}

/** Returns the answer to store; undefined if it has no text. */
function answerOf(
  { text, model, finish, usage, cost }: CompletionSummary,
  { sandbox }: Pick<Context["settings"], "sandbox">,
  incomplete: string | undefined,
): Answer | undefined {
  if (text === "") return undefined;
  return {
    content: text,
    ...(model !== "" && { model }),
    ...(finish !== undefined && { finish }),
    ...(usage !== undefined && { usage: { ...usage } }),
    ...(cost !== undefined && { cost: decimalText(cost, 2) }),
    ...(sandbox && { sandbox }),
    ...(incomplete !== undefined && { incomplete }),
  };
}
