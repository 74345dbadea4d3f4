import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { asList, asRecord, parseJson } from "../../src/core/json.ts";
import { createHome, key } from "./process.ts";

/** A chat service whose answers a test writes piece by piece. */
export interface ChatServer {
  readonly url: string;
  /** Resolves with the next request: its last message, and a way to answer it. */
  readonly next: () => Promise<ChatRequest>;
}

export interface ChatRequest {
  readonly message: string;
  /** How many messages the request has. */
  readonly count: number;
  /** Sends a piece of the answer. */
  readonly say: (text: string) => void;
  readonly finish: () => void;
}

/** Serves until the test ends. */
async function serveChat(): Promise<ChatServer> {
  const waiting: ((request: ChatRequest) => void)[] = [];
  const arrived: ChatRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      if (!request.url?.endsWith("/chat/completions")) {
        response.writeHead(404, { "content-type": "application/json" }).end("{}");
        return;
      }
      const messages = asList(asRecord(parseJson(Buffer.concat(chunks).toString())).messages);
      const chat = chatRequest(messages, response);
      const settle = waiting.shift();
      if (settle) settle(chat);
      else arrived.push(chat);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    next: () => {
      const first = arrived.shift();
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

function chatRequest(messages: readonly unknown[], response: ServerResponse): ChatRequest {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (choice: object) =>
    response.write(`data: ${JSON.stringify({ model: "m", choices: [{ index: 0, ...choice }] })}\n\n`);
  return {
    message: String(asRecord(messages.at(-1)).content),
    count: messages.length,
    say: (content) => send({ delta: { content } }),
    finish: () => {
      send({ delta: {}, finish_reason: "stop" });
      response.end("data: [DONE]\n\n");
    },
  };
}

/** A home whose service is a new chat server. */
export async function homeWithServer() {
  const server = await serveChat();
  const home = await createHome({
    GPUCTL_BASE_URL: server.url,
    GPUCTL_INFERENCE_BASE_URL: server.url,
    GPUCTL_API_KEY: key,
  });
  return { home, server };
}
