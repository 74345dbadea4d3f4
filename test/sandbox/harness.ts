import { onTestFinished } from "vitest";
import * as z from "zod";
import { type InputOf, type OperationId, type OutputOf, operations } from "../../src/contract/index.ts";
import type { OperationSetName } from "../../src/core/sandbox.ts";
import { type AssumedId, assumedOperations } from "../../src/sandbox/assumed/index.ts";
import { createSandbox, serve } from "../../src/sandbox/index.ts";
import { requestFor, requestForAssumed } from "./request.ts";

export { origin } from "./request.ts";

/** The time that the clock of a sandbox from `openSandbox` shows at first. */
export const start = Date.UTC(2026, 10, 20, 12);

const outputs: { readonly [Id in OperationId]: { readonly output: z.ZodType<OutputOf<Id>> } } = operations;

const commonError = z.strictObject({
  message: z.string(),
  type: z.literal("invalid_request_error"),
  param: z.string().nullable(),
  code: z.literal("BAD_REQUEST"),
});

/** The body of a 400 response. The inference API adds the error in the common chat-completions format. */
export const badRequest = z.strictObject({
  code: z.literal("BAD_REQUEST"),
  message: z.literal("Invalid input data"),
  issues: z.array(z.strictObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })),
  error: commonError.optional(),
});

/**
 * The body of an error response to a request for the URL path `path`. Its list of issues is empty. `type` is the
 * error's type in the common chat-completions format, which only paths under `/v1/` use.
 */
export function errorBody(path: string, type: string, code: string, message: string): object {
  const error = { message, type, param: null, code };
  return { code, message, issues: [], ...(path.startsWith("/v1/") && { error }) };
}

/** A sandbox with its own clock. It is in memory unless a file is named, and is closed when the test ends. */
export async function openSandbox({
  file = ":memory:",
  only,
  environment = {},
}: {
  readonly file?: string;
  /** Environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly only?: OperationSetName | undefined;
} = {}) {
  let now = start;
  const sandbox = await createSandbox({
    file,
    now: () => now,
    environment: (name) => environment[name],
    searchPath: environment.PATH,
    only,
  });
  onTestFinished(() => sandbox.close());
  const call = (id: OperationId, input: object = {}, key: string | null = sandbox.keys.full) =>
    sandbox.fetch(requestFor(id, input, key));
  return {
    ...sandbox,
    /** Moves the machine's clock, as the sandbox sees it, forward by `ms` milliseconds. */
    advance(ms: number) {
      now += ms;
    },
    call,
    /** The status and body of the response to an assumed operation. */
    async assumed(id: AssumedId, input: object = {}, key: string | null = sandbox.keys.full) {
      const { status, body } = await responseOf(sandbox.fetch(requestForAssumed(id, input, key)));
      if (status === 200) assumedOperations[id].output.parse(body);
      return { status, body };
    },
    /** The body of a 200 response, validated against the operation's schema. @throws for any other status */
    async ask<Id extends OperationId>(id: Id, ...[input]: InputArguments<Id>): Promise<OutputOf<Id>> {
      const response = await call(id, input);
      const body = await response.json();
      if (response.status !== 200) throw new Error(`${id}: ${JSON.stringify(body)}`);
      return outputs[id].output.parse(body);
    },
    /** The issues of a 400 response. @throws for any other status */
    async issuesOf(id: OperationId, input: object) {
      const response = await call(id, input);
      if (response.status !== 400) throw new Error(`${id} returned ${response.status}`);
      return badRequest.parse(await response.json()).issues;
    },
  };
}

async function responseOf(pending: Promise<Response>): Promise<{ status: number; body: unknown }> {
  const response = await pending;
  return { status: response.status, body: await response.json() };
}

type InputArguments<Id extends OperationId> =
  Record<never, never> extends InputOf<Id> ? [input?: InputOf<Id>] : [input: InputOf<Id>];

export const everyOperation = Object.keys(operations) as OperationId[];

/** A new sandbox, served over HTTP until the test ends. `post` sends a request with the sandbox's full-access key. */
export async function servedSandbox() {
  const sandbox = await openSandbox();
  const { url, close } = await serve(sandbox, { host: "127.0.0.1", port: 0 });
  onTestFinished(close);
  const headers = { authorization: `Bearer ${sandbox.keys.full}`, "content-type": "application/json" };
  return {
    sandbox,
    url,
    post: (path: string, body: object) =>
      fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) }),
  };
}
