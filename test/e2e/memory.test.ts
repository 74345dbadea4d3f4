import { readFile, stat } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHome, key, launcher } from "../support/process.ts";
import { virtualMachine } from "./third-party-records.ts";

const recorder = fileURLToPath(new URL("record-memory.cjs", import.meta.url));

/** About 3 KB each, so that it takes few to be more than memory may hold. */
const rental = (id: number) => JSON.stringify({ ...virtualMachine, id: String(id), note: "x".repeat(2_800) });

const together = 100;

/** Sends so many rentals as one array, no faster than they are read. */
async function stream(response: ServerResponse, count: number): Promise<void> {
  response.writeHead(200, { "Content-Type": "application/json" });
  for (let id = 0; id < count && !response.destroyed; id += together) {
    const piece = Array.from({ length: Math.min(together, count - id) }, (_, at) => rental(id + at)).join(
      ",",
    );
    if (response.write((id === 0 ? "[" : ",") + piece)) continue;
    await new Promise<void>((resolve) => {
      const go = () => {
        response.off("drain", go).off("close", go);
        resolve();
      };
      response.on("drain", go).on("close", go);
    });
  }
  response.end("]");
}

/** MiB of the heap, far below what the records take: what is held on to does not fit, and what lies about is collected. */
const heap = 32;

/** MiB that a listing of so many rentals had resident at most, and the bytes that it printed. */
async function memoryOf(format: string, count: number) {
  const server = createServer((_request, response) => void stream(response, count));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const home = await createHome({ GPUCTL_BASE_URL: `http://127.0.0.1:${port}`, GPUCTL_API_KEY: key });
  const [record, printed] = [join(home.folder, "memory"), join(home.folder, "printed")];
  // The room for new objects differs between the lines of Node.js.
  const limits = [`--max-old-space-size=${heap}`, "--max-semi-space-size=8"];
  const node = [process.execPath, ...limits, "--require", recorder];
  const words = [...node, launcher, "rentals", "history", "-o", format];
  const { code, err } = await home.run(["-c", '"$@" > "$0"', printed, ...words], {
    command: ["/bin/sh"],
    env: { RECORD_MEMORY_IN: record },
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return { mebibytes: Number(await readFile(record, "utf8")) / 1024, bytes: (await stat(printed)).size };
}

/** What the garbage collector lets lie about when there is more to do; the response itself takes 63 MiB. */
const margin = 54;

describe.skipIf(process.platform === "win32")("memory for a hundred times as many rentals", () => {
  it.each(["jsonl", "csv", "tsv", "id", "table", "json"])(
    "is next to the same with -o %s",
    async (format) => {
      const few = await memoryOf(format, 200);
      const many = await memoryOf(format, 20_000);
      expect(many.bytes).toBeGreaterThan(90 * few.bytes);
      expect(many.mebibytes - few.mebibytes).toBeLessThan(margin);
    },
    240_000,
  );
});
