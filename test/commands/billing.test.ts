import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { costPerDay } from "../../src/commands/billing/days.ts";
import { createCli } from "../support/cli.ts";
import { description, descriptionPath, requestLines, service } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const hour = 3_600_000;

/** A sandbox with a rental of $2.00 an hour that ran for 30 hours, and a second rental that still runs. */
async function withUsage() {
  const cli = await createCli();
  await cli.run("rentals create vm --gpus 1 --label first --wait --yes --sandbox");
  cli.advance(30 * hour);
  await cli.run("rentals terminate first --yes --sandbox");
  await cli.run("rentals create vm --gpus 4 --label second --wait --yes --sandbox");
  cli.advance(50 * hour);
  return cli;
}

describe("billing", () => {
  test("shows dollars in tables and cents in JSON", async () => {
    const { run } = await withUsage();
    expect((await run("billing balance --sandbox")).out).toMatch(
      /^currency: +usd\ncredit: +\$[\d,.]+\nspent: +\$460\.00\n/,
    );
    expect(JSON.parse((await run("billing balance --sandbox -o json")).out)).toMatchObject({
      spentCents: 46000,
    });
    const usage = await run("billing usage --sandbox");
    expect(usage.out).toMatch(
      /^RENTAL +LABEL +TYPE +FROM +UNTIL +COST\n1001 +first .* \$60\.00\n1002 +second .* \$400\.00\n$/,
    );
    expect(JSON.parse((await run("billing usage --sandbox -o json")).out)).toMatchObject([
      { rentalId: 1001, amountCents: 6000 },
      { rentalId: 1002, amountCents: 40000 },
    ]);
    expect((await run("billing invoices --sandbox")).out).toMatch(
      /^ID +STATUS +TOTAL .*\nopen +open +\$460\.00/,
    );
  });

  test("prints the total of the usage on stderr, but not with --quiet, --plot or a format other than table", async () => {
    const { run } = await withUsage();
    const total = "Total: $460.00\n";
    expect(await run("billing usage --sandbox")).toMatchObject({ code: 0, err: total });
    for (const flags of ["-o json", "-o csv", "-o id", "--jq .", "--quiet", "--plot"]) {
      expect((await run(`billing usage ${flags} --sandbox`)).err, flags).toBe("");
    }
    const { run: runUnused } = await createCli();
    expect((await runUnused("billing usage --sandbox")).err).toBe("No usage.\n");
  });

  async function withResponse(command: string, response: unknown) {
    const path = `/v2/${command.replace("balance", "balances")}`;
    const respond = service({
      [`GET ${descriptionPath}`]: () => Response.json(description({ [`GET ${path}`]: {} })),
      [`GET ${path}`]: () => Response.json(response),
    });
    const { run } = await createCli({ respond });
    return run(`billing ${command}`, overNetwork());
  }

  const closed = { code: "LEDGER_CLOSED", message: "The ledger is closed", issues: [] };
  const closedText = "the service reported LEDGER_CLOSED: The ledger is closed";

  test.each([
    ["usage", closed, closedText],
    ["invoices", closed, closedText],
    ["balance", closed, closedText],
    ["balance", null, "the response is not an object"],
    ["usage", { message: "maintenance" }, "the response is not a list"],
    ["invoices", null, "the response is not a list"],
  ])("%s fails if the response is %j", async (command, response, message) => {
    const { code, out, err } = await withResponse(command, response);
    expect({ code, out }).toEqual({ code: exit.service, out: "" });
    expect(err).toContain(message);
  });

  test.each([{ hasMore: true }, { pagination: { total: 120 } }])(
    "usage prints a warning if the response also has %j",
    async (more) => {
      const line = { date: "2026-09-01", costCents: 500 };
      const { code, err } = await withResponse("usage", { items: [line], ...more });
      expect(code).toBe(0);
      expect(err).toContain("There may be more results");
    },
  );

  test("adds up amounts exactly", async () => {
    const day = (date: string, cents: string) => `{"date":"${date}","costCents":${cents}}`;
    const body = [
      day("2026-09-01", "9007199254740993"),
      day("2026-09-01", "2"),
      day("2026-09-02", "0.1"),
      day("2026-09-02", "0.2"),
    ];
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ "GET /v2/billing/usage": {} })),
        "GET /v2/billing/usage": () => new Response(`[${body.join(",")}]`),
      }),
    });
    const { out, err } = await run("billing usage", overNetwork());
    expect(out).toContain(" $90,071,992,547,409.93\n");
    expect(err).toContain("Total: $90,071,992,547,409.953\n");
    const plotted = await run("billing usage --plot", { ...overNetwork(), terminal: 80 });
    expect(plotted.out).toMatch(/^2026-09-01 +\$90,071,992,547,409\.95 /);
    expect(plotted.out).toMatch(/^total +\$90,071,992,547,409\.953$/m);
    expect(JSON.parse((await run("billing usage --plot -o json", overNetwork())).out)[1]).toEqual({
      date: "2026-09-02",
      amountCents: 0.3,
    });
  });

  test("follows the pages of the usage", async () => {
    const { run } = await createCli();
    for (let count = 0; count < 3; count += 1) {
      await run("rentals create vm --gpus 1 --count 7 --yes --sandbox");
    }
    const { out, requests } = await run("billing usage -o id --sandbox");
    expect(out.trim().split("\n")).toHaveLength(21);
    expect(requestLines(requests).slice(1)).toEqual([
      "GET /v2/billing/usage",
      "GET /v2/billing/usage?cursor=1020",
    ]);
  });

  test("is suggested for unknown commands such as `gpuctl balance`", async () => {
    const { run } = await createCli();
    for (const [word, meant] of [
      ["balance", "billing balance"],
      ["usage", "billing usage"],
      ["invoices", "billing invoices"],
    ]) {
      const { code, err } = await run(`${word} --sandbox`);
      expect(code).toBe(2);
      expect(err).toContain(`unknown command '${word}' (Did you mean \`gpuctl ${meant}\`?)`);
    }
  });
});

