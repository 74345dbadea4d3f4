import { STATUS_CODES } from "node:http";
import type { WholeAnswer } from "../../client/whole-answer.ts";
import type { Answer } from "../../output/answer.ts";
import { json } from "../../output/json.ts";
import { jsonOf } from "../shared/json-of.ts";
import { type Drawing, shown } from "./shown.ts";

interface Printing {
  /** The status and the headers go first. */
  readonly head: boolean;
  readonly terminal: boolean;
  readonly settings: Drawing;
}

/** An answer as it is printed: JSON as such, anything else as its bytes, or as text on a terminal; nothing when it is
 * empty. Throws `UnreadableAnswer` for what says that it is JSON and is not. */
export function printed(answer: WholeAnswer, { head, terminal, settings }: Printing): Answer {
  const { bytes } = answer;
  const data = saysJson(answer) ? { value: jsonOf(answer) } : undefined;
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
function saysJson(answer: WholeAnswer): boolean {
  if (answer.bytes.length === 0) return false;
  const type = answer.header("content-type");
  if (type !== null) return /[/+]json\b/i.test(type);
  try {
    JSON.parse(answer.text());
    return true;
  } catch {
    return false;
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
