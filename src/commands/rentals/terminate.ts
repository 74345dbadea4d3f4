import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";
import { flag } from "../../command-kit/flag.ts";
import { notDone } from "../../command-kit/outcomes.ts";
import { labelPaths } from "../../command-kit/responses.ts";
import { type FailedItem, Interrupted, SomeFailed, UsageError } from "../../core/errors.ts";
import { idOf } from "../../core/responses/rental.ts";
import { commandLine } from "../../core/text.ts";
import { filterFlags, rentalFilter } from "./filter.ts";
import { type Ended, endedMessage, endRental, stillActive } from "./terminate/end.ts";
import { planMatching, planTermination, type TerminationPlan } from "./terminate/plan.ts";
import { id } from "./views.ts";
import { stateText } from "./waiting.ts";

export default defineCommand({
  path: "rentals terminate",
  summary: "Terminate rentals, if the service offers an operation for it",
  details:
    "The service's documentation describes no operation that terminates a rental. If the service's OpenAPI description lists one, gpuctl uses it. Rentals are named by ID or label, or selected with --all, --label or --older-than. With both --label and --older-than, only rentals that match both are selected. Rentals named by ID or label are looked up first: if one is not found or cannot be terminated, none is terminated. If the request to terminate a rental fails, the other rentals are terminated anyway. A rental that had ended before counts as terminated.",
  effect: "destroy",
  args: [
    arg.texts("RENTAL", "ID of a rental, or label of an active one", {
      required: true,
      completes: "rental",
      replacedByFlag: ["all", "label", "olderThan"],
    }),
  ],
  flags: {
    all: flag.boolean("All active rentals", { conflictsWith: ["label", "olderThan"] }),
    ...filterFlags,
  },
  view: {
    kind: "list",
    columns: [
      { title: "ID", paths: id },
      { title: "LABEL", paths: labelPaths },
      { title: "MESSAGE", paths: ["message"] },
    ],
    empty: "Nothing was terminated.",
    id,
  },
  examples: [
    {
      text: "Terminate a rental",
      command: "gpuctl rentals terminate 1001 --yes --sandbox",
      after: [sandboxExamples.rental],
    },
    {
      text: "Terminate two rentals and print the responses as received",
      command: "gpuctl rentals terminate 1002 1003 --yes -o json --sandbox",
      after: [sandboxExamples.rental, sandboxExamples.rental, sandboxExamples.rental],
    },
    {
      text: "Terminate every active rental",
      command: "gpuctl rentals terminate --all --yes --sandbox",
      after: [sandboxExamples.rental, sandboxExamples.bareMetalRental],
    },
    {
      text: "Terminate the rentals whose label starts with ci-",
      command: "gpuctl rentals terminate --label 'ci-*' --yes --sandbox",
      after: ["gpuctl rentals create vm --gpus 1 --label ci-build --sandbox --yes"],
    },
  ],
  buildInput: async ({ args, flags, ...context }) => {
    const words = [...new Set(args.rental)];
    if (words.includes("")) throw new UsageError("RENTAL must not be empty");
    const selects = flags.all || flags.label !== undefined || flags.olderThan !== undefined;
    if (!selects) {
      if (words.length === 0) throw new UsageError("missing required input: RENTAL");
      return { rentals: await planTermination(words, context) };
    }
    if (words.length > 0) {
      throw new UsageError("RENTAL cannot be used together with --all, --label or --older-than", {
        hint: "Use either RENTAL or those flags. Nothing was terminated.",
      });
    }
    // Flags are checked before anything is sent.
    rentalFilter(flags, context.now());
    const tooYoung = new Set<string>();
    const rentals = await planMatching((record) => {
      // The service's clock is known from its response. Either that clock or this machine's clock may be wrong, so a
      // rental must match according to both. In the sandbox, only the sandbox's clock counts, because the user can move
      // it.
      const times = [context.serviceNow(), ...(context.settings.sandbox ? [] : [context.now()])];
      const matches = times.filter((now) => rentalFilter(flags, now)(record)).length;
      if (matches > 0 && matches < times.length) tooYoung.add(idOf(record) ?? "(no ID)");
      return matches === times.length;
    }, context);
    if (tooYoung.size > 0) {
      context.say(
        `Left out: ${[...tooYoung].join(", ")}. The clocks of this machine and of the service differ, and according to one of them the age is below --older-than. \`gpuctl doctor\` compares the clocks.`,
      );
    }
    if (rentals.length === 0) context.say(flags.all ? "No active rentals." : "No active rental matches.");
    return { rentals };
  },
  confirm: {
    destruction: ({ input: { rentals }, serviceNow }) => {
      const active = rentals.filter(({ request }) => request !== undefined);
      if (active.length === 0) return undefined;
      const names = active.map((rental) => nameInQuestion(rental, serviceNow())).join(", ");
      return active.length === 1
        ? `Terminate ${names}? All data on it is lost.`
        : `Terminate ${active.length} rentals: ${names}? All data on them is lost.`;
    },
  },
  run: async ({ input: { rentals }, ...context }) => {
    if (context.settings.dryRun) await showRequests(rentals, context);
    const { setFailureContext, interrupted } = context;
    const ended: Ended[] = [];
    const active = new Set<string>();
    const failures: FailedItem[] = [];
    for (const rental of rentals) {
      const { id } = rental;
      try {
        if (interrupted.aborted) throw new Interrupted("not tried, because of the interruption");
        ended.push(await endRental(rental, context));
        setFailureContext(doneSoFar(ended, active));
        if (rental.request === undefined || !(await warnIfActive(id, context))) continue;
        active.add(id);
        setFailureContext(doneSoFar(ended, active));
      } catch (error) {
        if (rentals.length === 1) throw error;
        failures.push({ name: id, error });
      }
    }
    const problem = notDone(failures, "could not be terminated").join(" or ");
    const failure =
      failures.length === 0
        ? undefined
        : new SomeFailed(`${failures.length} of ${rentals.length} rentals ${problem}`, {
            failures,
            succeeded: ended.length,
          });
    if (failure && ended.length === 0) throw failure;
    return {
      data: ended.map(({ response }) => response),
      rows: ended.map((one) => ({
        rentalId: one.id,
        label: one.label,
        message: endedMessage(one, active.has(one.id) ? "not ended yet" : "terminated"),
      })),
      failure,
    };
  },
});

