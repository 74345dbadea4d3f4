import { expect, test } from "vitest";
import { type Description, resolved } from "../../src/openapi/document.ts";

/** A description whose last schema leads to the first one, a string, through `length` references. */
function chain(length: number): Description {
  const schemas = Array.from({ length: length + 1 }, (_, at) =>
    at === 0 ? { type: "string" } : { $ref: `#/components/schemas/${at - 1}` },
  );
  return { openapi: "3.1.0", paths: {}, components: { schemas } };
}

test.each([
  [1, { type: "string" }],
  [32, { type: "string" }],
  [33, undefined],
])("a chain of %i references resolves to %j", (length, target) => {
  expect(resolved(chain(length), { $ref: `#/components/schemas/${length - 1}` })).toEqual(target);
});
