import type { DescribedOperation, DescribedParameter } from "../../client/described.ts";
import { UsageError } from "../errors.ts";

/** Headers that are no fields of an operation: the tool itself sends what they need to say. */
const own: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);
/** Headers that say how a request travels. */
const ofTheWay: ReadonlySet<string> = new Set(["host", "connection", "content-length", "transfer-encoding"]);

/** Whether a parameter of a description is one that the tool gives, whatever the user says. */
export const isOwn = ({ in: place, name }: Pick<DescribedParameter, "in" | "name">): boolean =>
  place === "header" && (own.has(name.toLowerCase()) || ofTheWay.has(name.toLowerCase()));

/**
 * The header that a field gives, as the description writes it; nothing for a field that is none. Throws `UsageError`
 * for one that is not the user's to give.
 */
export function headerNamed(operation: DescribedOperation | undefined, field: string): string | undefined {
  const found = operation?.parameters.find(
    ({ in: place, name }) => place === "header" && name.toLowerCase() === field.toLowerCase(),
  );
  if (found && isOwn(found)) {
    const advice = /^authorization$/i.test(field)
      ? ": `gpuctl auth login` or GPUCTL_API_KEY gives the key"
      : "";
    throw new UsageError(`${found.name} is a header that gpuctl sends itself${advice}`);
  }
  return found?.name;
}

/** Values as headers. Throws `UsageError` for one that no header can carry. */
export const headersOf = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, headerText(name, value)]));

function headerText(name: string, value: unknown): string {
  const parts = Array.isArray(value) ? value : [value];
  const text = parts.map(String).join(",");
  if (parts.some((part) => typeof part === "object") || !/^[\t\x20-\x7e]*$/.test(text)) {
    throw new UsageError(`${name} cannot stand in a header: ${JSON.stringify(value)}`);
  }
  return text;
}
