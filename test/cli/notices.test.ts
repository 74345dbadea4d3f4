import { expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const pending = { id: 1, status: "Pending" };

test.each([
  [{ sunset: "Mon, 01 Mar 2027 00:00:00 GMT" }, "is deprecated; it stops being served on 2027-03-01."],
  [{ deprecation: "true" }, "is deprecated."],
  [{ deprecation: "@1767225600" }, "is deprecated since 2026-01-01."],
  [
    { deprecation: "Thu, 01 Jan 2026 00:00:00 GMT", sunset: "Mon, 01 Mar 2027 00:00:00 GMT" },
    "is deprecated since 2026-01-01; it stops being served on 2027-03-01.",
  ],
  [
    { sunset: "Sun, 01 Nov 2026 00:00:00 GMT" },
    "is deprecated; it was to be served until 2026-11-01, which has passed: it may stop working at any time.",
  ],
  [{ sunset: "next spring" }, "is deprecated; it stops being served on next spring."],
])("what will end is told once, however often it is asked: %j", async (headers, words) => {
  const { run } = await createCli({ answer: () => Response.json(pending, { headers }) });
  const { err, requests } = await run("rentals wait 1 --interval 1s --wait-timeout 3s", overNetwork());
  expect(requests).toHaveLength(4);
  expect(err.split("\n").filter((line) => line.includes("deprecated"))).toEqual([
    `/v2/on-demand/rental ${words}`,
  ]);
});

test("an answer without such a header says nothing", async () => {
  const { run } = await createCli({ answer: () => Response.json([]) });
  expect((await run("volumes list -o json", overNetwork())).err).toBe("");
});
