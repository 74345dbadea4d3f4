import { openApi } from "../../contract/document/openapi.ts";
import type { Additions } from "../../contract/document/responses.ts";
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { enabledOperations } from "../environment.ts";
import { payloadTooLarge } from "../errors.ts";
import type { Handlers } from "./handler.ts";

/** Responses and headers of the sandbox that the service does not document. */
const additions = (operation: Operation): Additions => ({
  ...(operation.in === "body" && { errors: [payloadTooLarge] }),
  ...(operation.sunset && { headers: { Deprecation: "true on a deprecated path" } }),
  ...(operation.id === operations.getOpenApiDocument.id && {
    headers: { ETag: "Version of the description, for If-None-Match" },
    empty: { 304: "The description has not changed" },
  }),
});

export const description = {
  getOpenApiDocument: (_input, { http, now, environment }) =>
    openApi(enabledOperations(environment, now), {
      title: "Compute and inference service (gpuctl sandbox)",
      servers: [new URL(http.req.url).origin],
      additions,
    }),
} satisfies Partial<Handlers>;
