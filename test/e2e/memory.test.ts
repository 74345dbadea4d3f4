import { readFile, stat } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHome, key, launcher } from "../support/process.ts";
import { sample } from "../support/thorough.ts";
import { virtualMachine } from "./third-party-records.ts";

const recorder = fileURLToPath(new URL("record-memory.cjs", import.meta.url));

/** A record of about 3 KB, so that 20,000 of them exceed the heap limit. */
const rental = (id: number) => JSON.stringify({ ...virtualMachine, id: String(id), note: "x".repeat(2_800) });

const batch = 100;

/** Sends `count` rentals as one JSON array, no faster than the client reads them. */
async function stream(response: ServerResponse, count: number): Promise<void> {
  response.writeHead(200, { "Content-Type": "application/json" });
  for (let id = 0; id < count && !response.destroyed; id += batch) {
    const chunk = Array.from({ length: Math.min(batch, count - id) }, (_, at) => rental(id + at)).join(",");
    if (response.write((id === 0 ? "[" : ",") + chunk)) continue;
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

/** The heap limit in MiB. It is far below the size of the records: gpuctl runs out of memory if it keeps them. */
const heap = 32;

/** The peak resident memory in MiB of a command that lists `count` rentals, and the number of bytes that it printed. */
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
  // The default size of the young generation differs between Node.js releases.
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

/**
 * How many MiB more the long list may need, because of uncollected garbage. The response with that list has 63 MiB, so
 * a command that keeps the whole response needs more than this.
 */
const margin = 54;

describe.skipIf(process.platform === "win32")("memory for a hundred times as many rentals", () => {
  test.each(sample(["table", "json", "jsonl", "csv", "tsv", "id"], 1))(
    "is nearly the same with -o %s",
    async (format) => {
      const few = await memoryOf(format, 200);
      const many = await memoryOf(format, 20_000);
      expect(many.bytes).toBeGreaterThan(90 * few.bytes);
      expect(many.mebibytes - few.mebibytes).toBeLessThan(margin);
    },
    240_000,
  );
});
