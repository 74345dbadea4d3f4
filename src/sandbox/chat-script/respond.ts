import type { SSEMessage } from "hono/streaming";
import type { CheckedInputOf } from "../../contract/index.ts";
import { withoutUndefined } from "../../core/json.ts";
import { replyHeader } from "../../core/sandbox.ts";
import { promptTokens, split } from "../engines/chat.ts";
import type { ModelReply } from "../engines/chat-response.ts";
import { ApiError, errorBodyOf } from "../errors.ts";
import { defaultRetryAfter } from "../faults/control.ts";
import { type Exchange, PlainResponse } from "../http/exchange.ts";
import { withCommonError } from "../inference-errors.ts";
import type { Store } from "../store/queries.ts";
import type { ScriptedReply } from "./format.ts";
import { takeReply } from "./table.ts";

type Input = CheckedInputOf<"createChatCompletion">;

const noReply = {
  "all used": "every reply in the chat script is used up",
  "no match": "no reply in the chat script matches this request",
} as const;

/**
 * Returns the chat script's reply to a request: an error response, or what the model says.
 * @throws ApiError when the script has no reply for the request, or when matching takes too long
 */
export function scriptedResponse(
  exchange: Exchange,
  store: Store,
  input: Input,
  stream: boolean,
): PlainResponse | ModelReply {
  const taken = takeReply(store, input);
  if (typeof taken === "string") throw new ApiError("BAD_REQUEST", [{ path: [], message: noReply[taken] }]);
  const { index, reply } = taken;
  exchange.headers[replyHeader.toLowerCase()] = String(index);
  const { error, streamError } = reply;
  if (error) return errorReply(exchange, error);
  // Without a stream, nothing has been sent when the model fails, so the response can have an error status.
  if (streamError && !stream) return errorReply(exchange, { ...streamError, status: 500 });
  return said(reply, index, input);
}

function errorReply(exchange: Exchange, error: NonNullable<ScriptedReply["error"]>): PlainResponse {
  const { status, retryAfterSeconds, message, ...more } = error;
  const documented = errorBodyOf(status);
  const body = { ...documented, message: message ?? documented.message };
  exchange.problem = body;
  const retryAfter = retryAfterSeconds ?? (status === 429 ? defaultRetryAfter : undefined);
  const { type, param, code } = more;
  const headers = { ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }) };
  const sent = withCommonError(body, status, withoutUndefined({ type, param, code }));
  return PlainResponse.json(sent, { status, headers });
}

function said(reply: ScriptedReply, index: number, { messages }: Input): ModelReply {
  const { text, json, reasoning, toolCalls, finishReason, firstTokenMs = 0, betweenTokensMs = 0 } = reply;
  const tokens = split(text ?? (json === undefined ? "" : JSON.stringify(json)));
  const calls = toolCalls?.map(({ id, name, arguments: given }, at) => ({
    id: id ?? `call_${index}_${at}`,
    type: "function" as const,
    function: { name, arguments: typeof given === "string" ? given : JSON.stringify(given) },
  }));
  const thoughts = reasoning === undefined ? undefined : split(reasoning);
  const prompt_tokens = promptTokens(messages);
  const called = (calls ?? []).flatMap((call) => split(call.function.arguments));
  const completion_tokens = tokens.length + called.length + (thoughts?.length ?? 0);
  const counted = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  return {
    tokens,
    ...(thoughts && { reasoning: thoughts }),
    ...(calls && { toolCalls: calls }),
    finishReason: finishReason === undefined ? (calls ? "tool_calls" : "stop") : finishReason,
    usage: reply.usage === undefined ? counted : reply.usage,
    firstTokenMs,
    betweenTokensMs,
    ...(reply.streamError && { breaksOff: { event: errorEvent(reply.streamError) } }),
    ...(reply.cut && { breaksOff: {} }),
  };
}

function errorEvent({
  form,
  message,
  type,
  code = null,
}: NonNullable<ScriptedReply["streamError"]>): SSEMessage {
  const data = JSON.stringify({ error: { message, type, param: null, code } });
  if (form === "event") return { event: "error", data };
  return { data: form === "text" ? `${message} ${data}` : data };
}
