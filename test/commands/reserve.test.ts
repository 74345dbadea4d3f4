import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Interrupted } from "../../src/core/errors.ts";
import type { Prompts, TextQuestion } from "../../src/system/types.ts";
import { createCli, firstMoment } from "../support/cli.ts";

const vm = "rentals create vm --gpus 1 --sandbox --yes";

describe("reserve convert", () => {
  test("accepts the price in dollars, and sends the price in cents", async () => {
    const { run } = await createCli();
    await run(vm);
    const { code, out, requests } = await run(
      "reserve convert 1001 --days 30 --expected-price 1,296.00 --sandbox",
    );
    expect(requests.at(-1)?.body).toEqual({
      rentalId: 1001,
      termPeriodDays: 30,
      expectedTotalPriceCents: 129600,
    });
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "rentalId:        1001
      termType:        reserved
      termPeriodDays:  30
      totalPrice:      $1,296.00
      costPerHour:     $1.80
      reservedUntil:   2026-12-20T12:00:02.000Z
      "
    `);
  });

  test("rejects --expected-price and --expected-total-price-cents with different prices", async () => {
    const { run } = await createCli();
    const line = "reserve convert 1 --days 30 --expected-price 1.00 --sandbox --expected-total-price-cents";
    expect(await run(`${line} 101`)).toMatchObject({ code: 2, requests: [] });
    expect((await run(`${line} 100`)).requests).toHaveLength(1);
  });

  test("names the flag of a price that the service rejects", async () => {
    const { run } = await createCli();
    await run(vm);
    const { code, out, err } = await run("reserve convert 1001 --days 30 --expected-price 1 --sandbox");
    expect({ code, out }).toEqual({ code: 6, out: "" });
    expect(err).toContain("--expected-price (expectedTotalPriceCents) must be 129600");
  });
});

test("reserve extend moves the end of the term", async () => {
  const { run } = await createCli();
  await run("rentals create vm --gpus 1 --term-type reserved --days 30 --sandbox --yes");
  const until = new Date(firstMoment + 2000 + 60 * 86_400_000).toISOString();
  const { code, requests, out } = await run(
    `reserve extend 1001 --days 30 --expected-price 1296 --expected-reserved-until ${until} -o json --sandbox`,
  );
  expect(code).toBe(0);
  expect(requests.at(-1)?.body).toMatchObject({ expectedReservedUntil: until });
  expect(JSON.parse(out)).toMatchObject({ rentalId: 1001, reservedUntil: until });
});

const reserved = "rentals create vm --gpus 1 --term-type reserved --days 30 --sandbox --yes";

const convert = "reserve convert 1001 --days 30 --expected-price 1296 --yes --sandbox";

describe("a rental with a lease", () => {
  test("is reserved with a warning, because the guard ends it during the term", async () => {
    const { run } = await createCli();
    await run("rentals create vm --gpus 1 --lease 2h --yes --sandbox");
    const { code, err } = await run(convert);
    expect(code).toBe(0);
    expect(err).toContain(
      "Warning: rental 1001 has a lease until 2026-11-20T14:00:00.000Z, and then `gpuctl rentals guard --sandbox` ends it, even during its reserved term. `gpuctl rentals lease clear 1001 --sandbox` removes the lease.\n",
    );
    await run("rentals lease clear 1001 --yes --sandbox");
    const extended = await run("reserve extend 1001 --days 30 --expected-price 1296 --yes --sandbox");
    expect(extended).toMatchObject({ code: 0, err: "" });
  });

  test("is reserved with a warning that repeats --lease-file, if the lease is in that file", async () => {
    const { run, folder } = await createCli();
    const flag = `--lease-file ${join(folder, "shared.jsonl")}`;
    await run(`rentals create vm --gpus 1 --lease 2h --yes --sandbox ${flag}`);
    expect((await run(`${convert} ${flag}`)).err).toContain(`rentals lease clear 1001 ${flag} --sandbox`);
  });
});

test("reserve convert rejects an empty --lease-file, and reserves nothing", async () => {
  const { run } = await createCli();
  await run(vm);
  for (const flag of ["--lease-file=", "--lease-file= --dry-run"]) {
    const { code, requests } = await run(`${convert} ${flag}`);
    expect(code).toBe(2);
    expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
  }
});

describe("the expected end of the term in reserve extend", () => {
  const end = new Date(firstMoment + 2000 + 60 * 86_400_000).toISOString();

  test.each(["", "--expected-reserved-until 2027-01-19"])(
    "can be left out, or be a date without a time: %s",
    async (flag) => {
      const { run } = await createCli();
      await run(reserved);
      const line = `reserve extend 1001 --days 30 --expected-price 1296.00 ${flag} --sandbox`;
      const { code, requests } = await run(line);
      expect(code).toBe(0);
      expect(requests.at(-1)?.body).toMatchObject({ expectedReservedUntil: end });
    },
  );

  test("is not looked up in a dry run, which prints the request that would look it up", async () => {
    const { run } = await createCli();
    await run(reserved);
    const line = "reserve extend 1001 --days 30 --expected-price 1296.00 --dry-run --sandbox";
    const { code, out, err, requests } = await run(line);
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(out).toMatch(/^GET .*\/v2\/on-demand\/rental\?rentalId=1001\n/);
    expect(err).toContain("To see the request that extends the term, set --expected-reserved-until.");
    const shown = await run(`${line} --expected-reserved-until ${end}`);
    expect(shown.out).toMatch(/^POST .*\/v2\/on-demand\/extend-reserved\n/);
    const date = await run(`${line} --expected-reserved-until 2027-01-19`);
    expect(date.out).toContain('"expectedReservedUntil": "2027-01-19T00:00:00.000Z"');
    expect(date.err.match(/.*midnight UTC.*/g)).toEqual([
      "A dry run does not look up the time of day at which the term ends, so --expected-reserved-until 2027-01-19 stands for midnight UTC.",
    ]);
  });

  test("cannot be found for a rental without a reserved term", async () => {
    const { run } = await createCli();
    await run(vm);
    const { code, err, requests } = await run("reserve extend 1001 --days 30 --expected-price 12 --sandbox");
    expect(code).toBe(2);
    expect(err).toContain("the service reports no reserved term for rental 1001");
    expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("cannot be found for a rental that does not exist", async () => {
    const { run } = await createCli();
    const { code, err } = await run("reserve extend 9999 --days 30 --expected-price 12 --yes --sandbox");
    expect(code).toBe(5);
    expect(err).toContain("rental 9999 not found");
  });
});

test("reserve extend refuses a term that would end after the year 9999", async () => {
  const { run } = await createCli();
  await run(reserved);
  for (const days of ["2912500", "999999999999", "9007199254740991"]) {
    const { code, err, requests } = await run(
      `reserve extend 1001 --days ${days} --expected-price 1 --sandbox`,
    );
    expect(code, err).toBe(2);
    expect(err).toContain(`--days ${days} is too large: the term would end after the year 9999`);
    expect(requests.every(({ method }) => method === "GET")).toBe(true);
  }
});

describe("the prompts of reserve", () => {
  test.each([
    ["extend", vm, "None of your rentals is reserved. `gpuctl reserve convert --sandbox` reserves a rental."],
    [
      "convert",
      reserved,
      "None of your rentals is on-demand. `gpuctl reserve extend --sandbox` extends a reserved term.",
    ],
  ])("in reserve %s say what to do if no rental can be selected", async (verb, made, expected) => {
    const { run } = await createCli();
    await run(made);
    const text = () => Promise.reject(new Interrupted("interrupted"));
    const { err } = await run(`reserve ${verb} --sandbox`, { terminal: 100, prompts: { text } });
    expect(err.replace(/\s+/g, " ")).toContain(expected);
  });

  test("ask for the price in dollars with an estimate, and for a new confirmation if the service names another price", async () => {
    const { run } = await createCli();
    await run(vm);
    const asked: TextQuestion[] = [];
    const confirmed: string[] = [];
    const prompts: Partial<Prompts> = {
      choose: async ({ choices }) => choices[0] ?? "",
      text: async (question) => {
        asked.push(question);
        return question.initial ?? "30";
      },
      confirm: async ({ message }) => confirmed.push(message) > 0,
    };
    const { code, err, requests } = await run("reserve convert --sandbox", { terminal: 100, prompts });
    expect(code).toBe(0);
    expect(err.match(/To run this again.*/g)).toEqual([
      "To run this again without prompts: gpuctl reserve convert --sandbox --term-period-days 30 1001 --expected-price 1296.00 --yes",
    ]);
    expect(asked.at(-1)).toMatchObject({ initial: "1440.00" });
    expect(asked.at(-1)?.message).toContain(
      "in dollars such as 1234.50; the default is an estimate from 30 days",
    );
    expect(asked.at(-1)?.message).toContain("(--expected-price)");
    const sent = requests.filter(({ method }) => method === "POST").map(({ body }) => body);
    const term = { rentalId: 1001, termPeriodDays: 30 };
    expect(sent).toEqual([
      { ...term, expectedTotalPriceCents: 144000 },
      { ...term, expectedTotalPriceCents: 129600 },
    ]);
    expect(confirmed.map((message) => /at \$\S+/.exec(message)?.[0])).toEqual([
      "at $1,440.00",
      "at $1,296.00",
    ]);
    for (const message of confirmed)
      expect(message).toMatch(/ \(Sandbox: no real resources are affected\.\)$/);
  });
});

test("reserve convert reports that the estimate failed, and asks for the price without a default", async () => {
  const { run } = await createCli({
    respond: ({ method }) =>
      method === "GET" ? Response.json({ message: "Out of order" }, { status: 500 }) : undefined,
  });
  await run(vm);
  const asked: TextQuestion[] = [];
  const text = async (question: TextQuestion) => {
    asked.push(question);
    throw new Interrupted("interrupted");
  };
  const line = "reserve convert 1001 --days 30 --sandbox --retries 0";
  const { err } = await run(line, { terminal: 100, prompts: { text } });
  expect(err).toContain("Cannot make an estimate: Out of order.");
  expect(asked).toEqual([expect.objectContaining({ initial: undefined })]);
});

describe("a rejection of the price", () => {
  const sent = 100_000;
  const rejected = async (message: string) => {
    let count = 0;
    const { run } = await createCli({
      respond: ({ method }) => {
        if (method !== "POST") return undefined;
        count += 1;
        const issues = [{ code: "custom", path: ["expectedTotalPriceCents"], message }];
        return count === 1
          ? Response.json({ code: "BAD_REQUEST", message, issues }, { status: 400 })
          : undefined;
      },
    });
    const asked: string[] = [];
    const confirm: Prompts["confirm"] = async (question) => asked.push(question.message) === 1;
    const line = `reserve convert 1001 --days 30 --expected-total-price-cents ${sent} --sandbox`;
    const { code } = await run(line, { terminal: 100, prompts: { confirm } });
    return { code, price: /at (\S+) in total/.exec(asked[1] ?? "")?.[1] };
  };

  test.each([
    "must be 129600",
    "must be 129600.",
    "Must be 129600, the price in cents of 30 days",
    "100000 does not match 129600",
    "the price is 129600, not 100000",
  ])("that names the price makes gpuctl ask whether to use it: %s", async (message) => {
    expect(await rejected(message)).toMatchObject({ price: "$1,296.00" });
  });

  test.each([
    "price is 1296.00, not 1000.00",
    "must be 129,600",
    "must be 129 600",
    "must be 129'600",
    "must be 1296.00",
    "the price is $1296",
    "the price is 1296 USD",
    "the price of 30 days is 129600",
    "100000 is not the price",
    "order o129600 has another price",
    "must be -5",
    "wrong",
  ])("that does not clearly name a price in cents causes no prompt: %s", async (message) => {
    expect(await rejected(message)).toEqual({ code: 6, price: undefined });
  });
});

describe("the printed command line that runs reserve again", () => {
  const line = "reserve convert 1001 --days 30 --sandbox";
  const again = (err: string) => err.match(/To run this again.*/g);

  test.each(["--expected-price 1", "--expected-price=1", "--expected-total-price-cents 100"])(
    "has the price that the service named instead of %s",
    async (price) => {
      const { run } = await createCli();
      await run(vm);
      const typed = `reserve convert 1001 ${price} --days 30 --sandbox`;
      const { code, err } = await run(typed, { terminal: 100, prompts: { confirm: async () => true } });
      expect(code).toBe(0);
      expect(again(err)).toEqual([
        "To run this again without prompts: gpuctl reserve convert 1001 --days 30 --sandbox --expected-price 1296.00 --yes",
      ]);
    },
  );

  test("is not printed if the user does not confirm the price that the service named", async () => {
    const { run } = await createCli();
    await run(vm);
    const answers = [true, false];
    const prompts = { text: async () => "1", confirm: async () => answers.shift() === true };
    const { code, err } = await run(line, { terminal: 100, prompts });
    expect(code).toBe(130);
    expect(again(err)).toBeNull();
  });

  test("is printed without --yes if a lookup fails before the confirmation prompt", async () => {
    const { run } = await createCli();
    await run(vm);
    const prompts = { text: async () => "12.00" };
    const typed = "reserve extend no-such-label --days 30 --sandbox";
    const { code, err } = await run(typed, { terminal: 100, prompts });
    expect(code).toBe(5);
    expect(again(err)).toEqual([
      "To run this again with the same values: gpuctl reserve extend no-such-label --days 30 --sandbox --expected-price 12.00",
    ]);
  });
});

test("reserve request prints the message of the service", async () => {
  const { run } = await createCli();
  const { out } = await run("reserve request --gpus 512 --sandbox");
  expect(out).toBe("The sandbox received your request for 512 GPUs, and does not forward it to anyone.\n");
  expect(JSON.parse((await run("reserve request --gpus 512 -o json --sandbox")).out)).toEqual({
    message: out.trimEnd(),
  });
});
