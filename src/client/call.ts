import type { InputOf, OperationId, OutputOf } from "../contract/index.ts";
import { orAborted } from "./deadline.ts";
import { readText } from "./fetch.ts";
import { unreadable } from "./outcome.ts";
import type { Attempt } from "./retry.ts";
import { type CallOptions, type ReadAnswer, type Sent, send } from "./send.ts";

export type { CallOptions };

/** One operation and its input in, its answer out. A read that is not worth waiting for may be held to less. */
export type Call = <Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options?: Partial<Pick<CallOptions, "retries" | "timeout">>,
) => Promise<OutputOf<Id>>;

/**
 * Sends an operation and gives back its answer, unchanged. Reads are tried again; nothing else ever is.
 * Where the path is unknown to the service, the older path that it replaced is asked instead.
 * Throws `ServiceError`, `NetworkError`, `UnreadableAnswer` or `UnknownOutcome`, and before anything is sent
 * `NoBaseUrl`, `NoCredential` or `InsecureUrl`.
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options: CallOptions,
): Promise<OutputOf<Id>> {
  return (await send(id, input, readWhole, options)) as OutputOf<Id>;
}

const readWhole: ReadAnswer<unknown> = async (answer, sent) =>
  wholeAnswer(await orAborted(readText(answer), sent.limit.signal), answer.status, sent);

/** What the whole text of a success says, as JSON. */
export function wholeAnswer(
  text: string,
  status: number,
  { request, host }: Pick<Sent, "request" | "host">,
): Attempt<unknown> {
  const created = request.method === "POST" && host === "compute";
  const body = text === "" ? emptyAnswer(request.method, status) : readJson(text);
  if (body === undefined || (created && body.value === null)) {
    return { error: unreadable(status, text, request), again: false };
  }
  return body;
}

/** A deletion and a change may answer with nothing; whatever else does has not said what was asked. */
const emptyAnswer = (method: string, status: number): { readonly value: null } | undefined =>
  method === "DELETE" || method === "PUT" || (method === "GET" && status === 204)
    ? { value: null }
    : undefined;

function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
