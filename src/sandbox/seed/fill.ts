import type { Issue } from "../../contract/check.ts";
import { latestMs, stamp } from "../clock.ts";
import { attachable } from "../handlers/volumes.ts";
import { keys } from "../keys.ts";
import { balanceAt } from "../ledger.ts";
import { needSshKeys } from "../need-ssh-keys.ts";
import { Refusal, refuse } from "../refusal.ts";
import { firstUser, restoreInitialState } from "../schema.ts";
import type { Store } from "../store.ts";
import { saveClock } from "../tables/clock.ts";
import { saveCredit } from "../tables/credits.ts";
import { addKey } from "../tables/keys.ts";
import { addRental, allRentals } from "../tables/rentals.ts";
import { addSshKey } from "../tables/ssh-keys.ts";
import { findUser, saveUser } from "../tables/users.ts";
import { addVolume, attach } from "../tables/volumes.ts";
import { numberedFirst, twice } from "./numbers.ts";
import type { Seed } from "./read.ts";
import { momentOf, notPast, seededRental } from "./rentals.ts";
import type { SeedDocument } from "./schema.ts";

/**
 * Puts a seed in the place of the whole state, as one transaction. `machine` is the time of the machine's clock.
 * @throws ControlRefused when the seed does not hold together; then nothing was changed
 */
export function fill(store: Store, { document, wrong }: Seed, machine: number): void {
  const { clock, user, balanceCents } = document;
  const now = momentOf(clock?.now) ?? machine;
  const issues = [
    ...(now > latestMs ? [{ path: ["clock", "now"], message: "must lie before the year 10000" }] : []),
    ...twice("rentals", document.rentals),
    ...twice("volumes", document.volumes),
    ...keysTwice(document.keys),
  ];
  if (issues.length > 0) throw wrong(issues);
  store.write(() => {
    restoreInitialState(store, now);
    if (clock) saveClock(store, { offsetMs: now - machine, frozenAt: clock.frozen ? now : null });
    const initial = findUser(store, firstUser);
    if (user && initial) saveUser(store, firstUser, { ...initial, ...user });
    addKeys(store, document, now);
    const found = [...addRentals(store, document, now), ...addVolumes(store, document, now)];
    if (found.length > 0) throw wrong(found);
    if (balanceCents !== undefined) {
      const { usedCents } = balanceAt(0, allRentals(store, firstUser), now);
      saveCredit(store, firstUser, balanceCents + usedCents);
    }
  });
}

function addKeys(store: Store, { keys: seeded, sshKeys }: SeedDocument, now: number): void {
  for (const { value, name, access } of seeded) {
    addKey(store, firstUser, { secret: value, name: name ?? access, access, createdAt: now });
  }
  for (const { name, publicKey } of sshKeys) {
    addSshKey(store, firstUser, { name, publicKey: publicKey.trim(), createdAt: stamp(now) });
  }
}

const addRentals = (store: Store, { rentals }: SeedDocument, now: number): readonly Issue[] =>
  numberedFirst(rentals).flatMap(({ thing, index }) =>
    issuesOf(["rentals", index], () => {
      needSshKeys(store, firstUser, thing);
      addRental(store, firstUser, seededRental(thing, now), thing.id);
    }),
  );

const addVolumes = (store: Store, { volumes }: SeedDocument, now: number): readonly Issue[] =>
  numberedFirst(volumes).flatMap(({ thing, index }) =>
    issuesOf(["volumes", index], () => {
      const { id, createdAt, rentalIds = [], ...volume } = thing;
      refuse(...notPast("createdAt", momentOf(createdAt), now));
      const attached = attachable(rentalIds, { store, userId: firstUser, now });
      const stored = { ...volume, createdAt: stamp(momentOf(createdAt) ?? now) };
      attach(store, addVolume(store, firstUser, stored, id), attached);
    }),
  );

/** What the sandbox has against a thing of a seed, with the place of the thing. */
function issuesOf(place: readonly (string | number)[], work: () => unknown): readonly Issue[] {
  try {
    work();
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.issues.map(({ path, message }) => ({ path: [...place, ...path], message }));
  }
}

function keysTwice(seeded: SeedDocument["keys"]): readonly Issue[] {
  const values = [...Object.values<string>(keys), ...seeded.map(({ value }) => value)];
  return seeded.flatMap(({ value }, index) =>
    values.indexOf(value) < index + Object.keys(keys).length
      ? [{ path: ["keys", index, "value"], message: "is a key already" }]
      : [],
  );
}
