import { setImmediate } from "node:timers/promises";
import { listDescribed } from "../../client/call.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { flag } from "../../command-kit/flag.ts";
import { usesAscii } from "../../core/locale.ts";
import { centNumber, dollarText } from "../../core/values/money.ts";
import type { ListView } from "../../core/view.ts";
import { amountOf, amountPaths, costPerDay, fromPaths, untilPaths } from "./days.ts";
import { billingOperation } from "./operations.ts";

export default defineCommand({
  path: "billing usage",
  summary: "Show what the rentals have cost",
  details:
    "With --plot, the cost of a rental is spread evenly over the time that it ran. Days are in UTC, and their amounts add up exactly to the total of all usage that has a date.",
  flags: { plot: flag.boolean("Draw the cost of each day as a bar") },
  uses: ["installation"],
  view: {
    kind: "list",
    columns: [
      { title: "RENTAL", paths: ["rentalId", "rental.id", "id"] },
      { title: "LABEL", paths: ["label", "rental.label", "description", "name"] },
      { title: "TYPE", paths: ["rentalType", "type"] },
      { title: "FROM", paths: fromPaths, format: "time" },
      { title: "UNTIL", paths: untilPaths, format: "time" },
      { title: "COST", name: "amountCents", paths: amountPaths, format: "cents" },
    ],
    empty: "No usage.",
    id: ["rentalId", "id"],
  },
  examples: examplesAfter(sandboxExamples.rental, [
    { text: "Show what each rental has cost", command: "gpuctl billing usage --sandbox" },
    { text: "Draw the cost of each day", command: "gpuctl billing usage --plot --sandbox" },
    { text: "Print the cost of each day as CSV", command: "gpuctl billing usage --plot -o csv --sandbox" },
  ]),
  run: async ({ flags, installation, ...context }) => {
    const { interrupted, say, serviceNow, settings } = context;
    const lines = await listDescribed(await billingOperation("usage", context), context);
    if (!flags.plot) return { data: lines, note: totalOf(lines) };
    // Without these pauses, no signal could end this process.
    const pause = async () => {
      await setImmediate();
      interrupted.throwIfAborted();
    };
    const { days, undated } = await costPerDay(lines, serviceNow(), pause);
    if (undated !== 0n) say(`Not shown, because it has no date: usage of ${dollarText(undated)}.`);
    if (settings.output !== "table" || days.length === 0) {
      return {
        data: days.map(({ date, cost }) => ({ date, amountCents: centNumber(cost) })),
        view: daysView,
      };
    }
    const { plot } = await import("./plot.ts");
    const { env, terminal } = installation;
    return {
      text: [plot(days, { columns: terminal.columns, unicode: env.TERM !== "dumb" && !usesAscii(env) })],
    };
  },
});

/** The total as text; undefined if no line has an amount. */
function totalOf(lines: readonly unknown[]): string | undefined {
  const amounts = lines.flatMap((line) => amountOf(line) ?? []);
  if (amounts.length === 0) return undefined;
  const total = dollarText(amounts.reduce((sum, amount) => sum + amount, 0n));
  const without = lines.length - amounts.length;
  return `Total: ${total}${without > 0 ? ` (lines without an amount: ${without})` : ""}`;
}

const daysView: ListView = {
  kind: "list",
  columns: [
    { title: "DATE", paths: ["date"] },
    { title: "COST", name: "amountCents", paths: ["amountCents"], format: "cents" },
  ],
  empty: "No usage.",
  id: ["date"],
};
