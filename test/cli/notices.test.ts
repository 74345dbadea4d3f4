import { expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const pending = { id: 1, status: "Pending" };

test.each([
  [{ sunset: "Mon, 01 Mar 2027 00:00:00 GMT" }, "is deprecated; it stops working on 2027-03-01."],
  [{ deprecation: "true" }, "is deprecated."],
  [{ deprecation: "@1767225600" }, "is deprecated since 2026-01-01."],
  [
    { deprecation: "Thu, 01 Jan 2026 00:00:00 GMT", sunset: "Mon, 01 Mar 2027 00:00:00 GMT" },
    "is deprecated since 2026-01-01; it stops working on 2027-03-01.",
  ],
  [
    { sunset: "Sun, 01 Nov 2026 00:00:00 GMT" },
    "is deprecated; its sunset date (2026-11-01) has passed, so it may stop working at any time.",
  ],
  [
    { deprecation: "@1767225600", sunset: "@1803859200" },
    "is deprecated since 2026-01-01; it stops working on 2027-03-01.",
  ],
  [{ deprecation: "@999999999999999" }, "is deprecated."],
  [{ deprecation: "?1" }, "is deprecated."],
  [{ deprecation: "since long, 2026 or so" }, "is deprecated."],
  [{ deprecation: "", sunset: "" }, "is deprecated; it will stop working (no date given)."],
  [{ sunset: "31 Foo 2026" }, "is deprecated; it will stop working: 31 Foo 2026."],
  [{ sunset: "x".repeat(100) }, `is deprecated; it will stop working: ${"x".repeat(60)}….`],
  [{ sunset: "next spring" }, "is deprecated; it will stop working: next spring."],
  [{ sunset: "soon" }, "is deprecated; it will stop working: soon."],
])("a deprecation is shown once, however many requests there are: %j", async (headers, words) => {
  const { run } = await createCli({ respond: () => Response.json(pending, { headers }) });
  const { err, requests } = await run("rentals wait 1 --interval 1s --wait-timeout 3s", overNetwork());
  expect(requests).toHaveLength(4);
  expect(err.split("\n").filter((line) => line.includes("deprecated"))).toEqual([
    `/v2/on-demand/rental ${words}`,
  ]);
});

test.each(["rentals list", "rentals list -o json"])(
  "%s shows a deprecation once for all its requests, and not at all with --quiet",
  async (line) => {
    const { run } = await createCli({
      respond: () => Response.json([], { headers: { sunset: "Mon, 01 Mar 2027 00:00:00 GMT" } }),
    });
    const { err, requests } = await run(line, overNetwork());
    expect(requests).toHaveLength(2);
    expect(err.match(/deprecated/g)).toHaveLength(1);
    expect(err).toContain("2027-03-01");
    expect((await run(`${line} --quiet`, overNetwork())).err).toBe("");
  },
);

test("nothing is shown for a response without a deprecation header", async () => {
  const { run } = await createCli({ respond: () => Response.json([]) });
  expect((await run("volumes list -o json", overNetwork())).err).toBe("");
});

test("--debug shows a request that got no response, and the body that was sent", async () => {
  const { run } = await createCli({
    respond: ({ method }) => {
      if (method === "POST") throw Object.assign(new Error("gone"), { code: "ECONNRESET" });
      return Response.json([]);
    },
  });
  const { err } = await run(
    "volumes create --region us-central-1 --label training-data --size-in-gb 1024 --debug",
    overNetwork(),
  );
  const lines = err.split("\n");
  const at = lines.findIndex((line) => /^POST \S+storage-volumes -> no response in \d+ ms$/.test(line));
  expect(lines[at + 1]).toBe('  sent: {"region":"us-central-1","label":"training-data","sizeInGb":1024}');
});
