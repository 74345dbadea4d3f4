import type { CompletionChunk } from "../client/completion/chunks.ts";
import { createTransport } from "../client/transport.ts";
import { routes } from "../contract/generated/routes.ts";
import { type ClientOptions, clientOptionRules } from "./client-options.ts";
import type { Inputs, Outputs, StreamedId } from "./generated/types.ts";
import { clientFetch } from "./given-fetch.ts";
import { checkOptions } from "./options.ts";
import { createSender, type RequestOptions, type Sender } from "./sender.ts";

export type { CompletionChunk } from "../client/completion/chunks.ts";
export {
  InsecureUrl,
  InterruptedWrite,
  InvalidResponse,
  NetworkError,
  NoCredential,
  ResponseTooLarge,
  ServiceError,
  StreamTruncated,
  UnknownOutcome,
} from "../core/service-errors.ts";
export type { ClientOptions, GivenFetch } from "./client-options.ts";
export type * from "./generated/types.ts";
export { InvalidInput, type RequestOptions } from "./sender.ts";

/** The ids of the service's operations, which are the names of the client's methods. */
export type OperationId = keyof Inputs;

/** Calls one operation; the input is optional if no field of it is required. */
export type Method<Id extends OperationId> =
  Record<never, never> extends Inputs[Id]
    ? (input?: Inputs[Id], options?: RequestOptions) => Promise<Outputs[Id]>
    : (input: Inputs[Id], options?: RequestOptions) => Promise<Outputs[Id]>;

type Methods = { readonly [Id in OperationId]: Method<Id> };

/** A method for each operation of the service, by its id. */
export interface Client extends Methods {
  /** Streams the response of an operation. The request is sent when the first chunk is read. */
  stream(
    id: StreamedId,
    input: Inputs[StreamedId],
    options?: RequestOptions,
  ): AsyncGenerator<CompletionChunk>;
  /**
   * Closes all connections and ends pending calls. With a `fetch` of your own it does nothing: end those calls with their
   * `signal`.
   */
  close(): void;
}

/**
 * Creates a client of the service. Reads that fail for a temporary reason are retried; writes are sent once.
 * A deprecated operation is sent as its replacement if the service's description lists the replacement.
 * Methods reject with `ServiceError` (the service returned an error), `NetworkError` (no response; retrying is safe),
 * `InvalidResponse`, `ResponseTooLarge`, `UnknownOutcome` (a write may have taken effect; check before retrying) or
 * `InterruptedWrite`, and before a request is sent with `InvalidInput`, `NoCredential` or `InsecureUrl`. A stream that breaks off throws
 * `StreamTruncated`.
 * @throws TypeError when an option is invalid
 * @example
 * const client = createClient({ baseUrl: "https://api.example.com", apiKey });
 * const rental = await client.createVirtualMachineRental({ gpuCount: 1 });
 */
export function createClient(options: ClientOptions): Client {
  checkOptions("createClient", options, clientOptionRules, ["baseUrl", "apiKey"]);
  const { fetch, close } = options.fetch
    ? { fetch: clientFetch(options.fetch), close: () => {} }
    : createTransport();
  const { send, stream } = createSender(options, fetch, warn);
  return { ...methodsOf(send), stream, close };
}

/** Emits a process warning: a list can be incomplete although the call succeeds, and an array cannot say so itself. */
const warn = (message: string): void => globalThis.process.emitWarning(message, "GpuctlWarning");

function methodsOf(send: Sender["send"]): Methods {
  const ids = Object.keys(routes) as OperationId[];
  return Object.fromEntries(
    ids.map((id) => [id, (input: object = {}, options?: RequestOptions) => send(id, input, options)]),
  ) as Methods;
}
