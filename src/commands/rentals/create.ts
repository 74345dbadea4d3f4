import type { Context } from "../../context/context.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { OperationId } from "../../contract/index.ts";
import type { Answer } from "../../output/answer.ts";
import { createAndLook } from "../shared/look.ts";
import { idOf } from "../shared/records.ts";
import { durationFlag } from "../shared/values.ts";
import type { Args } from "../spec.ts";
import { withinBurn } from "./burn.ts";
import { waitFor } from "./waiting.ts";

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
  return { data: await waitFor({ rentalId: id, state: "running", interval: 5_000, timeout }, context) };
}

/** What is about to be rented, with the service's own defaults where nothing was given. */
export function rentalQuestion(what: string, operation: OperationId, input: object): string {
  const given = new Map(Object.entries(input));
  const value = (name: string) =>
    given.get(name) ?? routes[operation].fields.find((field) => field.name === name)?.default;
  const size = `${value("gpuCount")} x ${value("gpuType")}`;
  return `Rent ${what} with ${size} in ${value("region")} (${value("termType")})? It is billed until it ends.`;
}
