import type { Context } from "../../../command-kit/context.ts";
import { type FlagValues, flag } from "../../../command-kit/flag.ts";
import { createAndCheck } from "../../../command-kit/outcomes.ts";
import { idOf } from "../../../command-kit/responses.ts";
import { routes } from "../../../contract/generated/routes.ts";
import type { InputOf } from "../../../contract/index.ts";
import type { Result } from "../../../core/result.ts";
import { estimateHourlyCost, type Wanted } from "../cost.ts";
import { kinds, type RentalType } from "../listing.ts";
import { inState, waitFor, waitTimeout } from "../waiting.ts";
import { withinBurn } from "./burn.ts";
import { nextSteps } from "./next-steps.ts";

export const createFlags = {
  wait: flag.boolean("Wait until the rental is running"),
  waitTimeout,
  maxBurn: flag.dollars(
    "Do not create if the active rentals and the new one would cost more than this, in dollars an hour",
  ),
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
  const rental = await withinBurn(flags.maxBurn, wantedBy(type, input), context, (beforeSending) =>
    createAndCheck(
      "rental",
      async () => {
        await beforeSending();
        return call(kinds[type].create, input);
      },
      (options) => call(kinds[type].list, {}, options),
      context,
    ),
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

/** The rental that an input asks for, with the service's defaults for omitted fields. */
function wantedBy(type: RentalType, input: Creation["input"]): Wanted {
  const given = new Map(Object.entries(input));
  const value = (name: string) =>
    String(
      given.get(name) ?? routes[kinds[type].create].fields.find((field) => field.name === name)?.default,
    );
  const [gpuType, termType, region] = [value("gpuType"), value("termType"), value("region")];
  return {
    type,
    gpuCount: Number(value("gpuCount")),
    gpuType,
    termType,
    region,
    networkType: value("networkType"),
  };
}

/** The question before a rental is created. It shows the rental and its cost. */
export async function rentalQuestion(
  type: RentalType,
  { input, ...context }: Pick<Creation, "input" | "call" | "describe" | "request" | "progress">,
): Promise<string> {
  const wanted = wantedBy(type, input);
  const { gpuCount, gpuType, region, termType } = wanted;
  const cost = await estimateHourlyCost(wanted, context);
  return [
    `Rent ${kinds[type].text} with ${gpuCount} x ${gpuType} in ${region} (${termType})?`,
    cost === undefined ? "The price is not known in advance." : `It will cost ${cost}.`,
    "It is billed until it ends.",
  ].join(" ");
}
