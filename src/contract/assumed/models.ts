import * as z from "zod";
import { lookupErrors } from "../errors.ts";
import { operation } from "../operation.ts";
import { nothing } from "../shared.ts";

const model = z
  .object({ id: z.string(), object: z.literal("model"), created: z.int(), owned_by: z.string() })
  .meta({ id: "ChatModel", description: "A chat model" });

export const listChatModels = operation({
  id: "listChatModels",
  method: "GET",
  path: "/v1/models",
  host: "inference",
  group: "inference",
  assumed: true,
  summary: "List the chat models",
  in: "none",
  input: nothing,
  output: z
    .object({ object: z.literal("list"), data: z.array(model) })
    .meta({ id: "ChatModels", description: "The chat models" }),
  errors: lookupErrors,
});
