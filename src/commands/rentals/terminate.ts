import type { RequestParts } from "../../client/request.ts";
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
    const outcome = new BatchOutcome(rentals, context);
    const responses: unknown[] = [];
    for (const { id, requests } of rentals) {
      if (context.interrupted.aborted) break;
      try {
        const response = await orCheck(
          () => terminate(requests, context),
          () => finding(id, context),
        );
        responses.push(response);
        outcome.ended(id);
        await warnIfActive(id, context);
      } catch (error) {
        outcome.failed(id, error);
        if (context.interrupted.aborted) throw error;
      }
    }
    context.interrupted.throwIfAborted();
    const worst = outcome.worst();
    if (worst !== undefined) throw worst.error;
    return {
      data: responses,
      rows: responses.map((response, index) => ({
        rentalId: rentals[index]?.id,
        label: rentals[index]?.label,
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
  const unsure = rentals.filter(({ requests }) => requests.length > 1).map(({ id }) => id);
  if (unsure.length > 0) {
    say(
      `Virtual machines and bare metal are ended by different requests, and a dry run does not look up the type of ${unsure.join(", ")}: only one of the requests shown for each would be sent.`,
    );
  }
  const shown = await Promise.allSettled(
    rentals.flatMap(({ requests }) => requests.map((parts) => request(parts))),
  );
  const ended = shown.find((one) => one.status === "rejected");
  if (ended) throw ended.reason;
}

/** Sends the request once. Throws `UnknownOutcome` when a successful response is neither empty nor JSON. */
async function terminate([parts]: readonly RequestParts[], { request }: Pick<Context, "request">) {
  if (parts === undefined) throw new Error("a rental without a request in its plan");
  const response = await request(parts);
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

/** What became of rentals that are ended one after the other; a failure of the command reports all of it. */
class BatchOutcome {
  readonly #ids: readonly string[];
  readonly #report: Context["ifItFails"];
  readonly #ended: string[] = [];
  readonly #failures: { readonly id: string; readonly error: unknown }[] = [];

  constructor(rentals: readonly { readonly id: string }[], { ifItFails }: Pick<Context, "ifItFails">) {
    this.#ids = rentals.map(({ id }) => id);
    this.#report = ifItFails;
  }

  ended(id: string): void {
    this.#ended.push(id);
    this.#update();
  }

  failed(id: string, error: unknown): void {
    this.#failures.push({ id, error });
    this.#update();
  }

  /** The first unknown outcome, else the first failure. */
  worst(): { readonly error: unknown } | undefined {
    return this.#failures.find(({ error }) => error instanceof UnknownOutcome) ?? this.#failures[0];
  }

  #update(): void {
    if (this.#ids.length < 2 && this.#ended.length === 0) return;
    const failures = this.#failures.map(({ id, error }) => {
      // The finding of the worst failure is printed with the error itself.
      const found = error instanceof UnknownOutcome && error !== this.worst()?.error;
      return `${id} (${reasonOf(error)})${found ? ` ${error.finding ?? ""}` : ""}`;
    });
    const tried = new Set([...this.#ended, ...this.#failures.map(({ id }) => id)]);
    const left = this.#ids.filter((id) => !tried.has(id));
    const parts = [
      `Ended: ${this.#ended.join(", ") || "none"}.`,
      failures.length > 0 && `Failed: ${failures.join(", ")}.`,
      left.length > 0 && `Not tried: ${left.join(", ")}.`,
    ];
    this.#report(parts.filter(Boolean).join(" "));
  }
}
