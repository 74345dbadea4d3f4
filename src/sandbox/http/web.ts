import { once } from "../../core/tasks/once.ts";
import { ConnectionReset } from "../faults/cut.ts";
import { BodyTooLarge, maxBodyBytes, type PlainRequest, type PlainResponse } from "./exchange.ts";

/** A request to the sandbox, as plain values. */
export function plainRequest(request: Request, peer?: string): PlainRequest {
  return {
    peer,
    method: request.method,
    url: request.url,
    // A getter, because the server creates the signal of a request only when the signal is read.
    get signal() {
      return request.signal;
    },
    header: (name) => request.headers.get(name) ?? undefined,
    text: once(() => textOf(request).catch(asReset)),
  };
}

export function webResponse({ body, status, headers }: PlainResponse): Response {
  const sorted = Object.entries(headers).sort(([one], [other]) => (one < other ? -1 : 1));
  return new Response(body, {
    status,
    statusText: statusTexts[status] ?? "",
    headers: Object.fromEntries(sorted),
  });
}

/** The status texts. The sandbox sends one only with a response that has no body. */
const statusTexts: Readonly<Record<number, string>> = { 204: "No Content", 304: "Not Modified" };

/** A body that cannot be read to its end means that the client has broken off the request. */
function asReset(error: unknown): never {
  if (error instanceof BodyTooLarge) throw error;
  throw new ConnectionReset("the client disconnected while it sent the request");
}

/** The body of a request. A body without a stated length is measured while it arrives. @throws BodyTooLarge */
async function textOf(request: Request): Promise<string> {
  const length = request.headers.get("content-length");
  if (length !== null && !request.headers.has("transfer-encoding")) {
    if (Number.parseInt(length, 10) > maxBodyBytes) throw new BodyTooLarge();
    return request.text();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body?.values({ preventCancel: true }) ?? []) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
