import { openApi } from "../../contract/openapi.ts";
import { additions } from "../additions.ts";
import { enabledOperations } from "../environment.ts";
import type { Handlers } from "./handler.ts";

export const description = {
  getOpenApiDocument: (_input, { http, now, environment }) =>
    openApi(enabledOperations(environment, now), {
      title: "Compute and inference service (gpuctl sandbox)",
      servers: [new URL(http.req.url).origin],
      additions,
    }),
} satisfies Partial<Handlers>;
