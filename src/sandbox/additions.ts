import { operations } from "../contract/index.ts";
import type { Operation } from "../contract/operation.ts";
import type { Additions } from "../contract/responses.ts";
import { payloadTooLarge } from "./error-answer.ts";

/** What the sandbox answers beyond what the service documents, so that its description says all that it does. */
export const additions = (operation: Operation): Additions => ({
  ...(operation.in === "body" && { errors: [payloadTooLarge] }),
  ...(operation.sunset && { headers: { Deprecation: "This path is to be retired" } }),
  ...(operation.id === operations.getOpenApiDocument.id && {
    headers: { ETag: "Names this state of the description; If-None-Match asks whether it still holds" },
    empty: { 304: "The description that If-None-Match names still holds" },
  }),
});
