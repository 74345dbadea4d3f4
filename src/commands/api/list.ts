import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { UsageError } from "../../core/errors.ts";
import { describedOperations } from "../../openapi/described.ts";
import { suggestionHint } from "./find.ts";

export default defineCommand({
  path: "api list",
  summary: "List the operations that the service offers",
  details:
    "The list comes from the service's OpenAPI description. Fetching it needs no key, and gpuctl caches it for a day.",
  flags: { group: flag.text("List only the operations of this group", { value: "TAG" }) },
  view: {
    kind: "list",
    columns: [
      { title: "GROUP", paths: ["group"] },
      { title: "METHOD", paths: ["method"] },
      { title: "PATH", paths: ["path"], whole: true },
      { title: "OPERATION", paths: ["operationId"], priority: 1 },
      { title: "DEPRECATED", paths: ["deprecated"], format: "yes-no", priority: 3 },
      { title: "SUMMARY", paths: ["summary"], priority: 2 },
    ],
    empty: "The service offers no operations.",
    id: ["operationId"],
  },
  examples: [
    { text: "List all operations", command: "gpuctl api list --sandbox" },
    {
      text: "Print only the IDs of the operations for SSH keys",
      command: "gpuctl api list --group ssh-keys -o id --sandbox",
    },
  ],
  run: async ({ flags: { group }, describe }) => {
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
    if (group === undefined) return { data: all };
    const groups = [...new Set(all.flatMap(({ tags }) => tags))];
    if (!groups.includes(group)) {
      throw new UsageError(`the service has no group ${JSON.stringify(group)}`, {
        hint: `${suggestionHint(group, groups)}Groups: ${groups.join(", ")}.`,
      });
    }
    return { data: all.filter(({ tags }) => tags.includes(group)) };
  },
});
