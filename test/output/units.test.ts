import { describe, expect, test } from "vitest";
import { duration, maxDuration, parseDuration } from "../../src/core/values/durations.ts";
import {
  decimalText,
  dollarNumber,
  dollars,
  dollarText,
  inProportion,
  parseDollars,
  parseMoney,
} from "../../src/core/values/money.ts";
import { parseTime } from "../../src/core/values/times.ts";
import { relativeTime } from "../../src/output/time.ts";
import { fc } from "../support/property.ts";
import { now } from "./rendering.ts";

describe("money", () => {
  test.each([
    [0, "$0.00"],
    [5, "$0.05"],
    [123450, "$1,234.50"],
    [-150, "-$1.50"],
    [149.5, "$1.495"],
    [9007199254740991, "$90,071,992,547,409.91"],
    [Number.NaN, "NaN"],
    [1e300, expect.stringMatching(/^\$[\d,]+\.\d\d$/)],
  ])("%s cents are %s", (cents, shown) => expect(dollars(cents)).toEqual(shown));

  test.each([
    ["0.0025", "$0.0025", 0.0025],
    ["0.04", "$0.04", 0.04],
    ["0.028125", "$0.028125", 0.028125],
    ["0.3", "$0.30", 0.3],
    ["1.005", "$1.005", 1.005],
    ["0.0000000000000000000001", "$0.0000000000000000000001", 1e-22],
    ["0", "$0.00", 0],
    ["1,234.5", "$1,234.50", 1234.5],
    [".5", "$0.50", 0.5],
    ["$90071992547409.94", "$90,071,992,547,409.94", 90071992547409.94],
  ])("%s dollars are %s", (typed, shown, number) => {
    const amount = parseMoney(typed, "--max-cost");
    expect(dollarText(amount)).toBe(shown);
    expect(dollarNumber(amount)).toBe(number);
  });

  test.each(["", "$", ".", "1.", "1,23", "-1", "1e3", "cheap"])("%j is not an exact amount", (typed) => {
    expect(() => parseMoney(typed, "--max-cost")).toThrow("--max-cost must be an amount in dollars");
  });

  test("a long text is truncated in the error message", () => {
    expect(() => parseMoney(`x${"9".repeat(10_000)}`, "--max-cost")).toThrow(
      `--max-cost must be an amount in dollars such as 12.50, not "x${"9".repeat(99)}…"`,
    );
  });

  test.each([
    [28.125, "$0.28125"],
    [0.1 + 0.2, "$0.003"],
    [374.40000000000003, "$3.744"],
    [1e-7, "$0.000000001"],
  ])("%s cents, which a service sent, are %s", (cents, shown) => expect(dollars(cents)).toBe(shown));

  test.each([
    ["1234.50", 123450],
    ["1,234.50", 123450],
    ["$12", 1200],
    [" 0.5 ", 50],
    [".05", 5],
    ["90071992547409.91", 9007199254740991],
    ["0.29", 29],
  ])("%s is %i cents", (typed, cents) => expect(parseDollars(typed)).toBe(cents));

  test.each([
    "",
    "$",
    ".",
    "1.",
    "1.234",
    "1,23",
    "12,34.00",
    "-1",
    "1e3",
    "0x10",
    "90071992547409.92",
    "1 000",
  ])("%j is not an amount", (typed) => expect(parseDollars(typed)).toBeUndefined());

  test("what is shown is read back as the same cents", () => {
    const cents = fc.oneof(fc.nat(), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));
    fc.assert(fc.property(cents, (amount) => parseDollars(dollars(amount)) === amount));
  });

  /** A whole number and up to 22 decimals, without zeros at the end. */
  const decimal = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.stringMatching(/^(?:\d{0,21}[1-9])?$/))
    .map(([whole, decimals]) => (decimals === "" ? String(whole) : `${whole}.${decimals}`));

  test("an exact amount is read back digit by digit, and is shown with all its decimals", () => {
    fc.assert(
      fc.property(decimal, (text) => {
        const amount = parseMoney(text, "it");
        expect(decimalText(amount)).toBe(text);
        expect(parseMoney(dollarText(amount), "it")).toBe(amount);
        expect(dollarNumber(amount)).toBe(Number(text));
      }),
    );
  });

  test("comparing and adding amounts gives the same result as with the numbers that they stand for", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), fc.nat({ max: 22 }), (one, other, places) => {
        const of = (digits: bigint) => {
          const text = String(digits).padStart(places + 1, "0");
          const at = text.length - places;
          return parseMoney(places === 0 ? text : `${text.slice(0, at)}.${text.slice(at)}`, "it");
        };
        expect(of(BigInt(one)) < of(BigInt(other))).toBe(one < other);
        expect(of(BigInt(one)) + of(BigInt(other))).toBe(of(BigInt(one) + BigInt(other)));
      }),
    );
  });

  test("an amount multiplied and divided by factors is exact, even if a factor has decimals", () => {
    const amount = parseMoney("0.01", "it");
    expect(decimalText(inProportion(amount, [1.5, 2048, 0.1], [1024, 3]))).toBe("0.001");
    expect(decimalText(inProportion(amount, [1, 1, 1], [1024, 1024, 25]))).toBe("0.0000000003814697265625");
  });
});