describe("billing usage --plot", () => {
  const utf8 = { env: { LANG: "en_US.UTF-8" }, terminal: 60 };

  test("draws the exact cost of each day as a bar", async () => {
    const { run } = await withUsage();
    const { code, out } = await run("billing usage --plot --sandbox", utf8);
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "2026-11-20   $24.00  ████▊
      2026-11-21   $83.99  ████████████████▋
      2026-11-22  $192.00  ██████████████████████████████████████
      2026-11-23  $160.01  ███████████████████████████████▋
      total       $460.00
      "
    `);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThan(60);
  });

  test.each([{ LANG: "C" }, { LC_ALL: "C", LANG: "C.UTF-8" }, { LANG: "C.UTF-8", TERM: "dumb" }])(
    "uses only ASCII characters with %j",
    async (env) => {
      const { run } = await withUsage();
      const { out } = await run("billing usage --plot --sandbox", { env, terminal: 80 });
      expect(out).toMatch(/\$\d+\.\d\d {2}#+\n/);
      expect(out).toMatch(/^[ -~\n]*$/);
    },
  );

  test.each([40, 80, 100, 0])("leaves the last of %i columns free (0: unknown, so 80)", async (columns) => {
    const { run } = await withUsage();
    const { out } = await run("billing usage --plot --sandbox", { ...utf8, terminal: columns });
    const widest = Math.max(...out.split("\n").map((line) => line.length));
    expect(widest).toBe((columns || 80) - 1);
  });

  test("prints the days with -o json and -o csv, and their amounts add up to the total", async () => {
    const { run } = await withUsage();
    const days: readonly { amountCents: number }[] = JSON.parse(
      (await run("billing usage --plot -o json --sandbox")).out,
    );
    expect(days.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(46000);
    expect((await run("billing usage --plot -o csv --sandbox")).out).toMatch(
      /^date,amountCents\r?\n2026-11-20,\d+/,
    );
  });

  test("pauses while it adds up thousands of years, so that it can be interrupted", async () => {
    const line = { amountCents: 1, from: "0100-01-01T00:00:00Z", until: "9999-01-01T00:00:00Z" };
    const stopped = new Error("stopped");
    await expect(costPerDay([line], 0, () => Promise.reject(stopped))).rejects.toBe(stopped);
  });

  test("says that there is no usage", async () => {
    const { run } = await createCli();
    expect(await run("billing usage --plot --sandbox")).toMatchObject({
      code: 0,
      out: "",
      err: "No usage.\n",
    });
  });

  test("adds each usage record to its day, adds up the days that do not fit, and reports usage without a date", async () => {
    const start = Date.parse("2026-09-01T00:00:00Z");
    let setup = 700;
    const lines = Array.from({ length: 40 }, (_, at) => ({
      date: new Date(start + at * 24 * hour).toISOString().slice(0, 10),
      costCents: at === 39 ? 1 : 100.5,
    }));
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ "GET /v2/billing/usage": {} })),
        "GET /v2/billing/usage": () =>
          Response.json([...lines, { label: "setup fee", costCents: setup }, { odd: true }]),
      }),
    });
    const onTerminal = { ...overNetwork({ LANG: "C.UTF-8" }), terminal: 80 };
    const { out, err } = await run("billing usage --plot", onTerminal);
    expect(out).toMatch(/^earlier +\$9\.045\n2026-09-10 +\$1\.005 {2}█+\n/);
    expect(out).toMatch(/2026-10-10 +\$0\.01 {2}▋\ntotal +\$39\.205\n$/);
    expect(err).toBe("Not shown, because it has no date: usage of $7.00.\n");
    setup = -700;
    expect((await run("billing usage --plot", onTerminal)).err).toBe(
      "Not shown, because it has no date: usage of -$7.00.\n",
    );
    setup = 700;
    expect((await run("billing usage", onTerminal)).err).toContain(
      "Total: $46.205 (lines without an amount: 1)\n",
    );
  });
});
