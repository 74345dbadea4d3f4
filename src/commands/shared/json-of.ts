import { UnreadableAnswer } from "../../client/errors.ts";
import type { RequestParts } from "../../client/request.ts";
import type { WholeAnswer } from "../../client/whole-answer.ts";

/** What an answer to a read says as JSON. Throws `UnreadableAnswer` when it is none. */
export function jsonOf(
  answer: WholeAnswer,
  { method, path }: Pick<RequestParts, "method" | "path">,
): unknown {
  try {
    return JSON.parse(answer.text());
  } catch {
    throw new UnreadableAnswer(`the answer of ${method} ${path} is not JSON`, answer.status, {
      method,
      url: path,
    });
  }
}
