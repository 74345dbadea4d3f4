import { save } from "../../src/media/save.ts";

/** A child process that sends "ready", saves the text that its parent sends, and sends back the path. */
process.once("message", async (order: { path: string; text: string }) => {
  process.send?.(await save(order.path, Buffer.from(order.text)));
  process.disconnect();
});
process.send?.("ready");
