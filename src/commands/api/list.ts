import { describedOperations } from "../../client/described.ts";
import { UsageError } from "../errors.ts";
import type { Verb } from "../spec.ts";
import { nearest } from "./nearest.ts";

export const verb: Verb<object> = {
  run: async (_input, { describe }, { flags: { group } }) => {
    const all = describedOperations(await describe()).map(
      ({ id, method, path, tags, summary, deprecated }) => ({
        group: tags[0] ?? null,
        method,
        path,
        operationId: id,
        deprecated,
        summary,
        tags,
      }),
    );
    const groups = [...new Set(all.flatMap(({ tags }) => tags))];
    if (typeof group === "string" && !groups.includes(group)) {
      const like = nearest(group, groups);
      throw new UsageError(`the service has no group ${JSON.stringify(group)}`, {
        hint: `${like.length > 0 ? `Did you mean ${like.join(", ")}? ` : ""}There are: ${groups.join(", ")}.`,
      });
    }
    return { data: typeof group === "string" ? all.filter(({ tags }) => tags.includes(group)) : all };
  },
};
