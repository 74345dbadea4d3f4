import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ReadBuffer } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished } from "vitest";
import type { Cli, Outcome, Responder, RunOptions } from "../support/cli.ts";
import { base64, tinyPng } from "../support/pictures.ts";

/** The structured result of a tool. */
export interface ToolData {
  readonly ok: boolean;
  readonly data: unknown;
  readonly total?: number;
  readonly cost?: { dollars: number | null; spentDollars: number; limitDollars: number };
  readonly notes?: readonly string[];
  readonly error?: { code: string; status: number | null; retryable: boolean; advice: string | null };
}

export interface Agent {
  /** The SDK's client, connected to `gpuctl mcp`. */
  readonly client: Client;
  /** Calls a tool and returns its structured result. */
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<ToolData>;
  /** What gpuctl has written to stderr so far. */
  readonly log: () => string;
  /** Closes stdin, and returns the outcome of the run. */
  readonly end: () => Promise<Outcome>;
}

/**
 * Runs `gpuctl mcp` with these flags in the test's process, and connects the SDK's client to its standard streams. Like
 * the SDK's own transport, closes the connection if a message is longer than the client's buffer.
 */
export async function agentOf(cli: Cli, flags = "--sandbox", options: RunOptions = {}): Promise<Agent> {
  const stdin = new PassThrough();
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const buffer = new ReadBuffer();
  let logged = "";
  serverSide.onmessage = (message) => void stdin.write(`${JSON.stringify(message)}\n`);
  serverSide.onclose = () => void stdin.end();
  const write = (text: string) => {
    try {
      buffer.append(Buffer.from(text));
    } catch {
      void serverSide.close();
      return;
    }
    for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage()) {
      void serverSide.send(message);
    }
  };
  const log = (text: string) => {
    logged += text;
  };
  await serverSide.start();
  const running = cli.run(`mcp ${flags}`, { ...options, messages: { read: stdin, write, log } });
  const client = new Client({ name: "test", version: "1" });
  onTestFinished(() => client.close());
  await Promise.race([client.connect(clientSide), running.then(({ err }) => Promise.reject(new Error(err)))]);
  return {
    client,
    log: () => logged,
    call: async (name, args = {}) =>
      structured((await client.callTool({ name, arguments: args })) as CallToolResult),
    end: async () => {
      await client.close();
      return running;
    },
  };
}

/** The structured part of a result. Also checks that the text of the result is the same data as JSON. */
export function structured(result: CallToolResult): ToolData {
  const [text] = result.content;
  expect(text?.type === "text" && JSON.parse(text.text)).toEqual(result.structuredContent);
  expect(result.isError).toBe(!result.structuredContent?.ok);
  return result.structuredContent as unknown as ToolData;
}

export const spending = "--sandbox --allow spend --max-cost 5 --max-burn 100";
export const everything = `${spending} --allow write,destroy --assume-price 0.01`;

/** Returns a tiny picture immediately. The sandbox would take some time to draw one. */
export const quickPictures: Responder = ({ path }) =>
  path === "/v1/image/generation"
    ? Response.json({ images: [{ index: 0, image: base64(tinyPng()), random_seed: 42 }] })
    : undefined;
