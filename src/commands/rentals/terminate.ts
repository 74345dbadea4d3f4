import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";
import { writeAndCheck } from "../../command-kit/outcomes.ts";
import { isRecord, jsonOf } from "../../command-kit/responses.ts";
import { reasonOf, UsageError } from "../../core/errors.ts";
import { firstAt } from "../../core/json.ts";
import { UnknownOutcome } from "../../core/service-errors.ts";
import { planTermination, type TerminationPlan } from "./termination-plan.ts";
import { id } from "./views.ts";
import { statesOf, stateText } from "./waiting.ts";

export default defineCommand({
  path: "rentals terminate",
  summary: "Terminate rentals, if the service offers an operation for it",
  details:
    "The documented API has no call to terminate a rental, so gpuctl uses the one in the service's OpenAPI description. All rentals are looked up first: if any is not found, none is terminated. If one fails to terminate, the others still are.",
  effect: "destroy",
  args: [arg.texts("RENTAL", "ID of a rental", { required: true, completes: "rental" })],
  view: {
    kind: "list",
    columns: [
      { title: "ID", paths: id },
      { title: "LABEL", paths: ["label"] },
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
      `Terminate ${rentals.map(({ id, label }) => (label ? `${id} (${label})` : id)).join(", ")}? All data on ${rentals.length === 1 ? "it" : "them"} is lost.`,
  },
  run: async ({ input: { rentals }, ...context }) => {
    if (context.settings.dryRun) await showRequests(rentals, context);
    const { setFailureContext, interrupted } = context;
    const ended: (TerminationPlan & { readonly response: unknown })[] = [];
    const failures: Failure[] = [];
    const report = () => {
      if (rentals.length > 1 || ended.length > 0) setFailureContext(batchReport(rentals, ended, failures));
    };
    for (const rental of rentals) {
      const { id } = rental;
      interrupted.throwIfAborted();
      try {
        const response = await writeAndCheck(
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
        message: isRecord(response) && typeof response.message === "string" ? response.message : "terminated",
      })),
    };
  },
});

/**
 * Shows every request of a dry run. In a dry run every request rejects, so this makes them all before it throws the
 * first error.
 */
async function showRequests(
  rentals: readonly TerminationPlan[],
  { request, say }: Pick<Context, "request" | "say">,
): Promise<void> {
  const unsure = rentals.filter(({ alternatives }) => alternatives.length > 0).map(({ id }) => id);
  if (unsure.length > 0) {
    const [which, each] =
      unsure.length === 1 ? [`rental ${unsure[0]}`, ""] : [`rentals ${unsure.join(", ")}`, " for each"];
    say(
      `A dry run does not look up the type of ${which}, so it shows both requests${each}. Only one${each} would be sent.`,
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

/**
 * Warns when a rental is still active after a successful response, because it is still billed. Ignores a failed lookup.
 */
async function warnIfActive(id: string, { call, say }: Pick<Context, "call" | "say">): Promise<void> {
  const record: unknown = await call("getRental", { rentalId: id }, { retries: 0 }).catch(() => null);
  const states = statesOf(record);
  if (states.length === 0 || states.some((state) => state.startsWith("terminat"))) return;
  say(
    `Rental ${id} has not ended yet (${stateText(states)}) and is billed until it does. Run \`gpuctl rentals wait ${id} --for terminated\` to wait for it.`,
  );
}

/** Looks up a rental whose termination has an unknown outcome, and says what it finds. */
async function finding(id: string, { call }: Pick<Context, "call">): Promise<string> {
  try {
    const record: unknown = await call("getRental", { rentalId: id });
    const state = firstAt(record, ["status", "state"]);
    return `Rental ${id} was looked up: it ${record === null ? "no longer exists" : `is ${state ?? "still there"} now`}.`;
  } catch {
    return `Looking up rental ${id} failed too: check it before you try again.`;
  }
}

/**
 * The outcome for each rental, in sentences. The finding of the worst failure is left out: it is printed with its
 * error.
 */
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
    `Terminated: ${idsOf(ended).join(", ") || "none"}.`,
    ...(failed.length > 0 ? [`Failed: ${failed.join(", ")}.`] : []),
    ...(left.length > 0 ? [`Not tried: ${left.join(", ")}.`] : []),
  ].join(" ");
}

interface Failure {
  readonly id: string;
  readonly error: unknown;
}

/** The failure to throw: the first unknown outcome, else the first failure. */
const worstOf = (failures: readonly Failure[]): Failure | undefined =>
  failures.find(({ error }) => error instanceof UnknownOutcome) ?? failures[0];
