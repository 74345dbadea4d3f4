import type { InputOf, OperationId, OutputOf } from "../contract/index.ts";
import type { CallOptions } from "./call-options.ts";
import { readJsonAnswer } from "./json-answer.ts";
import { type Reader, send } from "./send.ts";

export type { CallOptions };

/** One operation and its input in, its answer out. A read that is not worth waiting for may be held to less. */
export type Call = <Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options?: Partial<Pick<CallOptions, "retries" | "timeout">>,
) => Promise<OutputOf<Id>>;

/**
 * Sends an operation and gives back its answer, unchanged; of one that comes in pages, the records of all of them.
 * Throws `ServiceError`, `NetworkError`, `UnreadableAnswer` or `UnknownOutcome`, and before anything is sent
 * `NoBaseUrl`, `NoCredential` or `InsecureUrl`.
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options: CallOptions,
): Promise<OutputOf<Id>> {
  return (await send(id, input, whole, options)) as OutputOf<Id>;
}

const whole: Reader<unknown> = {
  answer: readJsonAnswer,
  pages: async (pages) => {
    const records: unknown[] = [];
    for await (const page of pages) {
      for (const record of page) records.push(record);
    }
    return records;
  },
};
