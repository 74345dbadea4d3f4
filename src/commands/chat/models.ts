import { describedOperations } from "../../client/described.ts";
import { NotOffered } from "../errors.ts";
import { jsonOf } from "../shared/json-of.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { describe, request }) => {
    const listed = describedOperations(await describe({ orDocumented: true }));
    const operation = listed.find(
      ({ method, path }) => method === "GET" && /^\/v1\/(chat\/)?models$/.test(path),
    );
    if (operation === undefined) {
      throw new NotOffered(
        "the service lists no operation for its chat models",
        "Its documentation names them; --model takes any name, and `gpuctl config set chat.model NAME` keeps one.",
      );
    }
    const parts = { host: "inference", method: "GET", path: operation.path } as const;
    return { data: jsonOf(await request(parts)) };
  },
};
