import type { ErrorObject } from "ajv";
import { article, bound } from "../contract/check.ts";

/** What the contract's own check says of a value that a keyword of a schema refuses; nothing for what that does not know. */
export const saying = (keyword: string, params: Params): string | undefined => sayings[keyword]?.(params);

type Params = ErrorObject["params"];

const limit =
  (origin: "string" | "array" | "number", relation: string) =>
  (params: Params): string =>
    `must ${bound(origin, relation, params.limit)}`;

const sayings: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) =>
    `must be ${[type]
      .flat()
      .flatMap((one: string) => one.split(","))
      .map((one: string) => (one === "null" ? one : article(one)))
      .join(" or ")}`,
  minLength: limit("string", "at least"),
  maxLength: limit("string", "at most"),
  minItems: limit("array", "at least"),
  maxItems: limit("array", "at most"),
  minimum: limit("number", "at least"),
  maximum: limit("number", "at most"),
  exclusiveMinimum: limit("number", "more than"),
  exclusiveMaximum: limit("number", "less than"),
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  pattern: ({ pattern }) => `must match ${pattern}`,
};
