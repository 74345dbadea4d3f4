import process from "node:process";
import type { Piece } from "../client/pieces.ts";
import { createTransport } from "../client/transport.ts";
import { routes } from "../contract/generated/routes.ts";
import { type ClientOptions, checkOptions } from "./client-options.ts";
import type { Inputs, Outputs, StreamedId } from "./generated/types.ts";
import { clientFetch } from "./given-fetch.ts";
import { createSender, type RequestOptions, type Sender } from "./sender.ts";

export {
  AnswerCut,
  InsecureUrl,
  NetworkError,
  NoCredential,
  ServiceError,
  UnknownOutcome,
  UnreadableAnswer,
} from "../client/errors.ts";
export { InterruptedWrite } from "../client/interrupted.ts";
export type { Piece } from "../client/pieces.ts";
export type { ClientOptions, GivenFetch } from "./client-options.ts";
export type * from "./generated/types.ts";
export { InvalidInput } from "./invalid-input.ts";
export type { RequestOptions } from "./sender.ts";

/** Ids of the operations of the service: the names of the client's methods. */
export type OperationId = keyof Inputs;

/** Calls one operation; its input may be left out where nothing in it is required. */
export type Method<Id extends OperationId> =
  Record<never, never> extends Inputs[Id]
    ? (input?: Inputs[Id], options?: RequestOptions) => Promise<Outputs[Id]>
    : (input: Inputs[Id], options?: RequestOptions) => Promise<Outputs[Id]>;

type Methods = { readonly [Id in OperationId]: Method<Id> };

/** A method for each operation of the service, by its id. */
export interface Client extends Methods {
  /** Sends an operation and gives its answer in pieces as they come. It is sent when the first piece is asked for. */
  stream(id: StreamedId, input: Inputs[StreamedId], options?: RequestOptions): AsyncGenerator<Piece>;
  /** Ends the connections that are kept for later calls, and the calls under way. */
  close(): void;
}

/**
 * A client of the service. Reads that fail for a reason that may pass are tried again; nothing else is ever sent twice.
 * A deprecated operation is sent as what takes its place where the service's description lists that.
 * Its methods reject with `ServiceError` (the service refused), `NetworkError` (no answer, and trying again is safe),
 * `UnreadableAnswer`, `UnknownOutcome` (a write may have taken effect: look first), `InterruptedWrite`, and before
 * anything is sent with `InvalidInput`, `NoCredential` or `InsecureUrl`. A stream that breaks off throws `AnswerCut`.
 * @throws TypeError for an option that cannot be used
 * @example
 * const client = createClient({ baseUrl: "https://api.example.com", apiKey });
 * const rental = await client.createVirtualMachineRental({ gpuCount: 1 });
 */
export function createClient(options: ClientOptions): Client {
  checkOptions(options);
  const { fetch, close } = options.fetch
    ? { fetch: clientFetch(options.fetch), close: () => {} }
    : createTransport(process.env);
  const { send, stream } = createSender(options, fetch);
  return { ...methodsOf(send), stream, close };
}

function methodsOf(send: Sender["send"]): Methods {
  const ids = Object.keys(routes) as OperationId[];
  return Object.fromEntries(
    ids.map((id) => [id, (input: object = {}, options?: RequestOptions) => send(id, input, options)]),
  ) as Methods;
}
