import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { check } from "../../../contract/check/check.ts";
import { operations } from "../../../contract/index.ts";
import { reasonOf, UsageError } from "../../../core/errors.ts";
import { didYouMean, readText } from "../../../core/text.ts";
import { sanitize } from "../../../output/text.ts";
import { type Turn, textOf } from "../../../sessions/turn.ts";
import type { LineCompletion, LineEditor } from "../../../system/types.ts";
import { readAttachments } from "../attach.ts";
import { modelNames, pickModel } from "../models.ts";
import { modelOf, sayState, sessionsOf } from "../session.ts";
import { multiEnd, readMulti } from "./read.ts";
import { aboutSession, type Settable, type Talk, type TalkOptions, type Tools } from "./talk.ts";
import { usageLines } from "./usage.ts";

/**
 * What to do after an entry: send a message, leave the conversation, or nothing more (`done`). `remember` says whether
 * to add the message to the input history, because it is not the entry itself.
 */
export type Outcome = "done" | "leave" | { readonly message: string; readonly remember: boolean };

export interface Commands {
  /**
   * Runs a command. A text that does not look like a command is returned as a message. Throws `UsageError` for an
   * unknown command, and what the command throws.
   */
  readonly run: (text: string, editor: LineEditor) => Promise<Outcome>;
  readonly complete: (line: string) => Promise<LineCompletion>;
}

interface Command {
  readonly args?: string;
  readonly text: string;
  readonly run: (rest: string, editor: LineEditor) => Outcome | Promise<Outcome>;
  readonly choices?: (rest: string) => readonly string[] | Promise<readonly string[]>;
}

export function createCommands({ talk, settable, send }: TalkOptions, tools: Tools): Commands {
  const { ask, dialog, files, say } = tools;
  let knownModels: readonly string[] = [];
  const models = async () => {
    // An empty list is not kept, so that the next press of Tab requests the list again.
    if (knownModels.length === 0) knownModels = await modelNames(tools);
    return knownModels;
  };
  const show = (...lines: readonly string[]): Outcome => {
    dialog.show(...lines);
    return "done";
  };
  const sessions = () => sessionsOf(tools);
  const prompts = () => ask("Run this on a terminal.");
  const chosen = async (message: string, choices: readonly string[]) =>
    (await prompts()).choose({ message, choices });
  const lastOf = (role: Turn["role"]) => talk.session.chain().findLast((turn) => turn.role === role);

  const commands: Readonly<Record<string, Command>> = {
    help: {
      text: "Show the commands",
      run: () => {
        const usages = Object.entries(commands).map(
          ([name, { args }]) => `/${name}${args ? ` ${args}` : ""}`,
        );
        const width = Math.max(...usages.map((usage) => usage.length));
        const lines = Object.values(commands).map(
          ({ text }, at) => `  ${usages[at]?.padEnd(width)}  ${text}`,
        );
        return show(
          ...lines,
          "",
          '  """ starts and ends a message of several lines. Pasting keeps lines together.',
          "  Ctrl-C stops an answer or clears the line, Ctrl-D leaves, Tab completes.",
        );
      },
    },
    model: {
      args: "[NAME]",
      text: "Choose the model",
      choices: models,
      run: async (name) => {
        talk.model = name || (await pickModel(await prompts(), tools, talk.model));
        return show(`Model: ${talk.model}.`);
      },
    },
    system: {
      args: "[TEXT]",
      text: "Set or show the instructions; @FILE reads a file",
      run: async (text) => {
        if (text !== "") {
          talk.system = text.startsWith("@") ? await readText(text.slice(1), "/system", files) : text;
        }
        const current = talk.system ?? textOf(lastOf("system")?.content ?? "");
        return show(current === "" ? "There are no instructions." : `Instructions: ${current}`);
      },
    },
    set: {
      args: "[FIELD [VALUE]]",
      text: "Set, remove or show fields, such as temperature",
      choices: () => settable.map(({ name }) => name),
      run: (rest) => {
        const [name = "", value = ""] = splitFirst(rest);
        if (name !== "") talk.fields = withField(talk, name, value, settable);
        const shown = Object.entries(talk.fields).map(([key, one]) => `${key} = ${JSON.stringify(one)}`);
        return show(shown.length === 0 ? "No fields are set." : shown.join(", "));
      },
    },
    file: {
      args: "PATH",
      text: "Add a text file or an image to the next message",
      choices: (rest) => pathsLike(rest, files.resolve),
      run: async (path) => {
        if (path === "") throw new UsageError("/file needs a PATH");
        talk.attachments = [...talk.attachments, ...(await readAttachments([path], files, "/file"))];
        return show(`${path} will be sent with the next message.`);
      },
    },
    multi: {
      text: `Write a message of several lines; ${multiEnd} ends it`,
      run: async (_, editor) => {
        const entry = await readMulti(editor);
        if (entry === "end") return "leave";
        return typeof entry === "string" || entry.text.trim() === ""
          ? "done"
          : { message: entry.text, remember: true };
      },
    },
    edit: {
      args: "[TEXT]",
      text: "Write a message in $VISUAL or $EDITOR",
      run: async (text) => {
        const message = await dialog.edit(text);
        if (message.trim() !== "") return { message, remember: true };
        return show("The message is empty, so nothing was sent.");
      },
    },
    retry: {
      text: "Send the last message again",
      run: async () => {
        const question = talk.session.takeBack();
        if (question === undefined) return show("There is no message to send again.");
        await send(question.content);
        return "done";
      },
    },
    copy: {
      text: "Copy the last answer to the clipboard",
      run: async () => {
        const answer = lastOf("assistant");
        if (answer === undefined) return show("There is no answer to copy.");
        // A control sequence in the answer could end a paste into a shell, so that the shell runs the text after it.
        const text = sanitize(textOf(answer.content));
        const size = text.length === 1 ? "1 character" : `${text.length} characters`;
        const messages = {
          copied: `Copied ${size}.`,
          sent: `Sent ${size} to the clipboard of the terminal, if it supports that.`,
          "too long": `Not copied: ${size} are too many for the clipboard of the terminal.`,
        };
        return show(messages[await dialog.copy(text)]);
      },
    },
    save: {
      args: "NAME",
      text: "Give the session a name",
      run: async (name) => {
        await talk.session.rename(name);
        return show(`Saved as session ${name}.`);
      },
    },
    load: {
      args: "[NAME]",
      text: "Switch to another session",
      choices: () => sessions().names(),
      run: async (name) => {
        const names = await sessions().names();
        if (names.length === 0) return show("There are no sessions.");
        const wanted = name || (await chosen("Session", names));
        if (!names.includes(wanted))
          throw new UsageError(`no session ${JSON.stringify(wanted)}${didYouMean(wanted, names)}`);
        talk.session = await sessions().open(wanted);
        talk.system = undefined;
        talk.model = modelOf(talk.session, tools) ?? talk.model;
        sayState(talk.session, tools);
        return show(`${aboutSession(talk.session)} Model: ${talk.model}.`);
      },
    },
    clear: {
      text: "Start over with the same instructions; the session keeps earlier turns",
      run: () => {
        talk.system ??= textOf(lastOf("system")?.content ?? "") || undefined;
        talk.session.clear();
        return show("The next message starts a new conversation.");
      },
    },
    usage: {
      text: "Show token counts of the last answers and of the session",
      run: () => show(...usageLines(talk.session.turns())),
    },
    exit: { text: "Leave", run: () => "leave" },
  };

  const names = Object.keys(commands).map((name) => `/${name}`);
  // `hasOwn` leaves out the names that every object has, such as `constructor`.
  const commandOf = (name: string) => (Object.hasOwn(commands, name) ? commands[name] : undefined);
  return {
    run: async (text, editor) => {
      const [, typed, rest = ""] = /^\/([a-z]+)(?:\s+(.*))?$/is.exec(text.trim()) ?? [];
      if (typed === undefined) return { message: text, remember: false };
      const name = typed.toLowerCase();
      const command = commandOf(name);
      if (command === undefined) {
        throw new UsageError(`unknown command /${name}${didYouMean(`/${name}`, names)}`, {
          hint: '/help shows the commands. To send a message that starts with /, put """ around it.',
        });
      }
      return command.run(rest.trim(), editor);
    },
    complete: async (line) => {
      const [, name = "", rest = ""] = /^\/([a-z]+) +(.*)$/.exec(line) ?? [];
      if (name === "") {
        return {
          replaced: line,
          choices: line.startsWith("/") ? names.filter((one) => one.startsWith(line)) : [],
        };
      }
      const all = await Promise.resolve(commandOf(name)?.choices?.(rest) ?? []).catch((error) => {
        say(`Cannot complete: ${reasonOf(error)}.`);
        return [];
      });
      return { replaced: rest, choices: all.filter((one) => one.startsWith(rest)) };
    },
  };
}

