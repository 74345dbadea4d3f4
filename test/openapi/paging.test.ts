import { expect, test } from "vitest";
import { pages } from "../../src/openapi/paging.ts";

test("gpuctl stops with a warning if a list of the service never ends", async () => {
  let sent = 0;
  const send = async () => ({ items: [], nextCursor: String(++sent) });
  const warnings: string[] = [];
  const warn = (line: string) => void warnings.push(line);
  let received = 0;
  for await (const records of pages(send, { paging: { cursor: "cursor" }, query: [], paged: true, warn })) {
    received += records.length;
  }
  expect(received).toBe(0);
  expect(warnings).toEqual([`Stopped after ${sent} pages; there may be more results.`]);
});
