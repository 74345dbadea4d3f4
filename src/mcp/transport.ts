import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";
import type { Messages } from "../command-kit/context.ts";
import { asRecord } from "../core/json.ts";

/**
 * Carries messages on the standard streams, one a line. After the end of stdin, it closes when every request has its
 * response.
 */
export function streamTransport({ read, write }: Pick<Messages, "read" | "write">): Transport {
  const buffer = new ReadBuffer();
  const open = new Set<unknown>();
  let hasEnded = false;
  let isClosed = false;
  const fail = (error: unknown) =>
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  const closeIfDone = () => {
    if (hasEnded && open.size === 0) void transport.close();
  };
  const receive = (message: JSONRPCMessage) => {
    if (isJSONRPCRequest(message)) open.add(message.id);
    // A cancelled request gets no response.
    if ("method" in message && message.method === "notifications/cancelled") {
      open.delete(asRecord(message.params).requestId);
    }
    transport.onmessage?.(message);
  };
  const receiveAll = () => {
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        receive(message);
      } catch (error) {
        // This line is lost. Those after it may be messages.
        fail(error);
      }
    }
  };
  const readToEnd = async () => {
    for await (const piece of read()) {
      if (isClosed) return;
      buffer.append(Buffer.from(piece));
      receiveAll();
    }
  };
  const transport: Transport = {
    start: async () => {
      void readToEnd()
        .catch(fail)
        .then(() => {
          hasEnded = true;
          closeIfDone();
        });
    },
    send: async (message) => {
      try {
        await write(serializeMessage(message));
      } finally {
        if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) open.delete(message.id);
        closeIfDone();
      }
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      transport.onclose?.();
    },
  };
  return transport;
}
