import { type DescribedOperation, describedOperations } from "./described.ts";
import { type Description, membersOf, merged } from "./document.ts";
import { idParameter, requestForId } from "./id-parameter.ts";

/** What can be done with a collection of resources, such as SSH keys. */
export type ResourceAction = "list" | "create" | "remove";

const createWord = /^(create|add|new|import|upload)$/i;
const removeWord = /^(delete|remove|revoke)$/i;

/**
 * The operation of the compute API that lists, creates or removes resources: `GET`, `POST` and `DELETE` of a collection
 * whose name in the path matches, or of a path below it that says what it does. Undefined when none is listed.
 */
export const resourceOperation = (
  description: Description,
  collection: RegExp,
  action: ResourceAction,
): DescribedOperation | undefined =>
  describedOperations(description)
    .filter(({ path }) => !path.startsWith("/v1/"))
    .find((operation) => matches[action](operation, collection));

const matches: Readonly<
  Record<ResourceAction, (operation: DescribedOperation, collection: RegExp) => boolean>
> = {
  list: ({ method, path, parameters }, collection) =>
    method === "GET" &&
    !path.includes("{") &&
    collection.test(fromEnd(path, 1)) &&
    !parameters.some(({ required }) => required),
  create: ({ method, path }, collection) =>
    method === "POST" &&
    !path.includes("{") &&
    (collection.test(fromEnd(path, 1)) ||
      (createWord.test(fromEnd(path, 1)) && collection.test(fromEnd(path, 2)))),
  remove: ({ method, path }, collection) => {
    const [last, before, first] = [1, 2, 3].map((steps) => fromEnd(path, steps));
    if (isId(last)) return method === "DELETE" && collection.test(before ?? "");
    if (method !== "POST" && method !== "DELETE") return false;
    return removeWord.test(last ?? "") && collection.test((isId(before) ? first : before) ?? "");
  },
};

/** A segment of a path, counted from its end. */
const fromEnd = (path: string, steps: number): string => path.split("/").at(-steps) ?? "";

const isId = (segment: string | undefined): boolean => /^\{[^{}]+\}$/.test(segment ?? "");

/** A field of a body that gpuctl sets: what it may be called, and the name without a description of the body. */
export interface BodyField {
  readonly like: RegExp;
  readonly assumed: string;
  readonly value: string | undefined;
}

/**
 * The body of an operation with these fields, under the names that its description has for them. `unknown` names the
 * values that the operation has no field for, and the required fields that gpuctl does not know.
 */
export function bodyOf(
  description: Description,
  { body }: DescribedOperation,
  fields: readonly BodyField[],
): { readonly body: Readonly<Record<string, string>>; readonly unknown: readonly string[] } {
  const { properties, required } = membersOf(description, merged(description, body?.schema));
  const names = Object.keys(properties);
  const sent: Record<string, string> = {};
  const unknown: string[] = [];
  for (const { like, assumed, value } of fields) {
    const name = names.length === 0 ? assumed : names.find((one) => like.test(one));
    if (name === undefined && value !== undefined) unknown.push(assumed);
    if (name !== undefined && value !== undefined) sent[name] = value;
  }
  return { body: sent, unknown: [...unknown, ...required.filter((name) => !(name in sent))] };
}

/** The request that removes the resource with this id. */
export function removalRequest(
  description: Description,
  operation: DescribedOperation,
  id: string,
): ReturnType<typeof requestForId> {
  const names = { names: [/^(\w*key_?)?ids?$/i], assumed: "id" };
  const parameter = idParameter(description, operation, names) ?? { in: "body", name: names.assumed };
  return requestForId(operation, parameter, id);
}
