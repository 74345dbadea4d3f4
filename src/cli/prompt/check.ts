import { kebab } from "../../command-kit/tree.ts";
import type { Issue } from "../../contract/check/check.ts";
import { loaders } from "../../contract/generated/loaders.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { OperationId } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { valueAt } from "../../core/json.ts";
import { didYouMean, invalidValues } from "../../core/text.ts";
import type { Invocation } from "../parse/program.ts";
import { flagFor } from "../parse/values.ts";

/**
 * Whether the service's description lists a value that the contract does not list; undefined if the description could
 * not be fetched.
 */
export type IsListedFor = (
  id: OperationId,
  path: Issue["path"],
  value: string,
) => Promise<boolean | undefined>;

const load = (id: OperationId): Promise<Operation> => loaders[id]();

/** Loads the contract's check of an operation's input. */
export async function contractCheck(id: OperationId) {
  const [{ check }, operation] = await Promise.all([import("../../contract/check/check.ts"), load(id)]);
  return (input: object) => check(operation, input, { isSingle: true });
}

/**
 * Checks an input against the contract, and accepts choices that only the service's description lists. Throws a
 * `UsageError` that names each invalid flag and lists flags with the same problem together.
 */
export async function checkInput(
  id: OperationId,
  input: object,
  invocation: Pick<Invocation, "command" | "flags">,
  isListed: IsListedFor,
): Promise<void> {
  if ((await contractCheck(id))(input).ok) return;
  const [{ checkListed }, operation] = await Promise.all([
    import("../../contract/check/check-listed.ts"),
    load(id),
  ]);
  let isDescriptionMissing = false;
  const checked = await checkListed(operation, input, async (path, value) => {
    const listed = await isListed(id, path, value);
    isDescriptionMissing ||= listed === undefined;
    return listed === true;
  });
  if (checked.ok) return;
  const all = checked.issues.map((issue) => ({
    flag: flagFor(issue.path, invocation) ?? `--${kebab(String(issue.path[0] ?? ""))}`,
    message: withValue(issue, input) + suggestion(id, issue, input),
  }));
  const messages = [...new Set(all.map(({ message }) => message))];
  const issues = messages.map((message) => {
    const flags = all.filter((issue) => issue.message === message).map(({ flag }) => flag);
    return { flag: [...new Set(flags)].join(", "), message };
  });
  throw invalidValues(issues, isDescriptionMissing ? `${nothingSent} ${noDescription}` : nothingSent);
}

const nothingSent = "Nothing was sent.";
const noDescription =
  "The service's OpenAPI description, which may list more values, is not available; --no-validate sends the value as it is.";

/** Suggests the nearest choices of a field for an unknown value. */
function suggestion(id: OperationId, { path }: Issue, input: object): string {
  const field = routes[id].fields.find(({ name }) => name === path[0]);
  const value = valueAt(input, path.join("."));
  const choices = field?.choices ?? field?.item?.choices ?? [];
  return typeof value === "string" && !choices.includes(value) ? didYouMean(value, choices) : "";
}

/** Adds a short value to a message that begins with "must", unless the message already contains it. */
function withValue({ path, message }: Issue, input: object): string {
  const value = valueAt(input, path.join("."));
  const isShort = ["number", "boolean", "string"].includes(typeof value) && String(value).length <= 80;
  const shown = JSON.stringify(value);
  return message.startsWith("must") && isShort && !message.includes(shown)
    ? `${message}, not ${shown}`
    : message;
}
