import { JSONParser } from "@streamparser/json";

/**
 * The elements of a JSON array, those together that came together; only they are held in memory. Throws what `broken`
 * makes of the reason when the bytes are no array, or not all of one, after the elements before the fault.
 */
export async function* jsonArrayElements(
  chunks: AsyncIterable<Uint8Array>,
  broken: (reason: string) => Error,
): AsyncGenerator<readonly unknown[]> {
  const ready: unknown[] = [];
  const parser = new JSONParser({ paths: ["$.*"], keepStack: false });
  parser.onValue = ({ value }) => {
    ready.push(value);
  };
  for await (const chunk of chunks) {
    const fault = faultOf(() => parser.write(chunk));
    if (ready.length > 0) yield ready.splice(0);
    if (fault !== undefined) throw broken(fault);
  }
  if (!parser.isEnded) throw broken("the answer ends before its list does");
}

function faultOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (cause) {
    const place = /absolute position "(\d+)"/.exec(String(cause))?.[1];
    return `the answer is not JSON${place === undefined ? "" : ` from byte ${place} on`}`;
  }
}
