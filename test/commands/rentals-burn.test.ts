import { existsSync } from "node:fs";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ConnectionFailed } from "../../src/core/service-errors.ts";
import { createCli, type Responder } from "../support/cli.ts";
import { denyWrites } from "../support/full-disk.ts";

const line = "rentals create vm --gpus 1 --sandbox --yes";
const summaryPath = "/v2/on-demand/active-rental-summary";
const listPath = "/v2/on-demand/virtual-machine-rentals";
const optionsPath = "/v2/on-demand/rental-options";
const historyPath = "/v2/on-demand/rental-history";

type Body = Readonly<Record<string, unknown>> | readonly unknown[] | null;

/** A sandbox with one rental of $2.00 an hour. `bodies` replaces the responses to later reads, by path. */
async function withOneRental(bodies: Readonly<Record<string, Body | (() => Response)>> = {}) {
  let ready = false;
  const respond: Responder = ({ path, method }) => {
    const body = ready && method === "GET" ? bodies[path] : undefined;
    if (typeof body === "function") return body();
    return body === undefined ? undefined : Response.json(body);
  };
  const cli = await createCli({ respond });
  await cli.run(line);
  ready = true;
  return cli;
}

const writeCount = (requests: readonly { method: string }[]) =>
  requests.filter(({ method }) => method !== "GET").length;

const failing = (status: number) => () => new Response("", { status });

