import { UnknownOutcome, UnreadableAnswer } from "../../client/errors.ts";
import { isRead } from "../../client/request.ts";
import type { WholeAnswer } from "../../client/whole-answer.ts";

/**
 * What an answer says as JSON. Throws `UnreadableAnswer` when it is none, and `UnknownOutcome` when it answers what may
 * have changed something.
 */
export function jsonOf(answer: WholeAnswer): unknown {
  const { request, status } = answer;
  try {
    return JSON.parse(answer.text());
  } catch {
    const empty = answer.bytes.length === 0;
    const reason = empty ? `the service answered ${status} with nothing in it` : "the answer is not JSON";
    throw isRead(request)
      ? new UnreadableAnswer(reason, status, request)
      : new UnknownOutcome(reason, status, request);
  }
}
