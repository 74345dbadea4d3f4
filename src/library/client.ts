import type { CompletionChunk } from "../client/completion/chunks.ts";
import { createTransport } from "../client/transport/transport.ts";
import { routes } from "../contract/generated/routes.ts";
import { type ClientOptions, clientOptionRules, type RequestOptions } from "./client-options.ts";
import { type CallPromise, type Connection, createConnection } from "./connection.ts";
import { anyRecords, callAny, type DescribedId, describedCalls } from "./described.ts";
import { documentedRecords, isDocumented, sendDocumented, streamDocumented } from "./documented.ts";
import type {
  ApiKey,
  Balance,
  ChatModel,
  CreatedApiKey,
  Id,
  Inputs,
  Invoice,
  Outputs,
  RentalOption,
  RentalTerminated,
  SshKey,
  StreamedId,
  UsageLine,
} from "./generated/types.ts";
import { clientFetch } from "./given-fetch.ts";
import { checkOptions } from "./options.ts";
import {
  terminateRental,
  type WaitOptions,
  type WaitState,
  waitForState,
  waitOptionRules,
} from "./rentals.ts";

export type { CompletionChunk } from "../client/completion/chunks.ts";
export { NotOffered, RentalFailed, UnexpectedResponse, WaitedTooLong } from "../core/errors.ts";
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
export type { ClientOptions, GivenFetch, Logger, RequestOptions } from "./client-options.ts";
export type { CallPromise, WithResponse } from "./connection.ts";
export {
  BadRequest,
  Conflict,
  Forbidden,
  InvalidInput,
  NotFound,
  RateLimited,
  RentalGone,
  ServerError,
  Unauthorized,
} from "./errors.ts";
export type * from "./generated/types.ts";
export type { WaitOptions, WaitState } from "./rentals.ts";

/** The ids of the documented operations, which are the names of the client's methods. */
export type OperationId = keyof Inputs;

/** The documented operations that return a list. */
export type ListId = {
  [Id in OperationId]: Outputs[Id] extends readonly unknown[] ? Id : never;
}[OperationId];

/** Calls one operation. The input is optional if the operation requires no field. */
export type Method<Id extends OperationId> =
  Record<never, never> extends Inputs[Id]
    ? (input?: Inputs[Id], options?: RequestOptions) => CallPromise<Outputs[Id]>
    : (input: Inputs[Id], options?: RequestOptions) => CallPromise<Outputs[Id]>;

type Methods = { readonly [Id in OperationId]: Method<Id> };

/** Calls an operation without input. */
type Read<Result> = (input?: Record<string, never>, options?: RequestOptions) => CallPromise<Result>;

/**
 * Operations that the service's documentation does not describe: it only names their groups. The client finds them in
 * the service's OpenAPI description, and rejects with `NotOffered` if the description does not list them. The results
 * have the fields that such services usually send. All fields are optional.
 */
interface DescribedMethods {
  /** Lists what can be rented, with its price. */
  readonly listRentalOptions: Read<RentalOption[]>;
  /** Lists the chat models. */
  readonly listChatModels: Read<ChatModel[]>;
  /** Gets the remaining credit. */
  readonly getBalance: Read<Balance>;
  /** Lists the cost of each rental. */
  readonly listUsage: Read<UsageLine[]>;
  /** Lists the invoices. */
  readonly listInvoices: Read<Invoice[]>;
  /** Lists the API keys, without their values. */
  readonly listApiKeys: Read<ApiKey[]>;
  /** Creates an API key. Its value is in the result, and the service does not show it again. */
  readonly createApiKey: (
    input: { readonly name: string; readonly access?: string | undefined },
    options?: RequestOptions,
  ) => CallPromise<CreatedApiKey>;
  /** Revokes an API key. */
  readonly revokeApiKey: (
    input: { readonly id: Id },
    options?: RequestOptions,
  ) => CallPromise<{ readonly success?: boolean }>;
  /** Lists the SSH public keys. */
  readonly listSshKeys: Read<SshKey[]>;
  /** Adds an SSH public key. */
  readonly createSshKey: (
    input: { readonly name: string; readonly publicKey: string },
    options?: RequestOptions,
  ) => CallPromise<SshKey>;
  /** Deletes an SSH public key. */
  readonly deleteSshKey: (
    input: { readonly id: Id },
    options?: RequestOptions,
  ) => CallPromise<{ readonly success?: boolean }>;
}

/**
 * A method for each documented operation, named by its id, and methods for some common operations that the
 * documentation does not describe. `call` sends any other operation.
 */