describe("--max-burn", () => {
  test("fails when the active rentals and the new one together would cost more than the limit", async () => {
    const { run } = await withOneRental();
    const { code, out, err, requests } = await run(`${line} --max-burn 3.99`);
    expect({ code, out, writes: writeCount(requests) }).toEqual({ code: 11, out: "", writes: 0 });
    expect(err).toContain(
      "the active rentals cost $2.00 an hour, and the new one would cost about $2.00 more, based on the service's rental options; together $4.00, and the limit is $3.99",
    );
    expect(err).toContain("Nothing was sent.");
  });

  test("allows a total that is exactly the limit, and nothing more", async () => {
    const { run } = await withOneRental();
    expect(await run(`${line} --max-burn 3.9999999`)).toMatchObject({ code: 11, out: "" });
    const { code, requests } = await run(`${line} --max-burn 4.0000`);
    expect({ code, writes: writeCount(requests) }).toEqual({ code: 0, writes: 1 });
  });

  test("counts the new rental even if no rental is active", async () => {
    const { run } = await createCli();
    const { code, err, requests } = await run("rentals create vm --gpus 8 --max-burn 5 --sandbox --yes");
    expect({ code, writes: writeCount(requests) }).toEqual({ code: 11, writes: 0 });
    expect(err).toContain("$16.00");
  });

  test("leaves the price unknown if the number of GPUs is impossible", async () => {
    const { run } = await createCli();
    const { code, err } = await run("rentals create vm --gpus=-5 --no-validate --max-burn 1 --sandbox --yes");
    expect(code).toBe(6);
    expect(err).toContain("Warning: the price of the new rental is not known in advance");
  });

  test("treats a negative cost of the active rentals as unknown, and fails", async () => {
    const negative = { data: [{ id: 1, costPerHourCents: -500 }] };
    const { run } = await withOneRental({
      [summaryPath]: { hourlyCostCents: -500 },
      [listPath]: negative,
      "/v2/on-demand/bare-metal-rentals": [],
    });
    const { code, requests } = await run(`${line} --max-burn 5`);
    expect({ code, writes: writeCount(requests) }).toEqual({ code: 11, writes: 0 });
  });

  test("treats a summary that is nested too deeply as unknown, and adds up the list", async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const { run } = await withOneRental({
      [summaryPath]: () => new Response(deep, { headers: { "content-type": "application/json" } }),
    });
    const { code, err } = await run(`${line} --max-burn 3.99`);
    expect(code).toBe(11);
    expect(err).toContain("the active rentals cost $2.00 an hour");
  });

  test("counts the price of a new bare-metal rental", async () => {
    const { run } = await createCli();
    const bareMetal = "rentals create bare-metal --gpus 8 --network-type ethernet --sandbox --yes";
    expect(await run(`${bareMetal} --max-burn 15.99`)).toMatchObject({ code: 11, out: "" });
    expect(await run(`${bareMetal} --max-burn 16`)).toMatchObject({ code: 0 });
  });

  test.each([
    { activeCount: 1, totalHourlyCostInCents: 700 },
    { total_cents: 700, per_term_cents: 1 },
    { rentals: 1, hourlyCost: 700 },
    { data: [], count: 3, costPerHourCents: 700, "on-demand": { costPerHourCents: 1 } },
    { onDemandHourlyCostCents: 200, reservedHourlyCostCents: 500 },
    { count: 1, hourlyCostCents: { "on-demand": 200, reserved: 500 } },
    { onDemandHourlyCostCents: 200, reservedHourlyCostCents: 500, allHourlyCents: 700, spentCents: 90_000 },
  ])("finds the hourly total in the summary %j", async (summary) => {
    const { run } = await withOneRental({ [summaryPath]: summary });
    expect((await run(`${line} --max-burn 8.99`)).code).toBe(11);
    expect((await run(`${line} --max-burn 9.00`)).code).toBe(0);
  });

  test.each<[string, Body | (() => Response)]>([
    ["has a total without a unit", { total: 3 }],
    ["is empty", {}],
    ["is a list", []],
    ["is null", null],
    ["has only a count", { count: 1 }],
    ["has a negative cost", { totalHourlyCostCents: -700 }],
    ["lacks one of the costs", { totalHourlyCostCents: null, onDemandHourlyCostCents: 1 }],
    ["is not served", failing(404)],
    ["is refused", failing(403)],
  ])("adds up the listed rentals when the summary %s", async (_why, summary) => {
    const listing = [
      { id: 1, currentTerm: { costPerHourCents: 300 } },
      { id: 2, costPerHour: 50.125 },
    ];
    const { run } = await withOneRental({ [summaryPath]: summary, [listPath]: listing });
    expect((await run(`${line} --max-burn 5.501249`)).code).toBe(11);
    expect((await run(`${line} --max-burn 5.50125`)).code).toBe(0);
  });

  const noConnection = () => {
    throw new ConnectionFailed("connection refused", { code: "ECONNREFUSED", sent: false });
  };
  test.each<[string, Body | (() => Response)]>([
    ["a rental has no cost", [{ id: 1 }]],
    ["the listing is refused", failing(403)],
    ["the listing fails", failing(503)],
    ["the listing cannot be reached", noConnection],
    ["a cost is negative", [{ id: 1, costPerHour: -1 }]],
    ["the listing is null", null],
    ["the listing is an empty object", {}],
    ["the listing is an error", { error: "Down" }],
    ["the listing is not JSON", () => new Response("<html>")],
  ])("fails when the cost of the active rentals is unknown: %s", async (_why, listing) => {
    const { run } = await withOneRental({ [summaryPath]: {}, [listPath]: listing });
    const { code, err, requests } = await run(`${line} --max-burn 100 --retries 0`);
    expect({ code, writes: writeCount(requests) }).toEqual({ code: 11, writes: 0 });
    expect(err).toContain("the hourly cost of the active rentals is unknown");
  });

  test("exits with 3 if the service rejects the key", async () => {
    const { run } = await withOneRental({ [summaryPath]: failing(401) });
    expect(await run(`${line} --max-burn 100`)).toMatchObject({ code: 3, out: "" });
  });

  describe("when the price of the new rental is unknown", () => {
    const noPrice = { [optionsPath]: [], [listPath]: [], [historyPath]: [] };

    test("counts only the active rentals, and warns", async () => {
      const { run } = await withOneRental(noPrice);
      const { code, err, requests } = await run(`${line} --max-burn 2.01`);
      expect({ code, writes: writeCount(requests) }).toEqual({ code: 0, writes: 1 });
      expect(err).toContain(
        "Warning: the price of the new rental is not known in advance, so the burn limit counts only the active rentals, which cost $2.00 an hour.",
      );
    });

    test("fails when the active rentals alone cost as much as the limit", async () => {
      const { run } = await withOneRental(noPrice);
      const { code, err } = await run(`${line} --max-burn 2.00`);
      expect(code).toBe(11);
      expect(err).toContain("the active rentals already cost $2.00 an hour; the limit is $2.00");
    });
  });

  test("uses the on-demand price for a reserved term, unless a reserved rental shows the reserved price", async () => {
    const { run } = await createCli();
    const reserved = "rentals create vm --gpus 1 --term-type reserved --term-period-days 30 --sandbox --yes";
    const refused = await run(`${reserved} --max-burn 1.99`);
    expect(refused).toMatchObject({ code: 11, out: "" });
    expect(refused.err).toContain("about $2.00 more, the on-demand price in the service's rental options");
    expect(await run(`${reserved} --max-burn 2`)).toMatchObject({ code: 0 });
    // The rental that was just created costs $1.80 an hour, so a second one is expected to cost the same.
    expect(await run(`${reserved} --max-burn 3.60`)).toMatchObject({ code: 0 });
  });

  test("rejects an invalid amount", async () => {
    const { run } = await withOneRental();
    const { code, err, requests } = await run(`${line} --max-burn cheap`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("--max-burn");
  });
});

