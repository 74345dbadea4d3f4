import { getRental } from "../../client/rentals/waiting.ts";
import { rentalId } from "../../command-kit/arg.ts";
import type { Context, Ports } from "../../command-kit/context.ts";
import type { Estimate } from "../../command-kit/define.ts";
import { type FlagValues, flag } from "../../command-kit/flag.ts";
import { writeAndCheck } from "../../command-kit/outcomes.ts";
import { labelLookup } from "../../command-kit/rentals/labels.ts";
import {
  assertLeaseFile,
  leaseFileArgs,
  leaseFileFlag,
  leasePlace,
} from "../../command-kit/rentals/lease-file.ts";
import { hourlyCostPaths, isRecord, termEndPaths } from "../../command-kit/responses.ts";
import { mayBeLabel } from "../../command-kit/values.ts";
import type { InputOf } from "../../contract/index.ts";
import { Interrupted, UsageError } from "../../core/errors.ts";
import { firstAt, scalarText } from "../../core/json.ts";
import { ServiceError } from "../../core/service-errors.ts";
import { commandLine } from "../../core/text.ts";
import { dollars } from "../../core/values/money.ts";
import { plainText } from "../../output/text.ts";

type TermOperation = "convertToReserved" | "extendReserved";
type Term = InputOf<"convertToReserved"> & Partial<InputOf<"extendReserved">>;

type TermContext = Pick<Context, "call" | "files" | "say" | "settings" | "setFailureContext" | "sleep"> &
  Pick<Ports, "ask" | "changeLine" | "place">;

const flags = {
  ...leaseFileFlag,
  expectedPrice: flag.cents("Total price you expect to pay, in dollars such as 1234.50", {
    setsFields: ["expectedTotalPriceCents"],
  }),
};

/** The declarations that are common to the commands that reserve a rental or extend its term. */
export const termCommand = <const Id extends TermOperation>(operation: Id) =>
  ({
    operation,
    alsoCalls: ["getRental"],
    fieldsWithoutFlag: ["rentalId"],
    flags,
    uses: ["ask", "changeLine", "place"],
    view: { kind: "record", id: ["rentalId", "id"] },
    estimate: estimatePrice,
    confirm: { spending: ({ input }: { readonly input: Term }) => question(operation, input) },
    run: async ({
      input,
      flags: { leaseFile },
      ...context
    }: TermContext & { readonly input: InputOf<Id>; readonly flags: FlagValues<typeof flags> }) => {
      const id = String(input.rentalId);
      assertLeaseFile({ leaseFile });
      const look = `\`${commandLine("rentals get", [id])}\` shows the term of the rental.`;
      const data = await writeAndCheck(
        () => sendTerm(operation, input, context),
        look,
        () => currentTerm(id, context.call),
      );
      const done = operation === "convertToReserved" ? "reserved" : "extended";
      context.setFailureContext(`Rental ${id} was ${done}. Do not send the request again: ${look}`, {
        evenIfUnread: true,
      });
      await warnOfLease(id, { leaseFile }, context);
      return { data };
    },
  }) as const;

/**
 * Warns if the rental has a lease: the user may have forgotten it, and a guard ends the rental even during a term. Says
 * nothing if the leases cannot be read.
 */
async function warnOfLease(
  rentalId: string,
  leaseFile: FlagValues<typeof leaseFileFlag>,
  context: TermContext,
): Promise<void> {
  const { files, say, settings } = context;
  const { readLeases, serviceName } = await import("../../jobs/leases.ts");
  const read = async () => {
    const place = leasePlace(leaseFile, context);
    return { path: place.path, leases: (await readLeases(place)).leases };
  };
  const { path, leases } = await read().catch(() => ({ path: "", leases: [] }));
  const service = serviceName(settings);
  const lease = leases.find((one) => one.service === service && one.rentalId === rentalId);
  if (lease === undefined) return;
  const flags = leaseFileArgs(path, files);
  const clear = commandLine("rentals lease clear", [rentalId], flags);
  say(
    `Warning: rental ${rentalId} has a lease until ${new Date(lease.endsAt).toISOString()}, and then \`${commandLine("rentals guard", [], flags)}\` ends it, even during its reserved term. \`${clear}\` removes the lease.`,
  );
}

/** The argument for the rental. A prompt offers only rentals with this type of term. */
export const rentalOfTerm = (text: "on-demand" | "reserved") =>
  ({ ...rentalId, offersOnly: { column: "TERM", text, otherwise: otherTerm[text] } }) as const;

/** What to do if no rental has a term of this type. */
const otherTerm = {
  "on-demand": "`gpuctl reserve extend` extends a reserved term.",
  reserved: "`gpuctl reserve convert` reserves a rental.",
};

function question(operation: TermOperation, input: Term): string {
  const {
    rentalId,
    termPeriodDays: days,
    expectedTotalPriceCents: cents,
    expectedReservedUntil: until,
  } = input;
  const term =
    operation === "convertToReserved"
      ? `Reserve rental ${rentalId} for ${days} days`
      : `Extend rental ${rentalId} by ${days} days, until ${until},`;
  return `${term} at ${dollars(cents)} in total?`;
}

