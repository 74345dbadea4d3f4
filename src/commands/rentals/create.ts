import type { Context } from "../../context/context.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { OperationId } from "../../contract/index.ts";
import type { Answer } from "../../output/answer.ts";
import { createAndLook } from "../shared/look.ts";
import { idOf } from "../shared/records.ts";
import { durationFlag } from "../shared/values.ts";
import type { Args } from "../spec.ts";
import { withinBurn } from "./burn.ts";
import { estimate } from "./estimate.ts";
import { intervalOf } from "./interval.ts";
import { inState, waitFor } from "./waiting.ts";

interface Rental {
  readonly create: () => Promise<unknown>;
  /** The active rentals of the same type, to see what an unknown outcome left. */
  readonly list: (options?: { retries: number }) => Promise<unknown>;
}

/** Creates a rental within the burn limit, never twice, and waits for it to run when asked to. */
export async function createRental(
  { create, list }: Rental,
  context: Context,
  { flags }: Args,
): Promise<Answer> {
  const timeout = durationFlag(flags, "wait-timeout");
  await withinBurn(flags["max-burn"] ?? context.settings.defaults.maxBurn, context);
  const rental = await context.progress("Creating the rental", () =>
    createAndLook("rental", create, list, context),
  );
  const id = idOf(rental);
  if (!flags.wait) return { data: rental };
  if (id === undefined) {
    context.say("The answer holds no id, so there is nothing to wait for; `gpuctl rentals list` shows it.");
    return { data: rental };
  }
  context.say(`Rental ${id} is created; waiting until it runs.`);
  const wait = { rentalId: id, ...inState("running"), interval: intervalOf(flags), timeout };
  return { data: await waitFor(wait, context) };
}

/** What is about to be rented, with the service's own defaults where nothing was given, and what it will cost. */
export async function rentalQuestion(
  what: string,
  [operation, list]: readonly [OperationId, Parameters<typeof estimate>[1]],
  input: object,
  context: Context,
): Promise<string> {
  const given = new Map(Object.entries(input));
  const value = (name: string) =>
    String(given.get(name) ?? routes[operation].fields.find((field) => field.name === name)?.default);
  const [gpuType, termType, region] = [value("gpuType"), value("termType"), value("region")];
  const gpuCount = Number(value("gpuCount"));
  const wanted = { gpuCount, gpuType, termType, region, networkType: value("networkType") };
  const cost = await estimate(wanted, list, context);
  const size = `${value("gpuCount")} x ${gpuType}`;
  return [
    `Rent ${what} with ${size} in ${region} (${termType})?`,
    cost === undefined ? "The service does not tell the price before." : `It will cost ${cost}.`,
    "It is billed until it ends.",
  ].join(" ");
}
