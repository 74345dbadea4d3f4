import { check, type Issue } from "../../contract/check/check.ts";
import { parseJson } from "../../core/json.ts";
import { ControlRefused, issuesFor } from "../errors.ts";
import type { Store } from "../store/queries.ts";
import { chatScript, type ScriptedReply, type TextPattern } from "./format.ts";
import { listReplies, type StoredReply, saveReplies, timesOf } from "./table.ts";

/** A reply of the chat script as shown to the user. */
export interface ReplyInfo {
  /** Its place in the script, from 0. */
  readonly index: number;
  /** The requests that the reply matches, in words. */
  readonly when: string;
  /** What the reply consists of, in words. */
  readonly sends: string;
  /** The maximum number of requests that the reply is sent to; null if there is no maximum. */
  readonly times: number | null;
  /** How many requests the reply has been sent to so far. */
  readonly used: number;
  /** The reply as given, with defaults. */
  readonly reply: ScriptedReply;
}

/** Controls the replies of the sandbox's chat. */
export interface ChatScriptControl {
  /**
   * Replaces the script with a list of replies in YAML, JSON or JSON Lines, or with one reply in JSON.
   * @throws ControlRefused when the text is empty or cannot be parsed; for invalid fields, the error names each field
   */
  load(text: string): Promise<readonly ReplyInfo[]>;
  /** Replaces the script. @throws ControlRefused naming each invalid field */
  set(replies: unknown): readonly ReplyInfo[];
  show(): readonly ReplyInfo[];
  /** Removes the script, and returns how many replies it had. */
  clear(): number;
}

export function chatScriptControl(store: Store): ChatScriptControl {
  const show = () => listReplies(store).map(info);
  const set = (replies: unknown, errorFor: (issues: readonly Issue[]) => ControlRefused) => {
    const checked = check({ input: chatScript }, { replies });
    if (!checked.ok) throw errorFor(issuesFor("a reply", checked.issues));
    saveReplies(store, checked.value.replies);
    return show();
  };
  return {
    load: async (text) => {
      // Loaded here, because most runs of gpuctl with a sandbox parse no document.
      const { parseDocument } = await import("../documents.ts");
      const { content, errorFor } = await parseDocument(
        withBrackets(text.replace(/^\ufeff/, "")),
        "the chat script",
      );
      if (content === undefined) throw new ControlRefused([], "the chat script is empty");
      return set(content, (issues) => errorFor(issues, 1));
    },
    set: (replies) => set(replies, (issues) => new ControlRefused(issues)),
    show,
    clear: () => {
      const { length } = listReplies(store);
      saveReplies(store, []);
      return length;
    },
  };
}

/** Turns one JSON reply, or JSON Lines, into a JSON list with the same line numbers; other text is unchanged. */
function withBrackets(text: string): string {
  if (!text.trimStart().startsWith("{")) return text;
  const isOneReply = parseJson(text) !== undefined;
  return `[${isOneReply ? text : text.trimEnd().replaceAll(/(?<=\S)[ \t]*\r?\n/g, ",\n")}]`;
}

function info({ index, uses, reply }: StoredReply): ReplyInfo {
  const times = timesOf(reply);
  return {
    index,
    when: condition(reply),
    sends: contentsOf(reply),
    times: Number.isFinite(times) ? times : null,
    used: uses,
    reply,
  };
}

const condition = ({ when }: ScriptedReply): string =>
  when === undefined
    ? "any request"
    : [
        when.model !== undefined && `model ${when.model}`,
        when.message !== undefined && `message has ${inWords(when.message)}`,
        when.toolResult !== undefined && `tool result has ${inWords(when.toolResult)}`,
      ]
        .filter(Boolean)
        .join(", ") || "any request";

const inWords = (pattern: TextPattern): string =>
  typeof pattern === "string" ? JSON.stringify(pattern) : `/${pattern.pattern}/${pattern.flags ?? ""}`;

function contentsOf(reply: ScriptedReply): string {
  const { text, json, reasoning, toolCalls, error, streamError, cut } = reply;
  const content = text ?? (json === undefined ? undefined : JSON.stringify(json));
  return [
    error && `error ${error.status}`,
    reasoning !== undefined && "reasoning",
    content !== undefined && (content.length > longest ? `${content.slice(0, longest)}...` : content),
    toolCalls && `calls ${toolCalls.map(({ name }) => name).join(", ")}`,
    streamError && `error in the stream (${streamError.form})`,
    cut && "cut",
  ]
    .filter((part) => typeof part === "string")
    .join(", ");
}

/** Longer texts are cut off after this many characters. */
const longest = 40;
