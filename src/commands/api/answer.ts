import { STATUS_CODES } from "node:http";
import type { WholeAnswer } from "../../client/whole-answer.ts";
import type { Answer } from "../../output/answer.ts";
import { json } from "../../output/json.ts";

interface Printing {
  /** The status and the headers go first. */
  readonly head: boolean;
  readonly terminal: boolean;
}

/** An answer as it is printed: JSON as such, anything else as its bytes, or as text on a terminal; nothing when it is empty. */
export function printed(answer: WholeAnswer, { head, terminal }: Printing): Answer {
  const { bytes } = answer;
  const data = jsonOf(answer);
  if (!head) {
    if (data) return { data: data.value };
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

/** The value of an answer that is JSON by its type, or by its text where it has no type. */
function jsonOf(answer: WholeAnswer): { readonly value: unknown } | undefined {
  const type = answer.header("content-type");
  if (answer.bytes.length === 0 || (type !== null && !/[/+]json\b/i.test(type))) return undefined;
  try {
    return { value: JSON.parse(answer.text()) };
  } catch {
    return undefined;
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
