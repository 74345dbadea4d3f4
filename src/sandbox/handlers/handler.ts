import type { ServedId, ServedInputOf, ServedOutputOf } from "../assumed/index.ts";
import type { Exchange, PlainResponse } from "../http/exchange.ts";
import type { OperationSet } from "../operation-set.ts";
import type { AddressesOf } from "../rentals/record.ts";
import type { RecordTexts } from "../rentals/record-texts.ts";
import type { Store } from "../store/queries.ts";

/** What a handler gets besides its input. */
export interface Call {
  readonly store: Store;
  /** Returns the value of an environment variable, which may hold the key of an engine. */
  readonly environment: (name: string) => string | undefined;
  readonly addressesOf: AddressesOf;
  readonly recordTexts: RecordTexts;
  /** All operations that are served. */
  readonly operationSet: OperationSet;
  /** The time of the call, in milliseconds since 1970. All timestamps and costs of the call use this time. */
  readonly now: number;
  /** The ID of the user who calls; empty when the operation requires no key. */
  readonly userId: string;
  /** For operations that need the request, or whose response is not one JSON value. */
  readonly exchange: Exchange;
}

type Result<Output> = Output | PlainResponse;

/** Performs an operation. Its input is checked and has the service's defaults filled in. */
export type Handler<Id extends ServedId> = (
  input: ServedInputOf<Id>,
  call: Call,
) => Result<ServedOutputOf<Id>> | Promise<Result<ServedOutputOf<Id>>>;

export type Handlers<Ids extends ServedId = ServedId> = { readonly [Id in Ids]: Handler<Id> };
