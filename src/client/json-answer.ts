import type { ReadAnswer, Sent } from "./attempt.ts";
import { orAborted } from "./deadline.ts";
import { readText } from "./fetch.ts";
import { unreadable } from "./outcome.ts";
import type { Attempt } from "./retry.ts";

/** Reads a success to its end, as JSON. */
export const readJsonAnswer: ReadAnswer<unknown> = async (answer, sent) =>
  jsonAnswer(await orAborted(readText(answer), sent.limit.signal), answer.status, sent);

/** What the whole text of a success says, or the error that it says nothing of what was asked. */
export function jsonAnswer(
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
