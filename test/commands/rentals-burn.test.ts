import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";

const line = "rentals create vm --gpus 1 --sandbox --yes";
const summaryPath = "/v2/on-demand/active-rental-summary";

/** A sandbox with one rental of $2.00 an hour. `summary` and `listing` replace its responses. */
async function withOneRental(summary?: unknown, listing?: unknown) {
  const bodies = new Map([
    [summaryPath, summary],
    ["/v2/on-demand/virtual-machine-rentals", listing],
  ]);
  let ready = false;
  const cli = await createCli({
    respond: ({ path, method }) => {
      const body = ready && method === "GET" ? bodies.get(path) : undefined;
      return body === undefined ? undefined : Response.json(body);
    },
  });
  await cli.run(line);
  ready = true;
  return cli;
}

const writeCount = (requests: readonly { method: string }[]) =>
  requests.filter(({ method }) => method !== "GET").length;

describe("--max-burn", () => {
  test("fails when the active rentals already cost as much", async () => {
    const { run } = await withOneRental();
    const { code, out, err, requests } = await run(`${line} --max-burn 2.00`);
    expect({ code, out, writes: writeCount(requests) }).toEqual({ code: 11, out: "", writes: 0 });
    expect(err).toContain("$2.00");
    expect(err).toContain("Nothing was sent.");
  });

  test("allows a create below it", async () => {
    const { run } = await withOneRental();
    const { code, requests } = await run(`${line} --max-burn 2.01`);
    expect({ code, writes: writeCount(requests) }).toEqual({ code: 0, writes: 1 });
  });

  test.each([
    { activeCount: 1, totalHourlyCostInCents: 700 },
    { total_cents: 700, per_term_cents: 1 },
    { rentals: 1, hourlyCost: 700 },
    { data: [], count: 3, costPerHourCents: 700, "on-demand": { costPerHourCents: 1 } },
  ])("reads the hourly total by its name in %j", async (summary) => {
    const { run } = await withOneRental(summary);
    expect((await run(`${line} --max-burn 7.00`)).code).toBe(11);
    expect((await run(`${line} --max-burn 7.01`)).code).toBe(0);
  });

  test.each([{ total: 3 }, {}, [], null, { count: 1 }])(
    "adds up the listing when the summary %j has no cost",
    async (summary) => {
      const { run } = await withOneRental(summary, [
        { id: 1, currentTerm: { costPerHourCents: 300 } },
        { id: 2, costPerHour: 50 },
      ]);
      expect((await run(`${line} --max-burn 3.50`)).code).toBe(11);
      expect((await run(`${line} --max-burn 3.51`)).code).toBe(0);
    },
  );

  test("fails when the cost of the active rentals is unknown", async () => {
    const { run } = await withOneRental({}, [{ id: 1 }]);
    const { code, err, requests } = await run(`${line} --max-burn 100`);
    expect({ code, writes: writeCount(requests) }).toEqual({ code: 11, writes: 0 });
    expect(err).toContain("the hourly cost of the active rentals is unknown");
  });

  test("an invalid amount is rejected", async () => {
    const { run } = await withOneRental();
    const { code, err, requests } = await run(`${line} --max-burn cheap`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("--max-burn");
  });
});

test("the largest hourly cost of the summary is the total, whatever its name", async () => {
  const summary = { onDemandHourlyCostCents: 500, reservedHourlyCostCents: 3000, allHourlyCents: 3500 };
  const { run } = await createCli({
    respond: ({ path }) => (path.endsWith("active-rental-summary") ? Response.json(summary) : undefined),
  });
  const outcome = await run("rentals create vm --gpus 1 --max-burn 20 --sandbox --yes");
  expect(outcome).toMatchObject({ code: 11, out: "" });
  expect(outcome.err).toContain("$35.00");
});
