import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";
import { orCheck } from "../../command-kit/outcomes.ts";
import { isRecord, jsonOf } from "../../command-kit/responses.ts";
import { reasonOf, UsageError } from "../../core/errors.ts";
import { firstAt } from "../../core/json.ts";
import { UnknownOutcome } from "../../core/service-errors.ts";
import { planTermination, type TerminationPlan } from "./termination-plan.ts";
import { id } from "./views.ts";
import { statesOf, stateText } from "./waiting.ts";

export default defineCommand({
  path: "rentals terminate",
  summary: "End rentals, where the service lists an operation for it",
  details:
    "The API documents no terminate call; gpuctl uses the one that the service's own description lists. All rentals are looked up first: if one is missing, none is ended. If one cannot be ended, the others still are.",
  effect: "destroy",
  args: [arg.texts("RENTAL", "ID of a rental", { required: true, completes: "rental" })],
  view: {
    kind: "list",
    columns: [
      { title: "ID", paths: id },
      { title: "LABEL", paths: ["label"] },
      { title: "MESSAGE", paths: ["message"] },
    ],
    empty: "Nothing was ended.",
    id,
  },
  examples: [
    {
      text: "End a rental",
      command: "gpuctl rentals terminate 1001 --yes --sandbox",
      after: [sandboxExamples.rental],
    },
    {
      text: "End two, and show the responses as received",
      command: "gpuctl rentals terminate 1001 1002 --yes -o json --sandbox",
      after: [sandboxExamples.rental, sandboxExamples.rental],
    },
  ],
  buildInput: async ({ args, ...context }) => {
    const ids = [...new Set(args.rental)];
    if (ids.includes("")) throw new UsageError("RENTAL must not be empty");
    return { rentals: await planTermination(ids, context) };
  },
  confirm: {
    destruction: ({ input: { rentals } }) =>
      `End ${rentals.map(({ id, label }) => (label ? `${id} (${label})` : id)).join(", ")}? All data on ${rentals.length === 1 ? "it" : "them"} is lost.`,
  },
  run: async ({ input: { rentals }, ...context }) => {
    if (context.settings.dryRun) await showRequests(rentals, context);
    const { ifItFails, interrupted } = context;
    const ended: (TerminationPlan & { readonly response: unknown })[] = [];
    const failures: Failure[] = [];
    const report = () => {
      if (rentals.length > 1 || ended.length > 0) ifItFails(batchReport(rentals, ended, failures));
    };
    for (const rental of rentals) {
      const { id } = rental;
      interrupted.throwIfAborted();
      try {
        const response = await orCheck(
          () => terminate(rental, context),
          () => finding(id, context),
        );
        ended.push({ ...rental, response });
        report();
        await warnIfActive(id, context);
      } catch (error) {
        failures.push({ id, error });
        report();
        if (interrupted.aborted) throw error;
      }
    }
    interrupted.throwIfAborted();
    const worst = worstOf(failures);
    if (worst !== undefined) throw worst.error;
    return {
      data: ended.map(({ response }) => response),
      rows: ended.map(({ id, label, response }) => ({
        rentalId: id,
        label,
        message: isRecord(response) && typeof response.message === "string" ? response.message : "ended",
      })),
    };
  },
});

/** Shows every request of a dry run; the first one already ends it. */
async function showRequests(
  rentals: readonly TerminationPlan[],
  { request, say }: Pick<Context, "request" | "say">,
): Promise<void> {
  const unsure = rentals.filter(({ alternatives }) => alternatives.length > 0).map(({ id }) => id);
  if (unsure.length > 0) {
    say(
      `Virtual machines and bare metal are ended by different requests, and a dry run does not look up the type of ${unsure.join(", ")}: only one of the requests shown for each would be sent.`,
    );
  }
  const shown = rentals.flatMap((one) => [one.request, ...one.alternatives]).map((parts) => request(parts));
  await Promise.allSettled(shown);
  await Promise.all(shown);
}

/** Sends the request once. Throws `UnknownOutcome` when a successful response is neither empty nor JSON. */
async function terminate(plan: TerminationPlan, { request }: Pick<Context, "request">) {
  const response = await request(plan.request);
  return response.text().trim() === "" ? null : jsonOf(response);
}

/** Warns when a rental goes on after a success, as it still bills. A failed look-up is ignored. */
async function warnIfActive(id: string, { call, say }: Pick<Context, "call" | "say">): Promise<void> {
  const record: unknown = await call("getRental", { rentalId: id }, { retries: 0 }).catch(() => null);
  const states = statesOf(record);
  if (states.length === 0 || states.some((state) => state.startsWith("terminat"))) return;
  say(
    `Rental ${id} is still ${stateText(states)}, and bills until it has ended: \`gpuctl rentals wait ${id} --for terminated\` waits for that.`,
  );
}

/** What a look-up shows of a rental whose termination has an unknown outcome. */
async function finding(id: string, { call }: Pick<Context, "call">): Promise<string> {
  try {
    const record: unknown = await call("getRental", { rentalId: id });
    const state = firstAt(record, ["status", "state"]);
    return `Rental ${id} was looked up: it is ${record === null ? "gone" : (state ?? "there")} now.`;
  } catch {
    return `Looking up rental ${id} failed too: check it before you try again.`;
  }
}

/** What became of each rental, in sentences; the finding of the worst failure is printed with the error itself. */
function batchReport(
  rentals: readonly TerminationPlan[],
  ended: readonly TerminationPlan[],
  failures: readonly Failure[],
): string {
  const failed = failures.map(({ id, error }) => {
    const finding = error instanceof UnknownOutcome && error !== worstOf(failures)?.error && error.finding;
    return `${id} (${reasonOf(error)})${finding ? ` ${finding}` : ""}`;
  });
  const idsOf = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id);
  const tried = new Set(idsOf([...ended, ...failures]));
  const left = idsOf(rentals).filter((id) => !tried.has(id));
  return [
    `Ended: ${idsOf(ended).join(", ") || "none"}.`,
    ...(failed.length > 0 ? [`Failed: ${failed.join(", ")}.`] : []),
    ...(left.length > 0 ? [`Not tried: ${left.join(", ")}.`] : []),
  ].join(" ");
}

interface Failure {
  readonly id: string;
  readonly error: unknown;
}

/** The first unknown outcome, else the first failure. */
const worstOf = (failures: readonly Failure[]): Failure | undefined =>
  failures.find(({ error }) => error instanceof UnknownOutcome) ?? failures[0];