/** How a question names a rental: with its label, and with the end of its reserved term if the term is not over. */
function nameInQuestion({ id, label, reservedUntil = 0 }: TerminationPlan, now: number): string {
  const term = reservedUntil > now && `reserved until ${new Date(reservedUntil).toISOString().slice(0, 10)}`;
  const about = [label, term].filter(Boolean).join(", ");
  return about === "" ? id : `${id} (${about})`;
}

/**
 * Shows every request of a dry run. In a dry run, `request` records the request and then throws `DryRun`, so this
 * function makes all requests before it throws the first error.
 */
async function showRequests(
  rentals: readonly TerminationPlan[],
  { request, say }: Pick<Context, "request" | "say">,
): Promise<void> {
  const unsure = rentals.filter(({ alternatives }) => alternatives.length > 0).map(({ id }) => id);
  if (unsure.length > 0) {
    const [types, one] =
      unsure.length === 1
        ? [`rental ${unsure[0]} is a virtual machine or bare metal`, "one of them"]
        : [`rentals ${unsure.join(", ")} are virtual machines or bare metal`, "one for each rental"];
    say(
      `A dry run does not look up whether ${types}, so it shows the request for each type. Only ${one} would be sent.`,
    );
  }
  const shown = rentals
    .flatMap((one) => [one.request ?? [], one.alternatives].flat())
    .map((parts) => request(parts));
  await Promise.allSettled(shown);
  await Promise.all(shown);
}

/** What is known when a later rental fails. `active` holds the IDs of rentals that had not ended when looked up. */
function doneSoFar(ended: readonly Ended[], active: ReadonlySet<string>): string {
  const ids = ended.map(({ id }) => id);
  const lines = [
    ["Terminated", ids.filter((id) => !active.has(id))],
    ["Not ended yet", ids.filter((id) => active.has(id))],
  ] as const;
  return lines
    .flatMap(([title, some]) => (some.length === 0 ? [] : `${title}: ${some.join(", ")}.`))
    .join(" ");
}

/**
 * Warns if a rental is still active, and so still billed, after a successful response. Returns whether it is active.
 */
async function warnIfActive(id: string, { call, say }: Pick<Context, "call" | "say">): Promise<boolean> {
  const record = await stillActive(id, { call });
  if (record === undefined) return false;
  say(
    `Rental ${id} has not ended yet (${stateText(record)}) and is billed until it does. Run \`${commandLine("rentals wait", [id], ["--for", "terminated"])}\` to wait for it.`,
  );
  return true;
}
