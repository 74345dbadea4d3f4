import { asRecord, asText } from "../../core/json.ts";
import { stringifyExactly } from "../../core/values/exact-numbers.ts";
import type { TokenCounts } from "../../core/values/prices.ts";
import { contentOf, readChunk, toolCallsIn } from "./chunks.ts";
import { type Piece, splitThinking } from "./thinking.ts";

/** A function call that the model asks for. `arguments` is JSON as the model wrote it, so it may be invalid. */
export interface ToolCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: string;
}

/** The parts of a completion that have arrived so far. */
export interface Assembled {
  readonly text: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly finish: string | undefined;
  readonly usage: TokenCounts | undefined;
  /** The name of the model, as the service reports it. */
  readonly model: string | undefined;
}

/** Puts a completion together from its chunks. */
export interface Assembler {
  /** Adds a chunk or a whole completion, and returns its pieces of text and of reasoning. */
  readonly add: (body: unknown) => readonly Piece[];
  /** Returns the text that was held back because a tag may start in it. Call this once, after the last `add`. */
  readonly flush: () => readonly Piece[];
  readonly assembled: () => Assembled;
  /**
   * The kind of content that has arrived: `text`, `other` (such as a tool call or reasoning) or `nothing`. Undefined if
   * no chunk had a first choice.
   */
  readonly content: () => "text" | "other" | "nothing" | undefined;
}

export function createAssembler(): Assembler {
  const said = { text: "", reasoning: "" };
  const contents = new Set<ReturnType<typeof contentOf>>();
  const toolCalls = createToolCalls();
  const thinking = splitThinking();
  let finish: string | undefined;
  let usage: TokenCounts | undefined;
  let model: string | undefined;
  const added = (pieces: readonly Piece[]): readonly Piece[] => {
    const some = pieces.filter(({ text }) => text !== "");
    for (const { kind, text } of some) said[kind] += text;
    return some;
  };
  return {
    add: (body) => {
      const chunk = readChunk(body);
      contents.add(contentOf(body));
      finish = chunk.finish ?? finish;
      usage = chunk.usage ?? usage;
      model = asText(asRecord(body).model) || model;
      for (const call of toolCallsIn(body)) toolCalls.add(call);
      return added([{ kind: "reasoning", text: chunk.reasoning }, ...thinking.add(chunk.text)]);
    },
    flush: () => added(thinking.flush()),
    assembled: () => ({
      text: said.text,
      ...(said.reasoning !== "" && { reasoning: said.reasoning }),
      ...(toolCalls.list().length > 0 && { toolCalls: toolCalls.list() }),
      finish,
      usage,
      model,
    }),
    content: () => {
      if (said.text !== "") return "text";
      if (contents.has("other") || said.reasoning !== "") return "other";
      return contents.has("nothing") || contents.has("text") ? "nothing" : undefined;
    },
  };
}

/** Gathers tool calls by their index: `id` and `name` come once, and the arguments in parts. */
function createToolCalls() {
  const calls = new Map<unknown, { id?: string; name: string; arguments: string }>();
  /** The key in `calls` of the last call with each index. */
  const keys = new Map<unknown, unknown>();
  let last: unknown;
  return {
    add: (part: Readonly<Record<string, unknown>>) => {
      const { id, index = null } = part;
      const { name, arguments: words } = asRecord(part.function);
      const [hasId, hasName] = [asText(id) !== "", asText(name) !== ""];
      const open = index === null ? last : (keys.get(index) ?? index);
      const openId = calls.get(open)?.id;
      // Without an index, a part with an id or a name starts a new call. Some services give all calls the same index:
      // there, a part with a name and another id does.
      const starts =
        index === null ? hasId || hasName : hasId && hasName && openId !== undefined && openId !== asText(id);
      const key = starts ? `call ${calls.size}` : open;
      if (index !== null) keys.set(index, key);
      last = key;
      const call = calls.get(key) ?? { name: "", arguments: "" };
      calls.set(key, {
        ...call,
        ...(call.id === undefined && hasId && { id: asText(id) }),
        name: call.name || asText(name),
        arguments:
          call.arguments +
          (typeof words === "object" && words !== null ? (stringifyExactly(words) ?? "") : asText(words)),
      });
    },
    list: (): readonly ToolCall[] => [...calls.values()],
  };
}