/** Splits a text into its first word and the rest. */
const splitFirst = (text: string): readonly string[] => /^(\S*)\s*(.*)$/s.exec(text)?.slice(1) ?? [];

/**
 * Sets the field `name` to a value, or removes the field if the value is empty. Returns all fields after the change.
 * Throws `UsageError` if the field is unknown or the value is invalid.
 */
function withField(
  { model, fields }: Talk,
  name: string,
  value: string,
  settable: readonly Settable[],
): Talk["fields"] {
  const field = settable.find((one) => one.name === name);
  if (field === undefined) {
    const known = settable.map((one) => one.name);
    throw new UsageError(`unknown field ${JSON.stringify(name)}${didYouMean(name, known)}`, {
      hint: `Fields: ${known.join(", ")}.`,
    });
  }
  const { [name]: _, ...others } = fields;
  if (value === "") return others;
  const changed = { ...others, ...field.parse(value) };
  const checked = check(operations.createChatCompletion, { ...changed, model, messages: [] });
  if (checked.ok) return changed;
  throw new UsageError(`${name} ${checked.issues[0]?.message}, not ${JSON.stringify(value)}`);
}

/** Returns the entries of the folder that a partial path points into. */
function pathsLike(start: string, resolve: (path: string) => string): readonly string[] {
  try {
    const folder = start.endsWith("/") ? start : dirname(start);
    const typed = start.endsWith("/") ? start : start.slice(0, start.length - basename(start).length);
    return readdirSync(resolve(folder), { withFileTypes: true }).map(
      (entry) => `${typed === "" ? "" : join(typed, "/")}${entry.name}${entry.isDirectory() ? "/" : ""}`,
    );
  } catch {
    return [];
  }
}
