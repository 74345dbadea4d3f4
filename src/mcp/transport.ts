import {
  ReadBuffer,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
  serializeMessage,
} from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from "@modelcontextprotocol/sdk/types.js";
import type { Messages } from "../command-kit/context.ts";
import { asRecord } from "../core/json.ts";

/** How many bytes are added to the buffer at a time. A message may be much longer. */
const pieceLength = 65_536;

interface StreamOptions extends Pick<Messages, "read" | "write"> {
  /** Called with each message that cannot be sent. */
  readonly onUnsent: (message: JSONRPCMessage) => Promise<void>;
}

/**
 * Carries messages on the standard streams, one per line. After the end of stdin, the transport closes once every
 * request has its response. The transport also closes if a message cannot be written: the client has gone, so further
 * calls would spend money, and nothing would read their results.
 */
export function streamTransport({ read, write, onUnsent }: StreamOptions): Transport {
  const buffer = new ReadBuffer();
  const open = new Set<unknown>();
  const keeping = new Set<Promise<void>>();
  let hasEnded = false;
  let hasClientGone = false;
  let isClosed = false;
  /** Aborted to stop reading. Otherwise, a client that keeps stdin open would keep the process running. */
  const stopped = new AbortController();
  const fail = (error: unknown) =>
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  const closeIfDone = () => {
    if (hasClientGone || (hasEnded && open.size === 0)) void transport.close();
  };
  const receive = (message: JSONRPCMessage) => {
    if (isJSONRPCRequest(message)) open.add(message.id);
    // A canceled request gets no response.
    if ("method" in message && message.method === "notifications/cancelled") {
      open.delete(asRecord(message.params).requestId);
    }
    transport.onmessage?.(message);
  };
  const receiveAll = () => {
    for (;;) {
      const message = nextMessage();
      if (message === null) return;
      if (message !== undefined) receive(message);
    }
  };
  /**
   * Null if no whole line is left. Undefined for a line that is not a message; the line is skipped, because later lines
   * may be valid messages.
   */
  const nextMessage = (): JSONRPCMessage | null | undefined => {
    try {
      return buffer.readMessage();
    } catch {
      fail("skipped a line that is not a JSON-RPC message");
      return undefined;
    }
  };
  let isSkipping = false;
  const add = (piece: Buffer): void => {
    const start = isSkipping ? piece.indexOf("\n") + 1 : 0;
    if (isSkipping && start === 0) return;
    isSkipping = false;
    try {
      buffer.append(piece.subarray(start));
    } catch {
      // The line is too long. Skips the rest of it, because later lines may be valid messages.
      fail(`skipped a message that is too long (the limit is about ${STDIO_DEFAULT_MAX_BUFFER_SIZE} bytes)`);
      isSkipping = true;
      add(piece);
      return;
    }
    receiveAll();
  };
  const readToEnd = async () => {
    for await (const piece of read(stopped.signal)) {
      for (let start = 0; start < piece.length; start += pieceLength) {
        if (isClosed) return;
        add(Buffer.from(piece.subarray(start, start + pieceLength)));
      }
    }
  };
  const writeLine = async (line: string) => {
    try {
      await write(line);
    } catch (error) {
      hasClientGone = true;
      throw error;
    }
  };
  const transport: Transport = {
    start: async () => {
      void readToEnd()
        .catch((error: unknown) => {
          if (!isClosed) fail(error);
        })
        .then(() => {
          hasEnded = true;
          closeIfDone();
        });
    },
    send: async (message) => {
      try {
        await writeLine(serializeMessage(message));
      } catch (error) {
        const kept = onUnsent(message)
          .catch(fail)
          .finally(() => keeping.delete(kept));
        keeping.add(kept);
        throw error;
      } finally {
        if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) open.delete(message.id);
        closeIfDone();
      }
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      stopped.abort();
      while (keeping.size > 0) await Promise.allSettled(keeping);
      transport.onclose?.();
    },
  };
  return transport;
}
