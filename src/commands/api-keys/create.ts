import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { createKey } from "../../command-kit/described/keys.ts";
import { differentFields } from "../../command-kit/described/offered.ts";
import { flag } from "../../command-kit/flag.ts";
import { UsageError } from "../../core/errors.ts";
import { scalarText, shownAt } from "../../core/json.ts";
import { idOf } from "../../core/responses/rental.ts";
import { invalidValues } from "../../core/text.ts";
import { apiKeyFields, bodyOf } from "../../openapi/resources.ts";
import { apiKeyOperation, columns, listApiKeys } from "./keys.ts";

/** Where a response may have the value of a new key. */
const valuePaths = ["apiKey", "api_key", "key", "token", "secret", "value"];

export default defineCommand({
  path: "api-keys create",
  summary: "Create an API key, and print its value once",
  details:
    "The value is printed on stdout and nowhere else: it is not stored, and the service does not show it again. `gpuctl auth login` stores a key for gpuctl itself.",
  effect: "write",
  args: [arg.text("NAME", "Name of the key", { required: true })],
  flags: {
    access: flag.text("Access that the key grants, such as read-only", {
      value: "ACCESS",
      defaultText: "chosen by the service",
    }),
  },
  view: {
    kind: "record",
    columns: [...columns, { title: "KEY", paths: valuePaths }],
    id: ["id"],
  },
  examples: [
    {
      text: "Create a key that can only read",
      command: "gpuctl api-keys create ci --access read-only --sandbox",
    },
    {
      text: "Save a new key, including its value, to a file",
      command: "gpuctl api-keys create ci -o json --sandbox > key.json",
    },
  ],
  run: async ({ args: { name }, flags: { access }, ...context }) => {
    const { say, settings } = context;
    if (name === "") throw new UsageError("NAME must not be empty");
    if (settings.output === "id") {
      throw new UsageError("--output id prints only the ID, and the value of the key would be lost", {
        hint: "Nothing was sent. Use --output json.",
      });
    }
    const { found: operation, description } = await apiKeyOperation("create", context);
    const { body, unknown } = bodyOf(description, operation, apiKeyFields(name, access));
    if (unknown.length > 0) throw differentFields("create API keys", operation.id, unknown);
    if (settings.validate && operation.body?.schema !== undefined) {
      const { limitedPatterns, schemaIssues } = await import("../../openapi/schema-check.ts");
      const check = { description, fromText: false, patterns: limitedPatterns() };
      const issues = schemaIssues(operation.body.schema, body, check) ?? [];
      const flagOf = (field: unknown) => (field === Object.keys(body)[0] ? "NAME" : "--access");
      if (issues.length > 0) {
        throw invalidValues(
          issues.map(({ path, message }) => ({ flag: flagOf(path[0]), message })),
          "Nothing was sent.",
        );
      }
    }
    const { method, path } = operation;
    const data = await createKey(
      {
        title: "Creating the key",
        list: listApiKeys,
        look: "`gpuctl api-keys list` shows whether the key was created. If so, revoke it, because its value is lost.",
      },
      { method, path, host: "compute", body: JSON.stringify(body) },
      context,
    );
    context.setFailureContext(
      `Key ${idOf(data) ?? name} was created. Its value is lost, so revoke it and create another.`,
      { evenIfUnread: true },
    );
    if (!settings.dryRun) say("Save the value now: it is not shown again.");
    // If it is not clear which field is the value of the key, the whole response is printed.
    const values = valuePaths.map((path) => shownAt(data, [path])).filter((value) => value !== undefined);
    const isClear = values.length === 1 && scalarText(values[0]) !== "";
    return isClear ? { data } : { data, view: { kind: "record", id: ["id"] } };
  },
});
