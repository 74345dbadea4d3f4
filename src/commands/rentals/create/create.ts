import type { Context } from "../../../command-kit/context.ts";
import { type FlagValues, flag } from "../../../command-kit/flag.ts";
import { createAndCheck } from "../../../command-kit/outcomes.ts";
import { idOf } from "../../../command-kit/responses.ts";
import { routes } from "../../../contract/generated/routes.ts";
import type { InputOf } from "../../../contract/index.ts";
import type { Result } from "../../../core/result.ts";
import { assertWithinBurn, estimateHourlyCost } from "../cost.ts";
import { kinds, type RentalType } from "../listing.ts";
import { inState, waitFor, waitTimeout } from "../waiting.ts";
import { nextSteps } from "./next-steps.ts";

export const createFlags = {
  wait: flag.boolean("Wait until the rental is running"),
  waitTimeout,
  maxBurn: flag.cents("Do not create if the active rentals already cost this much, in dollars an hour"),
};

interface Creation extends Context {
  readonly input: InputOf<(typeof kinds)[RentalType]["create"]>;
  readonly flags: FlagValues<typeof createFlags>;
}

/** Creates a rental if the burn limit allows it, sending the request once. With `--wait`, waits until it is running. */
export async function createRental(
  type: RentalType,
  { input, flags, ...context }: Creation,
): Promise<Result> {
  const { call, say } = context;
  await assertWithinBurn(flags.maxBurn, context);
  const rental = await createAndCheck(
    "rental",
    () => call(kinds[type].create, input),
    (options) => call(kinds[type].list, {}, options),
    context,
  );
  const rentalId = idOf(rental);
  if (rentalId === undefined) {
    if (flags.wait) {
      say("The response has no ID, so gpuctl cannot wait for the rental; `gpuctl rentals list` shows it.");
    }
    return { data: rental };
  }
  if (flags.wait) say(`Rental ${rentalId} created. Waiting until it is running.`);
  const data = flags.wait
    ? await waitFor({ rentalId, ...inState("running"), timeout: flags.waitTimeout }, context)
    : rental;
  return { data, nextSteps: await nextSteps([rentalId], { type, running: flags.wait }, context) };
}

/**
 * The question before a rental is created. It shows the rental, with the service's defaults for omitted fields, and its
 * cost.
 */
export async function rentalQuestion(
  type: RentalType,
  { input, ...context }: Pick<Creation, "input" | "call" | "describe" | "request" | "progress">,
): Promise<string> {
  const { create, text } = kinds[type];
  const given = new Map(Object.entries(input));
  const value = (name: string) =>
    String(given.get(name) ?? routes[create].fields.find((field) => field.name === name)?.default);
  const [gpuType, termType, region] = [value("gpuType"), value("termType"), value("region")];
  const gpuCount = Number(value("gpuCount"));
  const wanted = { type, gpuCount, gpuType, termType, region, networkType: value("networkType") };
  const cost = await estimateHourlyCost(wanted, context);
  return [
    `Rent ${text} with ${value("gpuCount")} x ${gpuType} in ${region} (${termType})?`,
    cost === undefined ? "The price is not known in advance." : `It will cost ${cost}.`,
    "It is billed until it ends.",
  ].join(" ");
}
