import { sandboxChatModel } from "../../contract/sandbox.ts";
import type { Handlers } from "./handler.ts";

export const models = {
  listChatModels: () => ({
    object: "list",
    data: [{ id: sandboxChatModel, object: "model", created: 0, owned_by: "gpuctl" }],
  }),
} satisfies Partial<Handlers>;
