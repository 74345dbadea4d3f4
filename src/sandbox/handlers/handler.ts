import type { Context } from "hono";
import type { AssumedId, AssumedInputOf, AssumedOutputOf } from "../../contract/assumed/index.ts";
import type { CheckedInputOf, OperationId, OutputOf } from "../../contract/index.ts";
import type { Store } from "../store.ts";

/** What a handler knows of the call beside its input. */
export interface Call {
  readonly store: Store;
  /** The moment of the call, in milliseconds: one for all that it stamps and bills. */
  readonly now: number;
  /** Whose things the call is about; nobody's (`""`) when the operation is open. */
  readonly userId: string;
  /** For the operations that answer with something else than one JSON value. */
  readonly http: Context;
}

type Answer<Output> = Output | Response;

/** What does the work of one operation; its input is checked, and has the service's defaults. */
export type Handler<Id extends OperationId> = (
  input: CheckedInputOf<Id>,
  call: Call,
) => Answer<OutputOf<Id>> | Promise<Answer<OutputOf<Id>>>;

export type Handlers<Ids extends OperationId = OperationId> = { readonly [Id in Ids]: Handler<Id> };

/** The same for an operation that the sandbox assumes. */
export type AssumedHandler<Id extends AssumedId> = (
  input: AssumedInputOf<Id>,
  call: Call,
) => Answer<AssumedOutputOf<Id>> | Promise<Answer<AssumedOutputOf<Id>>>;

export type AssumedHandlers<Ids extends AssumedId = AssumedId> = {
  readonly [Id in Ids]: AssumedHandler<Id>;
};
