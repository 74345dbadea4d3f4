import { expect, test } from "vitest";
import { openSandbox } from "./harness.ts";

test("the list of limits says what the sandbox assumed, with its numbers", async () => {
  const { limits } = await openSandbox();
  const text = (id: string) => limits.find((limit) => limit.id === id)?.text;
  expect(new Set(limits.map(({ id }) => id)).size).toBe(limits.length);
  expect(text("prices")).toContain("h100 $2.00, h200 $2.60, b200 $4.00, rtx-6000-pro $1.00");
  expect(text("term-prices")).toContain("30% from 365 days, 20% from 90 days, 10% from 30 days");
  expect(text("boot")).toBe("A virtual machine boots in 2 s, bare metal in 4 s.");
  expect(text("addresses")).toContain("192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24");
  expect(text("body-size")).toContain("32 MiB");
});
