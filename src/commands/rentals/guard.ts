import { existsSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { leaseFileFlag, leasePlace } from "../../command-kit/rentals/lease-file.ts";
import { hintOf, SomeFailed, UsageError } from "../../core/errors.ts";
import type { NextStep } from "../../core/result.ts";
import { quoted } from "../../core/text.ts";
import { duration, timeUnits } from "../../core/values/durations.ts";
import { eventRecord, type GuardEvent, guardView } from "./guard/events.ts";
import { type Guard, guardRound } from "./guard/round.ts";

/** A guard runs unattended, so it waits at least this long between two rounds. Milliseconds. */
const minInterval = 10 * timeUnits[3].milliseconds;

const leased = "gpuctl rentals create vm --gpus 1 --lease 2h --sandbox --yes";

export default defineCommand({
  path: "rentals guard",
  summary: "End the rentals whose leases are over",
  details:
    "Ends rentals as `gpuctl rentals terminate` does, and checks that they have ended. Reports active rentals without a lease, and leases that will soon be over. It never ends a rental that has no lease, or that it cannot identify with certainty; it only reports such rentals. If it is not known whether a rental has ended, the next check looks again. Without --every, the exit code is then 10. Run the guard on a machine that stays on: with --every, or with --once from cron, a systemd timer or a Kubernetes CronJob. Without a terminal, it needs --yes, because its purpose is to terminate rentals. The service itself can end a rental when its reserved term is over: create the rental with --no-convert-to-on-demand-on-expiry. See docs/leases.md.",
  effect: "destroy",
  alsoCalls: ["listVirtualMachineRentals", "listBareMetalRentals", "getRental"],
  readsInDryRun: true,
  flags: {
    once: flag.boolean("Check once and exit; this is the default", { conflictsWith: ["every"] }),
    every: flag.duration("Check this often until Ctrl-C, and continue after temporary failures"),
    warn: flag.duration("Report a lease this long before it is over", { default: "15m" }),
    notify: flag.text(
      "Run this command line for each event. The event is passed as JSON on stdin, and in the variables GPUCTL_EVENT, GPUCTL_EVENT_RENTAL, GPUCTL_EVENT_LABEL, GPUCTL_EVENT_ENDS_AT and GPUCTL_EVENT_MESSAGE. For a state that lasts, such as a rental without a lease, the command runs at each check until it has succeeded once; docs/leases.md lists the events",
      { value: "COMMAND" },
    ),
    ...leaseFileFlag,
  },
  uses: ["programs", "withServiceFlags", "preload"],
  view: guardView,
  examples: [
    {
      text: "End the rentals whose leases are over",
      command: "gpuctl rentals guard --yes --sandbox",
      after: [leased, "gpuctl sandbox clock advance 3h"],
    },
    {
      text: "Show what would be ended, and end nothing",
      command: "gpuctl rentals guard --dry-run --sandbox",
      after: [leased],
    },
    {
      text: "Check once, and append the events to a file",
      command: "gpuctl rentals guard --once --notify 'cat >> guard.jsonl' --yes --sandbox",
      after: [leased],
    },
  ],
  confirm: {
    destruction: ({ flags }) =>
      `Terminate every rental whose lease is over${flags.every === undefined ? "" : ", now and later"}? All data on them is lost.`,
  },
  run: async ({ flags, preload, ...context }) => {
    const { every, warn } = flags;
    if (flags.notify?.trim() === "") throw new UsageError("--notify must not be empty");
    if (every !== undefined && every < minInterval) {
      throw new UsageError(`--every must be at least ${duration(minInterval)}, not ${duration(every)}`);
    }
    if (every !== undefined) await preload("program");
    const place = leasePlace(flags, context);
    // If the folder of the lease file is missing, reading the file fails with an error that says so.
    const hasFolder = place.ownFolder || existsSync(dirname(place.path));
    if (hasFolder && !(await lstat(place.path).catch(() => undefined))) {
      context.say(`There is no lease file ${place.path} yet.`);
    }
    const guard = { ...context, place, warn, notify: flags.notify };
    if (every !== undefined) return (await import("./guard/every.ts")).guardEvery(every, guard);
    return once(guard);
  },
});

/** The events that count as successes. The other events without an error only report something. */
const done: ReadonlySet<GuardEvent["event"]> = new Set(["ended", "ending", "would-end", "had-ended"]);

async function once(guard: Guard) {
  const events = await guardRound(guard);
  const failed = events.filter(({ error }) => error !== undefined);
  const failure =
    failed.length === 0
      ? undefined
      : new SomeFailed(`the guard found ${failed.length === 1 ? "a problem" : `${failed.length} problems`}`, {
          failures: failed.map((event) => ({ name: nameOf(event), error: event.error })),
          succeeded: events.filter(({ event, error }) => error === undefined && done.has(event)).length,
          hint: [...new Set(failed.map(({ error }) => hintOf(error)))].filter(Boolean).join(" "),
        });
  if (failure && failed.length === events.length) throw failure;
  return { data: events.map(eventRecord), failure, nextSteps: nextSteps(events, guard) };
}

/** How many next steps are shown at most. */
const maxSteps = 5;

/**
 * The commands to suggest for rentals that still run. The messages of the events also name these commands, but a table
 * shortens messages.
 */
const nextSteps = (events: readonly GuardEvent[], { place }: Guard): readonly NextStep[] => {
  const file = place.ownFolder ? "" : ` --lease-file ${quoted(place.path)}`;
  const steps = events.flatMap(({ event, rentalId }): readonly NextStep[] => {
    if (rentalId === undefined) return [];
    if (event === "no-lease") {
      return [{ command: `rentals lease set${file}`, args: [rentalId, "2h"], text: "give it a lease" }];
    }
    if (event === "unchecked") {
      return [{ command: `rentals lease set${file}`, args: [rentalId, "2h"], text: "set when it ends" }];
    }
    if (event === "ends-soon") {
      return [{ command: `rentals lease extend${file}`, args: [rentalId, "1h"], text: "let it run longer" }];
    }
    return [];
  });
  return steps.slice(0, maxSteps);
};

/** What an event is about, for messages. The message of an `unreadable` event already contains the path. */
const nameOf = ({ rentalId, token, event }: GuardEvent): string =>
  event === "unreadable" ? event : (rentalId ?? token ?? event);