describe("the lock for creates with a burn limit", () => {
  /** A lock that another process renewed `seconds` ago. If negative, the lock does not become stale in a test. */
  async function withLock(seconds: number) {
    const cli = await createCli();
    const lock = join(cli.folder, "state", "rentals-create.lock");
    await mkdir(lock, { recursive: true });
    const moment = Date.now() / 1000 - seconds;
    await utimes(lock, moment, moment);
    return { ...cli, lock };
  }

  test("if another process holds it, the wait times out with an error that says what gpuctl waited for", async () => {
    const { run, lock } = await withLock(-3600);
    const { code, err, requests } = await run(`${line} --max-burn 10`);
    expect({ code, requests }).toEqual({ code: 8, requests: [] });
    expect(err).toContain(
      "Waiting for another gpuctl process that is creating a rental.\nError: waited 5m for another gpuctl process",
    );
    expect(err).toContain(`delete ${lock}`);
    expect(await run(line)).toMatchObject({ code: 0 });
  });

  test("is taken over from a killed process, and released afterwards", async () => {
    const { run, lock } = await withLock(3600);
    expect(await run(`${line} --max-burn 10`)).toMatchObject({ code: 0 });
    expect(existsSync(lock)).toBe(false);
    expect(await run(`${line} --max-burn 2`)).toMatchObject({ code: 11 });
    expect(existsSync(lock)).toBe(false);
  });

  test("is checked before the create is sent: if another process took it meanwhile, gpuctl checks the limit again", async () => {
    let losses = 2;
    const cli = await createCli({
      respond: async ({ path }) => {
        if (path === summaryPath && losses-- > 0) {
          await writeFile(join(cli.folder, "state", "rentals-create"), "another process");
        }
        return undefined;
      },
    });
    const { code, requests } = await cli.run(`${line} --max-burn 2`);
    const summaries = requests.filter(({ path }) => path === summaryPath).length;
    expect({ code, summaries, writes: writeCount(requests) }).toEqual({ code: 0, summaries: 3, writes: 1 });
  });

  describe("is lost during the first of three creates", () => {
    /**
     * A CLI whose lock is taken by another process when a create is sent. The service then calls `spoil` and responds
     * with the status `first`.
     */
    async function loser(spoil: () => void, first = 201) {
      let creates = 0;
      const cli = await createCli({
        respond: async ({ path, method }) => {
          if (method === "POST") {
            creates += 1;
            await writeFile(join(cli.folder, "state", "rentals-create"), "another process");
            spoil();
            return Response.json(
              { id: creates, costPerHourCents: 200, status: "Pending" },
              { status: first },
            );
          }
          if (creates > 0 && path === summaryPath) return Response.json({ totalCostPerHourCents: 600 });
          return path === listPath ? Response.json([]) : undefined;
        },
      });
      return cli;
    }

    test("if the limit then allows no other rental, the created one is printed", async () => {
      const { run } = await loser(() => {});
      const { code, out, err, requests } = await run(`${line} --count 3 --max-burn 6 -o json`);
      expect({ code, writes: writeCount(requests) }, err).toEqual({ code: 12, writes: 1 });
      expect(JSON.parse(out)).toMatchObject([{ id: 1 }]);
      expect(err).not.toContain("Nothing was sent");
      const { error } = JSON.parse(err.slice(err.indexOf("{")));
      expect(error).toMatchObject({
        message: "2 of 3 rentals could not be created",
        hint: "Rental 1 was created and is billed. Do not create it again.",
        issues: [
          { path: "number 2", message: expect.stringContaining("the active rentals cost $6.00 an hour") },
          { path: "number 3", message: "not tried, because number 2 failed" },
        ],
      });
    });

    test("if the outcome of the first is unknown, the error says so", async () => {
      const { run } = await loser(() => {}, 502);
      const { code, err, requests } = await run(`${line} --count 3 --max-burn 6`);
      expect({ code, writes: writeCount(requests) }, err).toEqual({ code: 10, writes: 1 });
      expect(err).toMatch(/^ *number 1: the outcome is unknown/m);
      expect(err).not.toContain("Nothing was sent");
    });

    test("after Ctrl-C, the created rental is printed", async () => {
      const stop = new AbortController();
      const { run } = await loser(() => stop.abort());
      const options = { signal: stop.signal };
      const { code, out, err } = await run(`${line} --count 3 --max-burn 6 -o json`, options);
      expect(code, err).toBe(130);
      expect(JSON.parse(out)).toMatchObject([{ id: 1 }]);
      expect(err).not.toMatch(/nothing was (sent|spent)/i);
    });
  });

  test("cannot be created if the state folder cannot be written: an error says so, and nothing is sent", async () => {
    const { run, folder } = await createCli();
    await writeFile(join(folder, "state"), "a file");
    const { code, err, requests } = await run(`${line} --max-burn 10`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("need a lock in the state folder");
    expect(err).toContain("GPUCTL_STATE_DIR");
  });

  test("is not named in the error if the lease cannot be saved", async () => {
    const { run } = await createCli();
    denyWrites("leases.jsonl");
    const { code, err } = await run(`${line} --max-burn 10 --lease 1h`);
    expect(code).toBe(2);
    expect(err).toMatch(/cannot save .*leases\.jsonl/);
    expect(err).not.toContain("need a lock");
  });

  test("is not created without a limit or in a dry run", async () => {
    const { run, folder } = await createCli();
    await run(line);
    await run(`${line} --max-burn 10 --dry-run`);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("--max-burn with --count", () => {
  /** A service whose response to the nth create has the fields of `costs(n)`. Without `offer`, it lists no price. */
  const serviceWith = (
    costs: (at: number) => object,
    {
      offer,
      summary,
      status = () => 201,
    }: {
      offer?: number;
      summary?: (made: number) => object;
      status?: (at: number) => number;
    } = {},
  ) => {
    let made = 0;
    return createCli({
      respond: ({ method, path }) => {
        if (method === "POST") {
          made += 1;
          return Response.json({ id: made, status: "Pending", ...costs(made) }, { status: status(made) });
        }
        if (path === optionsPath) {
          const option = { gpuType: "h100", gpuCount: 1, region: "us-central-1", connectionType: "ethernet" };
          return Response.json(offer === undefined ? [] : [{ ...option, costPerHourCents: offer }]);
        }
        if (path === summaryPath) return Response.json(summary?.(made) ?? { totalCostPerHourCents: 0 });
        return path === listPath || path === historyPath ? Response.json([]) : undefined;
      },
    });
  };
  const five = `${line} --count 5 -o json --max-burn`;

  test.each([
    ["the price is not known in advance", {}],
    ["the price is above the listed one", { offer: 50 }],
  ])("stops before a rental that would exceed the limit, if %s", async (_, service) => {
    const { run } = await serviceWith(() => ({ costPerHourCents: 200 }), service);
    const { code, out, err, requests } = await run(`${five} 5`);
    expect({ code, writes: writeCount(requests) }).toEqual({ code: 12, writes: 2 });
    expect(JSON.parse(out)).toMatchObject([{ id: 1 }, { id: 2 }]);
    const { error } = JSON.parse(err.slice(err.indexOf("{")));
    expect(error).toMatchObject({
      code: "SOME_FAILED",
      message: "3 of 5 rentals could not be created",
      hint: "Rentals 1, 2 exist and are billed. Do not create them again.",
      issues: [
        {
          path: "number 3",
          message: expect.stringContaining(
            "including the new ones, the active rentals cost $4.00 an hour, and another one would cost $2.00 more; the limit is $5.00",
          ),
        },
        { path: "number 4", message: "not tried, because number 3 failed" },
        { path: "number 5", message: "not tried, because number 3 failed" },
      ],
    });
  });

  test("stops after the first rental if that one is more expensive than listed", async () => {
    const { run } = await serviceWith(() => ({ costPerHourCents: 400 }), { offer: 100 });
    const { code, requests } = await run(`${five} 5`);
    expect({ code, writes: writeCount(requests) }).toEqual({ code: 12, writes: 1 });
  });

  test("creates all rentals if they fit the limit at the listed price, even if responses name lower prices, and otherwise none", async () => {
    const { run } = await serviceWith((at) => ({ costPerHourCents: at === 1 ? 0 : 50 }), { offer: 100 });
    expect(await run(`${five} 5`)).toMatchObject({ code: 0 });
    expect(await run(`${line} --count 2 --max-burn 0.99`)).toMatchObject({ code: 11 });
  });

  test("requests the total from the service if the responses to the creates have no price", async () => {
    const summary = (made: number) => ({ totalCostPerHourCents: made * 200 });
    const { run } = await serviceWith(() => ({}), { summary });
    const { code, requests } = await run(`${five} 5`);
    expect({ code, writes: writeCount(requests) }).toEqual({ code: 12, writes: 3 });
  });

  test("counts the rentals of creates whose outcome is unknown", async () => {
    const costs = (at: number) => (at === 1 ? {} : { costPerHourCents: 200 });
    const { run } = await serviceWith(costs, { offer: 100, status: (at) => (at === 1 ? 502 : 201) });
    const { code, requests } = await run(`${line} --count 3 --max-burn 4`);
    expect({ code, writes: writeCount(requests) }).toEqual({ code: 10, writes: 2 });
  });
});