/** The input with the value of `--expected-price`. */
export function withPrice({
  input,
  flags: { expectedPrice },
}: {
  readonly input: Partial<Term>;
  readonly flags: FlagValues<typeof flags>;
}): Partial<Term> {
  if (expectedPrice === undefined) return input;
  if ((input.expectedTotalPriceCents ?? expectedPrice) !== expectedPrice) {
    throw new UsageError("--expected-price and --expected-total-price-cents differ: use one of them");
  }
  return { ...input, expectedTotalPriceCents: expectedPrice };
}

/** The rental's current hourly cost times the hours of the term. Only an estimate: the service may give a discount. */
async function estimatePrice(
  key: string,
  { input, call }: Pick<Context, "call"> & { readonly input: Partial<Term> },
): Promise<Estimate | undefined> {
  const { rentalId, termPeriodDays: days } = input;
  if (key !== "expectedPrice" || rentalId === undefined || days === undefined) return undefined;
  const cents = firstAt(await presentRental(rentalId, call), hourlyCostPaths);
  if (typeof cents !== "number") return undefined;
  const total = Math.round(cents * 24 * days);
  if (!(Number.isSafeInteger(total) && total > 0)) return undefined;
  const basis = `${days} days at the present ${dollars(cents)} an hour, without a discount`;
  return { answer: amount(total), basis };
}

/** Converts cents to a value of `--expected-price`, which is in dollars, such as `1234.50`. */
const amount = (cents: number): string => dollars(cents).replace(/[$,]/g, "");

/**
 * Sends the request. If the service rejects only the expected price and states its own price, asks on a terminal
 * whether to accept that price, unless `--yes` is set. If the user accepts, sends the request again. The rejected
 * request changed nothing.
 */
async function sendTerm<const Id extends TermOperation>(
  operation: Id,
  input: InputOf<Id>,
  { call, ask, changeLine, place, settings }: TermContext,
): Promise<unknown> {
  try {
    return await call(operation, input);
  } catch (error) {
    const cents = priceOf(error, input.expectedTotalPriceCents);
    const prompts = cents === undefined || settings.yes ? undefined : await ask("").catch(() => undefined);
    if (cents === undefined || prompts === undefined) throw error;
    const changed = { ...input, expectedTotalPriceCents: cents };
    prompts.report("failure", `The service expects another price: ${dollars(cents)}.`);
    if (!(await prompts.confirm({ message: `${question(operation, changed)} ${place}` }))) {
      throw new Interrupted("canceled: nothing was changed");
    }
    changeLine("expectedTotalPriceCents", ["--expected-price", amount(cents)]);
    return call(operation, changed);
  }
}

/**
 * The price in cents that the service states when it rejects the price `sent`. Undefined if the rejection is about
 * anything else, or if it is not clear which number is the price.
 */
function priceOf(error: unknown, sent: number): number | undefined {
  if (!(error instanceof ServiceError) || error.status !== 400) return undefined;
  const [issue, ...others] = error.issues;
  if (!isRecord(issue) || others.length > 0) return undefined;
  if ([issue.path].flat().map(scalarText).join(".") !== "expectedTotalPriceCents") return undefined;
  return priceIn(scalarText(issue.message), sent);
}

/**
 * Matches a number with its separators, as in 1,296.00 or 129 600, and with its currency, as in $1296 or 1296 USD.
 * `priceIn` does not use a number with a separator or a currency: the number may be in dollars, and a separator may
 * stand for thousands or for decimals.
 */
const numbers =
  /(?:[$€£¥-]\s*)?(?<![\p{L}\d_])[\p{L}\d_]*\d(?:[.,'’_\s]?\d)*[\p{L}\d_%]*(?:\s+(?:dollars?|USD|EUR)\b)?/giu;
const wholeNumber = /^[1-9]\d*$/;

/**
 * Finds the price in cents in a message: the number after "must be", or else the only number besides the price that was
 * sent.
 */
function priceIn(message: string, sent: number): number | undefined {
  const found = [...message.matchAll(numbers)].map(({ 0: text, index }) => ({
    text,
    isDemanded: /\bmust be $/i.test(message.slice(0, index)),
  }));
  const others = found.filter(({ text }) => text !== String(sent));
  const demanded = others.filter(({ isDemanded }) => isDemanded);
  const [only, ...more] = demanded.length > 0 ? demanded : others;
  if (only === undefined || more.length > 0 || !wholeNumber.test(only.text)) return undefined;
  const cents = Number(only.text);
  return Number.isSafeInteger(cents) ? cents : undefined;
}

/**
 * Gets the record of a rental by its ID or label. Throws as `labelLookup` and `getRental` do.
 */
export async function presentRental(rentalId: number | string, call: Context["call"]): Promise<unknown> {
  const id = mayBeLabel(rentalId)
    ? await labelLookup({ call }).idFor("rental", rentalId, "RENTAL")
    : undefined;
  return getRental(id ?? String(rentalId), { call });
}

async function currentTerm(rentalId: string, call: Context["call"]): Promise<string> {
  const rental: unknown = await call("getRental", { rentalId }).catch(() => undefined);
  if (!isRecord(rental)) return "The rental could not be looked up either.";
  const term = plainText(firstAt(rental, ["termType", "currentTerm.termType"]) ?? "unknown");
  const end = plainText(firstAt(rental, termEndPaths));
  return `The rental's term is now: ${term}${end && ` until ${end}`}.`;
}
