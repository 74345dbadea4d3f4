import { describe, expect, test } from "vitest";
import { createCli, firstMoment } from "../support/cli.ts";

const vm = "rentals create vm --gpus 1 --sandbox --yes";

describe("reserve convert", () => {
  test("accepts the price in dollars or in cents", async () => {
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

  test("rejects two different prices", async () => {
    const { run } = await createCli();
    const line = "reserve convert 1 --days 30 --expected-price 1.00 --sandbox --expected-total-price-cents";
    expect(await run(`${line} 101`)).toMatchObject({ code: 2, requests: [] });
    expect((await run(`${line} 100`)).requests).toHaveLength(1);
  });

  test("shows why the service rejects the price", async () => {
    const { run } = await createCli();
    await run(vm);
    const { code, out, err } = await run("reserve convert 1001 --days 30 --expected-price 1 --sandbox");
    expect({ code, out }).toEqual({ code: 6, out: "" });
    expect(err).toContain("--expected-price (expectedTotalPriceCents) must be 129600");
  });
});

test("reserve extend moves the end of a term", async () => {
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

test("reserve request prints the service's message", async () => {
  const { run } = await createCli();
  const { out } = await run("reserve request --gpus 512 --sandbox");
  expect(out).toBe("The sandbox received your request for 512 GPUs. It does not forward it to anyone.\n");
  expect(JSON.parse((await run("reserve request --gpus 512 -o json --sandbox")).out)).toEqual({
    message: out.trimEnd(),
  });
});
