import { onTestFinished } from "vitest";
import { type CallOptions, call } from "../../src/client/call.ts";
import type { Exchange } from "../../src/client/exchange.ts";
import { list } from "../../src/client/list.ts";
import type { Target } from "../../src/client/request.ts";
import { stream } from "../../src/client/stream.ts";
import { createTransport } from "../../src/client/transport.ts";
import type { InputOf, OperationId } from "../../src/contract/index.ts";

type Wishes = Partial<Omit<CallOptions, "target" | "timeout">> & {
  readonly target?: Partial<Target>;
  /** Milliseconds for one try. */
  readonly timeout?: number;
};

export const key = "sk-test-0123456789";

/** The client on the real transport; pauses are noted instead of waited. */
export function caller(baseUrl: string | undefined, { target, timeout = 20_000, ...wishes }: Wishes = {}) {
  const transport = createTransport(process.env);
  onTestFinished(transport.close);
  const slept: number[] = [];
  const exchanges: Exchange[] = [];
  const options: CallOptions = {
    fetch: transport.fetch,
    target: {
      baseUrl,
      inferenceBaseUrl: undefined,
      apiKey: key,
      userAgent: "gpuctl/1.2.3",
      insecureHttp: false,
      ...target,
    },
    timeout: { compute: timeout, inference: timeout },
    retries: 3,
    random: () => 1,
    now: () => Date.parse("2026-11-20T12:00:00Z"),
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
    },
    observe: (exchange) => exchanges.push(exchange),
    ...wishes,
  };
  return {
    slept,
    exchanges,
    close: transport.close,
    call: <Id extends OperationId>(id: Id, input: InputOf<Id>) => call(id, input, options),
    list: <Id extends OperationId>(id: Id, input: InputOf<Id>) => list(id, input, options),
    stream: <Id extends OperationId>(id: Id, input: InputOf<Id>) => stream(id, input, options),
  };
}

/** A read and a write that stand for all of their kind. */
export const read = ["listStorageVolumes", {}] as const;
export const write = ["createVirtualMachineRental", { gpuCount: 1 }] as const;

/** The error that a promise must end in. */
export const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    (value) => {
      throw new Error(`it worked: ${JSON.stringify(value)}`);
    },
    (error: Error) => error,
  );
