import type { Context } from "hono";
import type { ServedId, ServedInputOf, ServedOutputOf } from "../../contract/assumed/served.ts";
import type { Environment } from "../environment.ts";
import type { Store } from "../store.ts";

/** What a handler knows of the call beside its input. */
export interface Call {
  readonly store: Store;
  /** What is served beside this. */
  readonly environment: Environment;
  /** The moment of the call, in milliseconds: one for all that it stamps and bills. */
  readonly now: number;
  /** Whose things the call is about; nobody's (`""`) when the operation is open. */
  readonly userId: string;
  /** For the operations that answer with something else than one JSON value. */
  readonly http: Context;
}

type Answer<Output> = Output | Response;

/** What does the work of one operation; its input is checked, and has the service's defaults. */
export type Handler<Id extends ServedId> = (
  input: ServedInputOf<Id>,
  call: Call,
) => Answer<ServedOutputOf<Id>> | Promise<Answer<ServedOutputOf<Id>>>;

export type Handlers<Ids extends ServedId = ServedId> = { readonly [Id in Ids]: Handler<Id> };
