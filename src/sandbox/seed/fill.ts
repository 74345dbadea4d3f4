import type { Issue } from "../../contract/check/check.ts";
import { latestMs, saveClock, stamp } from "../clock.ts";
import { ApiError, ControlRefused, issueIf, throwIfInvalid } from "../errors.ts";
import { faultControl } from "../faults/control.ts";
import { attachable } from "../handlers/volumes.ts";
import { addKey, keys } from "../keys.ts";
import { bootControl, bootOf } from "../rentals/boots.ts";
import { newRental, sshPublicKeysOf } from "../rentals/create.ts";
import type { StoredRental } from "../rentals/lifecycle.ts";
import { addScenario, addSituation } from "../situations/control.ts";
import type { Store } from "../store/queries.ts";
import { addUser, builtInUserId, restoreInitialState } from "../store/schema.ts";
import { addRental } from "../tables/rentals.ts";
import { billedCents } from "../tables/sums.ts";
import { addSshKey, findUser, saveCredit, saveUser } from "../tables/users.ts";
import { addVolume, attach } from "../tables/volumes.ts";
import type { Seed, SeedDocument, SeededAccount, SeededRental } from "./read.ts";

/**
 * Replaces the whole state with a seed, as one transaction. `machine` is the time of the computer's clock, in
 * milliseconds since 1970.
 * @throws ControlRefused when the seed is inconsistent. The state is then unchanged.
 */
export function fill(store: Store, { document, seedError }: Seed, machine: number): void {
  const { clock } = document;
  const now = momentOf(clock?.now) ?? machine;
  const owners = ownersOf(document);
  const [rentals, volumes] = [ownedBy(owners, "rentals"), ownedBy(owners, "volumes")];
  const issues = [
    ...(now > latestMs ? [{ path: ["clock", "now"], message: "must be before the year 10000" }] : []),
    ...duplicateIds(rentals),
    ...duplicateIds(volumes),
    ...duplicateKeys(ownedBy(owners, "keys")),
  ];
  if (issues.length > 0) throw seedError(issues);
  store.write(() => {
    restoreInitialState(store, now);
    if (clock) saveClock(store, { offsetMs: now - machine, frozenAt: clock.frozen ? now : null });
    for (const owner of owners) addAccount(store, owner, now);
    const invalid = [...addRentals(store, rentals, now), ...addVolumes(store, volumes, now)];
    if (invalid.length > 0) throw seedError(invalid);
    for (const { userId, account } of owners) {
      if (account.balanceCents === undefined) continue;
      saveCredit(store, userId, account.balanceCents + billedCents(store, userId, now));
    }
    const rejected = addChaos(store, document, now);
    if (rejected.length > 0) throw seedError(rejected);
  });
}

interface Owner {
  readonly userId: string;
  readonly account: SeededAccount;
  /** Where the account is in the seed. */
  readonly path: readonly (string | number)[];
}

/** The user with the built-in keys, then the users of `accounts`. */
const ownersOf = (document: SeedDocument): readonly Owner[] => [
  { userId: builtInUserId, account: document, path: [] },
  ...document.accounts.map((account, index) => ({
    userId: `${builtInUserId}-${index + 2}`,
    account,
    path: ["accounts", index],
  })),
];

/** An entry of a list in the seed. */
interface Owned<Item> extends Pick<Owner, "userId" | "path"> {
  readonly item: Item;
}

const ownedBy = <List extends "rentals" | "volumes" | "keys">(
  owners: readonly Owner[],
  list: List,
): readonly Owned<SeededAccount[List][number]>[] =>
  owners.flatMap(({ userId, account, path }) =>
    account[list].map((item, index) => ({ userId, item, path: [...path, list, index] })),
  );

/** Adds the parts of the scenario, then the situations, boot rules and faults. */
const addChaos = (
  store: Store,
  { scenario, situations, boots, faults }: SeedDocument,
  now: number,
): readonly Issue[] => [
  ...(scenario === undefined
    ? []
    : issuesOf([], () => addScenario(store, scenario, now)).map(({ message }) => ({
        path: ["scenario"],
        message,
      }))),
  ...situations.flatMap((one, index) => issuesOf(["situations", index], () => addSituation(store, one, now))),
  ...boots.flatMap((one, index) => issuesOf(["boots", index], () => bootControl(store).add(one))),
  ...faults.flatMap((one, index) =>
    issuesOf(["faults", index], () => faultControl(store, () => now).add(one)),
  ),
];

/** Adds the user of an account, unless it is the built-in user, and sets the user's record and keys. */
function addAccount(
  store: Store,
  { userId, account: { user, keys: seeded, sshKeys } }: Owner,
  now: number,
): void {
  if (userId !== builtInUserId) addUser(store, userId, now);
  const initial = findUser(store, userId);
  if (user && initial) saveUser(store, userId, { ...initial, ...user });
  for (const { value, name, access } of seeded) {
    addKey(store, userId, { secret: value, name: name ?? access, access, createdAt: now });
  }
  for (const key of sshKeys) addSshKey(store, userId, key, now);
}

const addRentals = (store: Store, rentals: readonly Owned<SeededRental>[], now: number): readonly Issue[] =>
  numberedFirst(rentals).flatMap(({ userId, item, path }) =>
    issuesOf(path, () => {
      const sshPublicKeys = sshPublicKeysOf(store, userId, item);
      addRental(store, userId, { ...seededRental(item, now), sshPublicKeys }, item.id);
    }),
  );

const addVolumes = (
  store: Store,
  volumes: readonly Owned<SeededAccount["volumes"][number]>[],
  now: number,
): readonly Issue[] =>
  numberedFirst(volumes).flatMap(({ userId, item, path }) =>
    issuesOf(path, () => {
      const { id, createdAt, rentalIds = [], ...volume } = item;
      throwIfInvalid(...futureIssues("createdAt", momentOf(createdAt), now));
      const attached = attachable(rentalIds, volume.region, { store, userId, now });
      const stored = { ...volume, createdAt: stamp(momentOf(createdAt) ?? now) };
      attach(store, addVolume(store, userId, stored, id), attached);
    }),
  );

/**
 * Runs `work`, which adds the entry at the path `parent` of a seed. Returns the issues of the entry, with paths from
 * the root of the seed.
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

function duplicateKeys(seeded: readonly Owned<SeededAccount["keys"][number]>[]): readonly Issue[] {
  const builtIn = Object.values<string>(keys);
  const values = [...builtIn, ...seeded.map(({ item }) => item.value)];
  return seeded.flatMap(({ item: { value }, path }, index) =>
    values.indexOf(value) < index + builtIn.length
      ? [{ path: [...path, "value"], message: "must be unique, but another key has this value" }]
      : [],
  );
}

interface Numbered {
  readonly id?: number | undefined;
}

/** Sorts items that have an id to the front, so that the items without an id get ids that are still free. */
const numberedFirst = <Entry extends { readonly item: Numbered }>(entries: readonly Entry[]) =>
  entries.toSorted((one, other) => Number(one.item.id === undefined) - Number(other.item.id === undefined));

/** An issue for each entry whose id is also the id of an earlier entry. */
const duplicateIds = (entries: readonly Owned<Numbered>[]): readonly Issue[] =>
  entries.flatMap(({ item: { id }, path }, index) =>
    id !== undefined && entries.findIndex(({ item }) => item.id === id) < index
      ? [{ path: [...path, "id"], message: `must be unique, but ${id} is used twice` }]
      : [],
  );

/**
 * Creates a rental of a seed. Without `createdAt`, the rental starts to boot now.
 * @throws ApiError when the rental is invalid, for example when it ends before it is created
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