test("a timer can hold the longest duration", () => expect(maxDuration).toBeLessThan(2 ** 31));

describe("timestamps", () => {
  test.each([
    ["2026-09-12T13:59:00.123Z", Date.UTC(2026, 8, 12, 13, 59, 0, 123)],
    ["2026-09-12 13:59:00.123+00", Date.UTC(2026, 8, 12, 13, 59, 0, 123)],
    ["2026-09-12T13:59:00.123456+02:00", Date.UTC(2026, 8, 12, 11, 59, 0, 123)],
    ["2026-09-12T13:59-0530", Date.UTC(2026, 8, 12, 19, 29)],
    ["2026-09-12 13:59:00", Date.UTC(2026, 8, 12, 13, 59)],
    ["2026-09-12", Date.UTC(2026, 8, 12)],
  ])("%s is parsed", (stamp, time) => expect(parseTime(stamp)).toBe(time));

  test.each([
    "",
    "soon",
    "2026-02-30T00:00:00Z",
    "2026-13-01",
    "2026-01-01T24:00:00Z",
    "1789",
    "2026-01-01T00:61:00Z",
  ])("%j is not a time", (stamp) => expect(parseTime(stamp)).toBeUndefined());

  test("any ISO time is read back", () => {
    const date = fc.date({ min: new Date("0100-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    fc.assert(fc.property(date, (moment) => parseTime(moment.toISOString()) === moment.getTime()));
  });

  test("parsing a text never throws", () => {
    fc.assert(fc.property(fc.string(), (stamp) => void parseTime(stamp)));
  });

  test.each([
    [0, "now"],
    [-5000, "5s ago"],
    [-3 * 3_600_000 - 1, "3h ago"],
    [12 * 86_400_000, "in 12d"],
    [90_000, "in 1m 30s"],
    [7_198_000, "in 1h 59m"],
    [-800 * 86_400_000, "2y ago"],
  ])("%i ms from now is %s", (away, shown) => expect(relativeTime(now + away, now)).toBe(shown));
});

describe("durations", () => {
  test.each([
    [0, "0ms"],
    [850, "850ms"],
    [999.6, "1s"],
    [59_600, "1m"],
    [125_000, "2m 5s"],
    [3_600_000, "1h"],
    [100_800_000, "1d 4h"],
    [86_700_000, "1d"],
    [-5, "0ms"],
  ])("%d ms is %s", (milliseconds, shown) => expect(duration(milliseconds)).toBe(shown));

  test.each([
    ["30s", 30_000],
    ["2m", 120_000],
    ["1h30m", 5_400_000],
    ["500ms", 500],
    ["1d", 86_400_000],
    ["1.5h", 5_400_000],
    ["2m 5s", 125_000],
    ["0s", 0],
  ])("%s is %i ms", (typed, milliseconds) => expect(parseDuration(typed)).toBe(milliseconds));

  test.each(["", "30", "s", "1x", "-1s", "30m1h", "1..5h", ".s", "1s1s", "9999999999999d", "1 h x"])(
    "%j is not a duration",
    (typed) => expect(parseDuration(typed)).toBeUndefined(),
  );

  test("what is shown is read back, with the precision shown", () => {
    fc.assert(
      fc.property(fc.nat(1e12), (milliseconds) => {
        const shown = duration(milliseconds);
        const read = parseDuration(shown);
        expect(read === undefined ? undefined : duration(read)).toBe(shown);
      }),
    );
  });
});
