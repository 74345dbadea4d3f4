import { save } from "../../src/media/save.ts";

/** Says when it is ready, saves its own bytes on a message from its parent, and reports the path. */
process.once("message", async (order: { path: string; text: string }) => {
  process.send?.(await save(order.path, Buffer.from(order.text)));
  process.disconnect();
});
process.send?.("ready");
