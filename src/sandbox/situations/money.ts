import { pricedPicture } from "../../contract/image-models.ts";
import { ApiError } from "../errors.ts";
import { endOf } from "../rentals/lifecycle.ts";
import type { Queries, Store } from "../store/queries.ts";
import { builtInUserId } from "../store/schema.ts";
import { addTo, countOf } from "../tables/numbers.ts";
import { allRentals, saveRental } from "../tables/rentals.ts";
import { billedCents } from "../tables/sums.ts";
import { creditOf, saveCredit } from "../tables/users.ts";
import { countHit, situationsOf } from "./table.ts";

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly steps: number;
}

/** The price of a picture is proportional to this number (service section 4.5, rule 4). */
const unitsOf = ({ width, height, steps }: Picture): number => width * height * steps;

const unitsPerCent = unitsOf(pricedPicture) / (Number(pricedPicture.dollars) * 100);

/** The name of the counter that sums the units of a user's paid pictures. */
const paidUnits = (userId: string): string =>
  userId === builtInUserId ? "paidPictureUnits" : `paidPictureUnits ${userId}`;

/**
 * The credit, the amount spent and the balance, all in whole cents. Rentals are billed until `moment`, and all paid
 * pictures count. The balance can be negative.
 */
export function accountAt(store: Queries, userId: string, moment: number) {
  const creditCents = creditOf(store, userId);
  const pictureCents = Math.floor(countOf(store, paidUnits(userId)) / unitsPerCent);
  const usedCents = billedCents(store, userId, moment) + pictureCents;
  return { creditCents, usedCents, balanceCents: creditCents - usedCents };
}

/** Changes the credit so that the balance at a moment is `cents`. */
export function setBalance(store: Queries, userId: string, cents: number, moment: number): void {
  const { usedCents } = accountAt(store, userId, moment);
  saveCredit(store, userId, cents + usedCents);
}

/**
 * If the account is prepaid and its balance is used up, ends its rentals at the moment when the balance was used up, or
 * when the account became prepaid if that was later.
 */
export function endUnpaidRentals(store: Store, userId: string, now: number): void {
  const isPrepaid = situationsOf(store, "prepaid").length > 0;
  if (!isPrepaid || accountAt(store, userId, now).balanceCents > 0) return;
  store.write(() => {
    const [prepaid] = situationsOf(store, "prepaid");
    if (prepaid === undefined) return;
    let [low, end] = [prepaid.at, now];
    // Finds the first moment at which nothing is left. Uses a binary search, which works because the balance never
    // rises with time.
    while (low < end) {
      const middle = Math.floor((low + end) / 2);
      if (accountAt(store, userId, middle).balanceCents > 0) low = middle + 1;
      else end = middle;
    }
    for (const { id, rental } of allRentals(store, userId)) {
      if ((endOf(rental) ?? Number.POSITIVE_INFINITY) <= end) continue;
      saveRental(store, { id, rental: { ...rental, terminatedAt: Math.max(end, rental.createdAt) } });
      countHit(store, prepaid.id);
    }
  });
}

/** If a prepaid account has no balance left, returns the error for requests that cost money, and counts the refusal. */
export function unpaidRefusal(store: Queries, userId: string, now: number): ApiError | undefined {
  const [prepaid] = situationsOf(store, "prepaid");
  if (prepaid === undefined) return undefined;
  const { balanceCents } = accountAt(store, userId, now);
  if (balanceCents > 0) return undefined;
  countHit(store, prepaid.id);
  return new ApiError("FORBIDDEN", [{ path: [], message: "the balance is used up" }]);
}

/**
 * If pictures cost money, pays for a picture. Returns a function that pays the price back.
 * @throws ApiError when pictures cost money and a prepaid account has no balance left
 */
export function payForPicture(store: Store, userId: string, picture: Picture, now: number): () => void {
  const [prices] = situationsOf(store, "picture-prices");
  if (prices === undefined) return () => {};
  const pay = (count: 1 | -1) => {
    addTo(store, paidUnits(userId), count * unitsOf(picture));
    countHit(store, prices.id, count);
  };
  // Returned instead of thrown: an exception would roll back the count of refusals.
  const refusal = store.write(() => {
    const unpaid = unpaidRefusal(store, userId, now);
    if (unpaid === undefined) pay(1);
    return unpaid;
  });
  if (refusal) throw refusal;
  return () => store.write(() => pay(-1));
}
