import { STATUS_CODES } from "node:http";
import { type ErrorBody, errors } from "../../contract/errors.ts";
import type { Effect } from "../tables/faults.ts";

/** The service's own error body of a status; where it has none, one of the same shape that is named like the status. */
function errorBodyOf(status: number): ErrorBody {
  const known = Object.entries(errors).find(([, error]) => error.status === status);
  if (known) return { code: known[0], message: known[1].message, issues: [] };
  const [first = "", ...rest] = (STATUS_CODES[status] ?? `Status ${status}`).split(" ");
  const message = [first, ...rest.map((word) => word.toLowerCase())].join(" ");
  return { code: message.toUpperCase().replaceAll(/\W+/g, "_"), message, issues: [] };
}

const garbage = "\u0007{this is no JSON";

/** An answer in the place of the service's, and the error that it tells of. */
interface FaultAnswer {
  readonly response: Response;
  readonly problem: ErrorBody | undefined;
}

/** What a fault answers in the place of the service; nothing when the service answers. */
export function answerOf({ status, garbage: isGarbage, retryAfterSeconds }: Effect): FaultAnswer | undefined {
  if (status === undefined && !isGarbage) return undefined;
  const headers = {
    "content-type": "application/json",
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  };
  const problem = isGarbage || status === undefined ? undefined : errorBodyOf(status);
  const body = problem === undefined ? garbage : JSON.stringify(problem);
  return { response: new Response(body, { status: status ?? 200, headers }), problem };
}
