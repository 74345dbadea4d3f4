import { type DescribedOperation, describedOperations, listingAt } from "./described.ts";
import { type Description, membersOf, merged } from "./document.ts";
import { idParameter, requestForId } from "./id-parameter.ts";

/**
 * The names that collections may have in a path. The service's documentation mentions these collections, but describes
 * none of their operations.
 */
const collections = {
  apiKeys: /^(api|access)-?_?(keys|tokens)$/i,
  balance: /^(balances?|credits?)$/i,
  invoices: /^invoices$/i,
  sshKeys: /^(ssh|public|ssh-?public)-?_?keys$/i,
  usage: /^usages?$/i,
} as const;

export type Collection = keyof typeof collections;

/** What can be done with a collection of resources, such as SSH keys. */
export type ResourceAction = "list" | "create" | "remove";

const createWord = /^(create|add|new|import|upload)$/i;
const removeWord = /^(delete|remove|revoke)$/i;

/**
 * Finds the operation of the compute API that lists, creates or removes the resources of a collection: a `GET`, `POST`
 * or `DELETE` whose path contains a name of the collection. The path may end in a word for the action, such as `create`
 * or `revoke`. If that word means removal, the method may also be `POST`. Undefined if the description lists no
 * such operation.
 */
export const resourceOperation = (
  description: Description,
  collection: Collection,
  action: ResourceAction,
): DescribedOperation | undefined =>
  describedOperations(description)
    .filter(({ path }) => !path.startsWith("/v1/"))
    .find((operation) => matches[action](operation, collections[collection]));

/** The operation that lists what can be rented, with prices. */
export const optionsListing = (description: Description): DescribedOperation | undefined =>
  listingAt(description, /\/rental-?options$/i);

/** The operation of the inference API that lists the chat models. */
export const modelsListing = (description: Description): DescribedOperation | undefined =>
  listingAt(description, /^\/v1\/(chat\/)?models$/);

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

/**
 * A field of a body that gpuctl sets. `like` matches the names that it may have. `assumed` is the name to use if the
 * description does not show the fields of the body.
 */
export interface BodyField {
  readonly like: RegExp;
  readonly assumed: string;
  readonly value: string | undefined;
}

/**
 * Builds the body of an operation from these fields, under the names that the description has for them. `unknown` names
 * the given fields that the operation does not have, and the required fields for which gpuctl has no value.
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

/** The fields of a new API key, with their values. */
export const apiKeyFields = (name: string, access: string | undefined): readonly BodyField[] => [
  { like: nameWord, assumed: "name", value: name },
  { like: /^(access|scopes?|role|permissions?)$/i, assumed: "access", value: access },
];

/** The fields of a new SSH key, with their values. */
export const sshKeyFields = (name: string, publicKey: string): readonly BodyField[] => [
  { like: nameWord, assumed: "name", value: name },
  { like: /^((ssh_?)?public_?key|ssh_?key|key|content)$/i, assumed: "publicKey", value: publicKey },
];

const nameWord = /^(name|label|title)$/i;

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