export interface Client extends Methods, DescribedMethods {
  /**
   * Terminates a rental with the operation that the service's OpenAPI description lists. Also succeeds if the rental
   * has already ended or is already ending. Rejects with `RentalGone` if the rental does not exist, and with
   * `NotOffered` if the description does not show which operation terminates the rental.
   */
  terminateRental(input: { readonly rentalId: Id }, options?: RequestOptions): CallPromise<RentalTerminated>;
  /**
   * Waits until a rental is `running` (the default), `active` or `terminated`, and returns its record. Rejects with
   * `WaitedTooLong` at the timeout, and with `RentalGone` if the rental does not exist. When it waits for `running` or
   * `active`, also rejects with `RentalFailed` if the rental has failed, and with `RentalGone` if it has ended.
   */
  waitFor(
    input: { readonly rentalId: Id; readonly state?: WaitState | undefined },
    options?: WaitOptions,
  ): CallPromise<NonNullable<Outputs["getRental"]>>;
  /**
   * Calls any operation of the service, by its id in the OpenAPI description or by its method and path, such as
   * `DELETE /v2/api-keys/{id}`. The input has the fields of the path, the query, the headers and the body. The result
   * is the parsed JSON of the response, or null if the response is empty. If the response is not JSON, the result is a
   * string for text, and bytes for any other media type. Where JSON is documented or described, a response that is not
   * JSON can be an error instead, and so can an empty one.
   */
  call<Result = unknown>(
    operation: string,
    input?: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): CallPromise<Result>;
  /** Iterates over the records of a list. A page is requested when its first record is needed. */
  iterate<Id extends ListId>(
    operation: Id,
    input?: Inputs[Id],
    options?: RequestOptions,
  ): AsyncGenerator<Outputs[Id][number]>;
  /** Iterates over the records of any list in the OpenAPI description. `operation` names the list as in `call`. */
  iterate<Item = unknown>(
    operation: string,
    input?: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): AsyncGenerator<Item>;
  /** Streams the response of an operation. The request is sent when the first chunk is read. */
  stream(
    id: StreamedId,
    input: Inputs[StreamedId],
    options?: RequestOptions,
  ): AsyncGenerator<CompletionChunk>;
  /**
   * Closes all connections and aborts pending calls: they reject with an `AbortError`, or with `InterruptedWrite` if a
   * write was already sent. If the client uses a `fetch` of your own, this does nothing: end pending calls with their
   * `signal`.
   */
  close(): void;
}

/**
 * Creates a client of the service. Reads that fail for a temporary reason are retried; writes are sent once. A
 * deprecated operation on rentals is sent as its replacement if the service's OpenAPI description lists one that fits.
 * Methods can reject with these errors, among others:
 * - `ServiceError`: the service returned an error. Its subclass, such as `Conflict`, depends on the status.
 * - `NetworkError`: the network failed or the request timed out. Retrying is safe.
 * - `InvalidResponse` or `ResponseTooLarge`: the response cannot be used.
 * - `UnknownOutcome`: a write may have taken effect. Check before retrying.
 * - `InterruptedWrite`: a call was aborted after its write was sent.
 * - `InvalidInput`, `NotOffered`, `NoCredential` or `InsecureUrl`: the request was not sent.
 *
 * A stream that breaks off throws `StreamTruncated`.
 * @throws TypeError when an option is invalid
 * @example
 * const client = createClient({ baseUrl: "https://api.example.com", apiKey });
 * const rental = await client.createVirtualMachineRental({ gpuCount: 1 });
 */
export function createClient(options: ClientOptions): Client {
  checkOptions("createClient", options, clientOptionRules, ["baseUrl", "apiKey"]);
  const transport = options.fetch
    ? { fetch: clientFetch(options.fetch), close: undefined }
    : createTransport();
  const connection = createConnection(options, transport.fetch);
  const { run, iterate } = connection;
  return {
    ...methodsOf(connection),
    terminateRental: (input, given) =>
      run("terminateRental", given, (open) => terminateRental(input, open)) as CallPromise<RentalTerminated>,
    waitFor: (input, given = {}) =>
      run("waitFor", given, (open) => waitForState(input, given, open), waitOptionRules) as CallPromise<
        NonNullable<Outputs["getRental"]>
      >,
    call: <Result>(operation: string, input: unknown = {}, given?: RequestOptions) =>
      run(String(operation), given, (open) =>
        isDocumented(operation) ? sendDocumented(operation, input, open) : callAny(operation, input, open),
      ) as CallPromise<Result>,
    iterate: <Item>(operation: string, input: unknown = {}, given?: RequestOptions) =>
      iterate(String(operation), given, (open) =>
        isDocumented(operation)
          ? documentedRecords(operation, input, open)
          : anyRecords(operation, input, open),
      ) as AsyncGenerator<Item>,
    stream: (id, input, given) => iterate("stream", given, (open) => streamDocumented(id, input, open)),
    close: () => {
      if (transport.close === undefined) return;
      // Calls are aborted first, because a read whose connection is closed would be retried.
      connection.abortCalls();
      transport.close();
    },
  };
}

/** The methods that are named after an operation. */
function methodsOf({ run }: Connection): Methods & DescribedMethods {
  const documented = (Object.keys(routes) as OperationId[]).map((id) => [
    id,
    (input: unknown = {}, given?: RequestOptions) =>
      run(id, given, (open) => sendDocumented(id, input, open)),
  ]);
  const described = (Object.keys(describedCalls) as DescribedId[]).map((id) => [
    id,
    (input: unknown = {}, given?: RequestOptions) =>
      run(id, given, (open) => describedCalls[id](input, open)),
  ]);
  return Object.fromEntries([...documented, ...described]) as Methods & DescribedMethods;
}
