import * as z from "zod";
import { operation } from "./operation.ts";
import { nothing } from "./shared.ts";

/** The service's own OpenAPI document (service section 2.7). */
export const openApiDocument = z
  .looseObject({
    openapi: z.string(),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    servers: z.array(z.looseObject({ url: z.string() })),
    paths: z.looseObject({}),
    tags: z.array(z.unknown()).optional(),
    components: z.looseObject({}).optional(),
  })
  .meta({
    id: "OpenApiDocument",
    description: "OpenAPI 3.1 description of the operations enabled in this environment",
  });

export const getOpenApiDocument = operation({
  id: "getOpenApiDocument",
  method: "GET",
  path: "/v2/openapi.json",
  host: "compute",
  group: "openapi",
  summary: "Get the OpenAPI description of the enabled operations",
  in: "none",
  input: nothing,
  output: openApiDocument,
  errors: ["BAD_REQUEST", "INTERNAL_SERVER_ERROR"],
  open: true,
});
