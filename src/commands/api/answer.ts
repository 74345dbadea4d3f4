import { STATUS_CODES } from "node:http";
import type { DescribedOperation } from "../../client/described.ts";
import type { WholeAnswer } from "../../client/whole-answer.ts";
import type { Answer } from "../../output/answer.ts";
import { json } from "../../output/json.ts";
import { jsonOf } from "../shared/json-of.ts";
import { type Drawing, shown } from "./shown.ts";

interface Printing {
  /** What the description says of the operation. */
  readonly operation: DescribedOperation | undefined;
  /** The status and the headers go first. */
  readonly head: boolean;
  readonly terminal: boolean;
  readonly settings: Drawing;
}

/**
 * An answer as it is printed: JSON as such, anything else as its bytes, or as text on a terminal; nothing when it is
 * empty and may be. Throws `UnreadableAnswer`, or `UnknownOutcome` for a write, for what was to be JSON and is not.
 */
export function printed(answer: WholeAnswer, { operation, head, terminal, settings }: Printing): Answer {
  const { bytes } = answer;
  const data = isToBeJson(answer, operation) ? { value: jsonOf(answer) } : undefined;
  if (!head) {
    if (data) return shown(data.value, settings);
    if (bytes.length === 0) return { exitCode: 0 };
    return terminal ? { text: once(answer.text()) } : { bytes };
  }
  const body = data ? Buffer.from(json(data.value, terminal)) : bytes;
  const whole = Buffer.concat([Buffer.from(headText(answer)), body]);
  return terminal ? { text: once(whole.toString()) } : { bytes: whole };
}

const headText = ({ status, headers }: WholeAnswer): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd(),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    "\n",
  ].join("\n");

/** Whether an answer is JSON by its type; one without a type is, when it can be read as JSON. */
function isToBeJson(answer: WholeAnswer, operation: DescribedOperation | undefined): boolean {
  const type = answer.header("content-type");
  const typed = type !== null && /[/+]json\b/i.test(type);
  if (answer.bytes.length === 0) {
    const mayBeEmpty = withoutBody.has(answer.status) || answer.request.method === "HEAD";
    return !mayBeEmpty && (typed || isPromised(answer, operation));
  }
  if (type !== null) return typed;
  try {
    JSON.parse(answer.text());
    return true;
  } catch {
    return false;
  }
}

/** Successes that have nothing in them by what they are. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** Whether the description says that such an answer is JSON. What it says of all others is not about one that it names. */
function isPromised({ status }: WholeAnswer, operation: DescribedOperation | undefined): boolean {
  const responses = operation?.responses ?? [];
  const others = responses.some((one) => /^2/.test(one.status)) ? [] : ["default"];
  const [said] = [String(status), "2XX", ...others].flatMap((name) =>
    responses.filter((one) => one.status.toUpperCase() === name.toUpperCase()),
  );
  return said?.schema !== undefined;
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
