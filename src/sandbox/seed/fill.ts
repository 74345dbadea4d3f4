import type { Issue } from "../../contract/check/check.ts";
import { latestMs, saveClock, stamp } from "../clock.ts";
import { ApiError, ControlRefused, issueIf, throwIfInvalid } from "../errors.ts";
import { attachable } from "../handlers/volumes.ts";
import { addKey, keys } from "../keys.ts";
import { bootOf } from "../rentals/boots.ts";
import { newRental, sshPublicKeysOf } from "../rentals/create.ts";
import type { StoredRental } from "../rentals/lifecycle.ts";
import { addScenario, addSituation } from "../situations/control.ts";
import type { Store } from "../store/queries.ts";
import { builtInUserId, restoreInitialState } from "../store/schema.ts";
import { addRental } from "../tables/rentals.ts";
import { billedCents } from "../tables/sums.ts";
import { addSshKey, findUser, saveCredit, saveUser } from "../tables/users.ts";
import { addVolume, attach } from "../tables/volumes.ts";
import type { Seed, SeedDocument, SeededRental } from "./read.ts";

/**
 * Replaces the whole state with a seed, as one transaction. `machine` is the time of the machine's clock, in
 * milliseconds since 1970.
 * @throws ControlRefused when the seed is inconsistent. The state is then unchanged.
 */
export function fill(store: Store, { document, seedError }: Seed, machine: number): void {
  const { clock, user, balanceCents } = document;
  const now = momentOf(clock?.now) ?? machine;
  const issues = [
    ...(now > latestMs ? [{ path: ["clock", "now"], message: "must be before the year 10000" }] : []),
    ...duplicateIds("rentals", document.rentals),
    ...duplicateIds("volumes", document.volumes),
    ...duplicateKeys(document.keys),
  ];
  if (issues.length > 0) throw seedError(issues);
  store.write(() => {
    restoreInitialState(store, now);
    if (clock) saveClock(store, { offsetMs: now - machine, frozenAt: clock.frozen ? now : null });
    const initial = findUser(store, builtInUserId);
    if (user && initial) saveUser(store, builtInUserId, { ...initial, ...user });
    addKeys(store, document, now);
    const invalid = [...addRentals(store, document, now), ...addVolumes(store, document, now)];
    if (invalid.length > 0) throw seedError(invalid);
    if (balanceCents !== undefined) {
      const usedCents = billedCents(store, builtInUserId, now);
      saveCredit(store, builtInUserId, balanceCents + usedCents);
    }
    const rejected = addSituations(store, document, now);
    if (rejected.length > 0) throw seedError(rejected);
  });
}

const addSituations = (
  store: Store,
  { scenario, situations }: SeedDocument,
  now: number,
): readonly Issue[] => [
  ...(scenario === undefined
    ? []
    : issuesOf([], () => addScenario(store, scenario, now)).map(({ message }) => ({
        path: ["scenario"],
        message,
      }))),
  ...situations.flatMap((one, index) => issuesOf(["situations", index], () => addSituation(store, one, now))),
];

function addKeys(store: Store, { keys: seeded, sshKeys }: SeedDocument, now: number): void {
  for (const { value, name, access } of seeded) {
    addKey(store, builtInUserId, { secret: value, name: name ?? access, access, createdAt: now });
  }
  for (const key of sshKeys) addSshKey(store, builtInUserId, key, now);
}

const addRentals = (store: Store, { rentals }: SeedDocument, now: number): readonly Issue[] =>
  numberedFirst(rentals).flatMap(({ item, index }) =>
    issuesOf(["rentals", index], () => {
      const sshPublicKeys = sshPublicKeysOf(store, builtInUserId, item);
      addRental(store, builtInUserId, { ...seededRental(item, now), sshPublicKeys }, item.id);
    }),
  );

const addVolumes = (store: Store, { volumes }: SeedDocument, now: number): readonly Issue[] =>
  numberedFirst(volumes).flatMap(({ item, index }) =>
    issuesOf(["volumes", index], () => {
      const { id, createdAt, rentalIds = [], ...volume } = item;
      throwIfInvalid(...futureIssues("createdAt", momentOf(createdAt), now));
      const attached = attachable(rentalIds, volume.region, { store, userId: builtInUserId, now });
      const stored = { ...volume, createdAt: stamp(momentOf(createdAt) ?? now) };
      attach(store, addVolume(store, builtInUserId, stored, id), attached);
    }),
  );

/**
 * Runs `work`, which adds the entry of a seed at `parent`. Returns its issues, with paths from the root of the seed.
 */
function issuesOf(parent: readonly (string | number)[], work: () => unknown): readonly Issue[] {
  try {
    work();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ControlRefused)) throw error;
    return error.issues.map(({ path, message }) => ({ path: [...parent, ...path], message }));
  }
}

function duplicateKeys(seeded: SeedDocument["keys"]): readonly Issue[] {
  const values = [...Object.values<string>(keys), ...seeded.map(({ value }) => value)];
  return seeded.flatMap(({ value }, index) =>
    values.indexOf(value) < index + Object.keys(keys).length
      ? [{ path: ["keys", index, "value"], message: "must be unique, but another key has this value" }]
      : [],
  );
}

interface Numbered {
  readonly id?: number | undefined;
}

/** Sorts items with a given id first, so that the other items get ids that are still free. */
const numberedFirst = <Item extends Numbered>(items: readonly Item[]) =>
  items
    .map((item, index) => ({ item, index }))
    .sort((one, other) => Number(one.item.id === undefined) - Number(other.item.id === undefined));

/** An issue for each id that a list uses twice. */
const duplicateIds = (list: string, items: readonly Numbered[]): readonly Issue[] =>
  items.flatMap(({ id }, index) =>
    id !== undefined && items.findIndex((item) => item.id === id) < index
      ? [{ path: [list, index, "id"], message: `must be unique, but ${id} is used twice` }]
      : [],
  );

/**
 * Creates a rental of a seed. Without `createdAt`, it starts to boot now.
 * @throws ApiError when its input or the order of its times is invalid
 */
function seededRental(seeded: SeededRental, now: number): StoredRental {
  const {
    id: _,
    createdAt: createdText,
    terminatedAt: terminatedText,
    boot,
    sshNetworking,
    ...input
  } = seeded;
  const createdAt = momentOf(createdText) ?? now;
  const terminatedAt = momentOf(terminatedText);
  throwIfInvalid(
    ...futureIssues("createdAt", createdAt, now),
    ...futureIssues("terminatedAt", terminatedAt, now),
  );
  const early = terminatedAt !== undefined && terminatedAt < createdAt;
  throwIfInvalid(...issueIf(early, "terminatedAt", "must not be before createdAt"));
  const created = newRental(input, createdAt, boot && bootOf(boot, input.rentalType));
  const rental = { ...created, ...(sshNetworking && { sshNetworking }) };
  return terminatedAt === undefined ? rental : { ...rental, terminatedAt };
}

const momentOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

const futureIssues = (field: string, moment: number | undefined, now: number): readonly Issue[] =>
  issueIf(moment !== undefined && moment > now, field, "must not be later than the sandbox's time");
