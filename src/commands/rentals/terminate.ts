import type { RequestParts } from "../../client/request.ts";
import type { Context } from "../../context/context.ts";
import { firstAt } from "../../output/paths.ts";
import { UsageError } from "../errors.ts";
import { jsonOf } from "../shared/json-of.ts";
import { orLook } from "../shared/look.ts";
import { noDescription } from "../shared/no-description.ts";
import { isRecord } from "../shared/records.ts";
import type { Verb } from "../spec.ts";
import { statesOf, stateText } from "./states.ts";
import { account } from "./terminate-account.ts";
import { terminateFor, terminateOperations } from "./terminate-operation.ts";
import { lookedUp, noneFor, type Rental, unseen, withTypes } from "./terminate-rentals.ts";
import { terminateRequest } from "./terminate-request.ts";

interface Ending {
  readonly rentals: readonly Doomed[];
}

interface Doomed extends Pick<Rental, "id" | "label"> {
  /** What ends it; several just in a dry run, which does not look at its type. */
  readonly requests: readonly RequestParts[];
}

export const verb: Verb<Ending> = {
  input: async ({ words }, context) => {
    const ids = [...new Set([words.RENTAL ?? []].flat().map(String))];
    if (ids.includes("")) throw new UsageError("RENTAL must not be empty");
    const description = await described(context);
    const operations = terminateOperations(description);
    const { dryRun } = context.settings;
    const rentals = dryRun
      ? ids.map(unseen)
      : await withTypes(await lookedUp(ids, context), operations, context);
    const doomed = rentals.map(({ id, wireId, label, type }) => {
      const some = terminateFor(operations, type);
      if (some.length === 0 || (some.length > 1 && !dryRun)) throw noneFor(id, type);
      return { id, label, requests: some.map((one) => terminateRequest(description, one, wireId)) };
    });
    return { rentals: doomed };
  },
  question: ({ rentals }) =>
    `End ${rentals.map(({ id, label }) => (label ? `${id} (${label})` : id)).join(", ")}? What is on ${rentals.length === 1 ? "it" : "them"} is lost.`,
  run: async ({ rentals }, context) => {
    if (context.settings.dryRun) await show(rentals, context);
    const told = account(rentals, context);
    const answers: unknown[] = [];
    for (const { id, requests } of rentals) {
      if (context.interrupted.aborted) break;
      try {
        const answer = await orLook(
          () => end(requests, context),
          () => look(id, context),
        );
        answers.push(answer);
        told.ended(id);
        await tellIfGoingOn(id, context);
      } catch (error) {
        told.failed(id, error);
        if (context.interrupted.aborted) throw error;
      }
    }
    context.interrupted.throwIfAborted();
    const worst = told.worst();
    if (worst !== undefined) throw worst;
    return {
      data: answers,
      rows: answers.map((answer, index) => ({
        rentalId: rentals[index]?.id,
        label: rentals[index]?.label,
        message: isRecord(answer) && typeof answer.message === "string" ? answer.message : "ended",
      })),
    };
  },
};

/** The service's description. Throws `NoDescription` when it cannot be had within a few seconds. */
async function described({ describe }: Pick<Context, "describe">) {
  try {
    return await describe({ promptly: true });
  } catch (error) {
    throw noDescription(
      error,
      "rentals can be ended",
      "Nothing was ended: what runs is billed on. End it in the service's dashboard, or try again; `gpuctl api spec --refresh` waits longer for the description.",
    );
  }
}

/** Shows every request; the first one already ends a dry run. */
async function show(rentals: readonly Doomed[], { request, say }: Pick<Context, "request" | "say">) {
  const unsure = rentals.filter(({ requests }) => requests.length > 1).map(({ id }) => id);
  if (unsure.length > 0) {
    say(
      `Virtual machines and bare metal are ended by different requests, and a dry run does not look which ${unsure.join(", ")} ${unsure.length === 1 ? "is" : "are"}: one of those that are shown for each would be sent.`,
    );
  }
  const shown = await Promise.allSettled(
    rentals.flatMap(({ requests }) => requests.map((parts) => request(parts))),
  );
  const ended = shown.find((one) => one.status === "rejected");
  if (ended) throw ended.reason;
}

/** Sends what ends a rental, once. A success that says something else than JSON leaves it unknown. */
async function end([parts]: readonly RequestParts[], { request }: Pick<Context, "request">) {
  if (parts === undefined) throw new Error("a rental that nothing ends was not refused");
  const answer = await request(parts);
  return answer.text().trim() === "" ? null : jsonOf(answer);
}

/** A success that has not ended it yet is told of, as what goes on bills on. A look that fails says nothing. */
async function tellIfGoingOn(id: string, { call, say }: Pick<Context, "call" | "say">): Promise<void> {
  const record: unknown = await call("getRental", { rentalId: id }, { retries: 0 }).catch(() => null);
  const states = statesOf(record);
  if (states.length === 0 || states.some((state) => state.startsWith("terminat"))) return;
  say(
    `Rental ${id} is still ${stateText(states)}, and bills until it has ended: \`gpuctl rentals wait ${id} --for terminated\` tells when.`,
  );
}

/** What became of a rental whose end nobody knows. */
async function look(id: string, { call }: Pick<Context, "call">): Promise<string> {
  try {
    const record: unknown = await call("getRental", { rentalId: id });
    const state = firstAt(record, ["status", "state"]);
    return `Rental ${id} was looked up: it is ${record === null ? "gone" : (state ?? "there")} now.`;
  } catch {
    return `Rental ${id} was looked up, and that failed too: look yourself before you try again.`;
  }
}
