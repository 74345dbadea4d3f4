import { once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { DirectChannel } from "../../src/client/transport/direct.ts";
import { listenRaw } from "./server.ts";

let connection: Socket | undefined;

// Delays the loading of node-http.ts until the connection was reset and the client has noticed the reset.
vi.mock("../../src/client/transport/node-http.ts", async (original) => {
  if (connection && !connection.closed) await once(connection, "close");
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  return original();
});

test("a complete HTTP/1.0 response, which node:http must parse, is read even if the connection is reset while node:http loads", async () => {
  const server = await listenRaw((socket) => {
    connection = socket;
    const refusal = "HTTP/1.0 403 Forbidden\r\nContent-Length: 2\r\n\r\nno";
    socket.once("data", () => socket.write(refusal, () => setImmediate(() => socket.resetAndDestroy())));
  });
  const direct = new DirectChannel(new URL(server.origin), { isShared: false });
  onTestFinished(() => direct.close());
  let text = "";
  const status = await new Promise((resolve, reject) => {
    let head = 0;
    direct.begin(
      { method: "POST", path: "/", headers: {}, body: "{}" },
      {
        head: (one) => {
          head = one.status;
        },
        data: (part) => {
          text += Buffer.from(part).toString();
        },
        end: () => resolve(head),
        failed: reject,
      },
    );
  });
  expect({ status, text }).toEqual({ status: 403, text: "no" });
});
