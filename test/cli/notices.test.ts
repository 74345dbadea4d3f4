import { expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const pending = { id: 1, status: "Pending" };

test.each([
  [{ sunset: "Mon, 01 Mar 2027 00:00:00 GMT" }, "is deprecated; it stops being served on 2027-03-01."],
  [{ deprecation: "true" }, "is deprecated."],
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
