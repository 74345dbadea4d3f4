import { onTestFinished } from "vitest";
import { call } from "../../src/client/call.ts";
import type { Exchange } from "../../src/client/fetch.ts";
import { list } from "../../src/client/list.ts";
import type { Target } from "../../src/client/request.ts";
import type { CallOptions } from "../../src/client/send.ts";
import { stream } from "../../src/client/stream.ts";
import { createTransport } from "../../src/client/transport/transport.ts";
import type { InputOf, OperationId } from "../../src/contract/index.ts";

type Options = Partial<Omit<CallOptions, "target" | "timeout">> & {
  readonly target?: Partial<Target>;
  /** Milliseconds for one attempt. */
  readonly timeout?: number;
};

export const key = "sk-test-0123456789";

/** The client on the real transport; delays are recorded and skipped. */
export function caller(baseUrl: string | undefined, { target, timeout = 20_000, ...others }: Options = {}) {
  const transport = createTransport();
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
    ...others,
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

/** A representative read and write. */
export const read = ["listStorageVolumes", {}] as const;
export const write = ["createVirtualMachineRental", { gpuCount: 1 }] as const;

/** The error that a promise rejects with. Throws if the promise is fulfilled. */
export const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    (value) => {
      throw new Error(`expected an error, got ${JSON.stringify(value)}`);
    },
    (error: Error) => error,
  );
