import { type DescribedOperation, describedOperations } from "../../client/described.ts";
import type { Description } from "../../client/document.ts";
import { NotOffered } from "../errors.ts";
import { jsonOf } from "../shared/json-of.ts";
import { noDescription } from "../shared/no-description.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { describe, request }) => {
    const orDocumented = (documented: Description) => listing(documented) !== undefined;
    const description = await describe({ orDocumented }).catch((error: unknown) => {
      throw noDescription(error, "the service lists its chat models", elsewhere);
    });
    const operation = listing(description);
    if (operation === undefined) {
      throw new NotOffered("the service lists no operation for its chat models", elsewhere);
    }
    const parts = { host: "inference", method: "GET", path: operation.path } as const;
    return { data: jsonOf(await request(parts)) };
  },
};

const elsewhere =
  "Its documentation names them; --model takes any name, and `gpuctl config set chat.model NAME` keeps one.";

/** The operation that lists the chat models. */
const listing = (description: Description): DescribedOperation | undefined =>
  describedOperations(description).find(
    ({ method, path }) => method === "GET" && /^\/v1\/(chat\/)?models$/.test(path),
  );
