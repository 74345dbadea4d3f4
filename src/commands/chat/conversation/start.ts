import type { Flag, Flags } from "../../../command-kit/flag.ts";
import { parseValue } from "../../../command-kit/values.ts";
import { routes } from "../../../contract/generated/routes.ts";
import type { InputOf } from "../../../contract/index.ts";
import { asList, asRecord } from "../../../core/json.ts";
import type { OpenSession } from "../../../sessions/open.ts";
import { isContent, textOf } from "../../../sessions/turn.ts";
import { converse } from "./conversation.ts";
import type { Settable, Tools } from "./talk.ts";

interface StartOptions {
  readonly input: InputOf<"createChatCompletion">;
  readonly session: OpenSession;
  /** The values of the command's flags. */
  readonly given: {
    readonly system: string | undefined;
    readonly noStream: boolean;
    readonly noMarkdown: boolean;
    readonly usage: boolean;
    readonly schema: string | undefined;
  };
  /** The declarations of the command's flags. */
  readonly flags: Flags;
}

/** Starts a conversation with the input, session and flags of the command line. */
export async function startConversation(
  { input, session, given, flags }: StartOptions,
  tools: Tools,
): Promise<void> {
  const { messages, model, stream: _, ...fields } = input;
  // With --no-validate, the messages may have any type.
  const instructions = asList(messages)
    .map(asRecord)
    .find(({ role }) => role === "system")?.content;
  const system = given.system === undefined ? undefined : textOf(isContent(instructions) ? instructions : "");
  const talk = { session, model, fields, system, attachments: [] };
  await converse(
    {
      ...given,
      talk,
      settable: settable(flags),
      stream: !given.noStream,
      checksSchema: given.schema !== undefined,
    },
    tools,
  );
}

/** The fields that /set can change: numeric fields of the contract, and fields that the command's flags set. */
function settable(flags: Flags): readonly Settable[] {
  const documented = routes.createChatCompletion.fields.flatMap(({ name, kind }) =>
    kind === "number" || kind === "integer" ? { name, kind } : [],
  );
  const own = Object.values(flags).flatMap((one: Flag) =>
    (one.setsFields ?? [])
      .filter((name) => name !== "model" && name !== "messages")
      .map((name) => ({ ...one, name })),
  );
  return [...documented, ...own].map(({ name, ...parsing }) => ({
    name,
    parse: (text) => {
      const value = parseValue(parsing, text, name);
      return { [name]: "repeat" in parsing && parsing.repeat ? [value] : value };
    },
  }));
}
