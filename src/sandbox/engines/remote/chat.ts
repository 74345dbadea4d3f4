import type { IncomingMessage } from "node:http";
import { asRecord, asText } from "../../../core/json.ts";
import { sandboxChatModel } from "../../../core/sandbox.ts";
import { type Exchange, PlainResponse } from "../../http/exchange.ts";
import { EngineFailure, orFailure, sentenceAbout } from "./failure.ts";
import { listModels } from "./models.ts";
import { bodyOf, type EngineAccess, parseFrom, readFrom, sendToEngine } from "./request.ts";

/**
 * Passes a chat request on to an engine, unchanged except for the model. Returns the engine's response. Server-sent
 * events are passed on as they arrive.
 */
export const passOnChat = (exchange: Exchange, access: EngineAccess): Promise<PlainResponse> =>
  orFailure(exchange, async () => {
    const response = await sendToEngine(access, {
      path: "/chat/completions",
      body: await withModel(await exchange.request.text(), access),
    });
    const type = response.headers["content-type"] ?? "";
    if (/^text\/event-stream\b/i.test(type)) {
      const headers = { "content-type": type, "cache-control": "no-cache" };
      return new PlainResponse(eventsOf(response, access), { headers });
    }
    const body = await readFrom(access, response);
    parseFrom(access, response, body);
    return new PlainResponse(body.toString(), { headers: { "content-type": "application/json" } });
  });

/**
 * Returns the body with the model that was set for the engine. If none was set, the request keeps its model, but the
 * sandbox's own model is replaced by the first model that the engine lists.
 */
async function withModel(body: string, access: EngineAccess): Promise<string> {
  const request: unknown = JSON.parse(body);
  const { model } = asRecord(request);
  const used = access.engine.model ?? (model === sandboxChatModel ? await firstModel(access) : undefined);
  return used === undefined || used === model ? body : JSON.stringify({ ...asRecord(request), model: used });
}

/** The first model that an engine lists; undefined if it lists none. */
async function firstModel(access: EngineAccess): Promise<string | undefined> {
  const [first] = await listModels(access).catch((error: unknown) => {
    // A server without a list of models probably has a single model, and accepts any name for it.
    if (error instanceof EngineFailure && error.status === 404) return [];
    throw error;
  });
  return asText(asRecord(first).id) || undefined;
}

/**
 * The events of a response. If the connection breaks or the engine stays silent for too long, the last event is an
 * error. Canceling the stream closes the connection to the engine.
 */
function eventsOf(response: IncomingMessage, access: EngineAccess): ReadableStream<Uint8Array> {
  const { engine, signal } = access;
  const chunks = bodyOf(access, response);
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (!done) return controller.enqueue(new Uint8Array(value));
        controller.close();
      } catch {
        if (signal?.aborted) return controller.error(signal.reason);
        const message = sentenceAbout(engine, "stopped before the end of its response.");
        const error = { message, type: "server_error", param: null, code: null };
        controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify({ error })}\n\n`));
        controller.close();
      }
    },
    cancel: () => void response.destroy(),
  });
}

/** The models of a chat engine, in the format of the service. */
export const passOnModels = (exchange: Exchange, access: EngineAccess): Promise<PlainResponse> =>
  orFailure(exchange, async () => PlainResponse.json({ object: "list", data: await listModels(access) }));
