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

test.each([
  ["an earlier page had one", {}, [{ items: [1], nextCursor: "a" }, { items: [2] }]],
  [
    "an earlier page had one, and all records of the total arrived",
    {},
    [
      { items: [1], nextCursor: "a", total: 2 },
      { items: [2], total: 2 },
    ],
  ],
  ["the description names one", { hasToken: true }, [{ items: [1] }]],
])("a page without a token is the last one if %s", async (_why, more, responses) => {
  const left = [...responses];
  const warnings: string[] = [];
  const warn = (line: string) => void warnings.push(line);
  const first = { paging: { cursor: "cursor", ...more }, query: [], paged: true, warn };
  const records: unknown[] = [];
  for await (const page of pages(async () => left.shift(), first)) records.push(...page);
  expect({ records, warnings }).toEqual({ records: [1, 2].slice(0, responses.length), warnings: [] });
});

test("a page without a token leads to a warning if it says that there are more records", async () => {
  const warnings: string[] = [];
  const warn = (line: string) => void warnings.push(line);
  const first = { paging: { cursor: "cursor", hasToken: true }, query: [], paged: true, warn };
  for await (const page of pages(async () => ({ items: [1], hasMore: true }), first))
    expect(page).toEqual([1]);
  expect(warnings).toEqual([expect.stringContaining("There may be more results")]);
});
