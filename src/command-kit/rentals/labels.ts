import type { Call } from "../../client/call.ts";
import { NotFound, UnexpectedResponse, UsageError } from "../../core/errors.ts";
import { idOf, idsOf, sameIdIn } from "../../core/responses/rental.ts";
import { NotServed, ServiceError } from "../../core/service-errors.ts";
import { once } from "../../core/tasks/once.ts";
import { labelOf, recordsOf } from "../responses.ts";
import type { Labelled } from "../values.ts";

interface LabelLookup {
  /**
   * Returns the id of the rental or volume with this label, or undefined if the word itself is an id. Of the rentals,
   * only active ones are searched. `source` is the argument or flag, for messages. Throws `NotFound` if the word is
   * neither an id nor a label, and `UnexpectedResponse` if a list is incomplete. If several rentals or volumes have the
   * label, throws a `UsageError` that lists their ids.
   */
  readonly idFor: (kind: Labelled, word: string, source: string) => Promise<string | undefined>;
}

/** Looks up ids by label. Requests each list at most once. `isRead` says that the command changes nothing. */
export function labelLookup({
  call,
  isRead = false,
}: {
  readonly call: Call;
  readonly isRead?: boolean;
}): LabelLookup {
  const unchanged = isRead ? "" : " Nothing was changed.";
  const refusing = refusal(unchanged);
  const list = {
    rental: once(() => activeRentals(call, refusing)),
    volume: once(async () => recordsOf(await call("listStorageVolumes", {}, refusing("volume")))),
  };
  const idFor: LabelLookup["idFor"] = async (kind, word, source) => {
    if (await isId(kind, word, call, list.volume)) return undefined;
    const records = await list[kind]();
    // A service may list a rental but not find it by its id.
    if (records.some((record) => idOf(record) === word)) return undefined;
    const labelled = records.filter((record) => labelOf(record) === word);
    // If each of the two lists contains rentals of both types, a rental is listed twice.
    const ids = [...new Set(labelled.flatMap((record) => idOf(record) ?? []))];
    const [id, ...others] = ids;
    const name = JSON.stringify(word);
    if (id === undefined) {
      throw new NotFound(
        `${kind} ${name} not found: it is neither an ID nor the label of ${names[kind].one}`,
        {
          request: null,
          hint: `\`gpuctl ${kind}s list\` shows IDs and labels.${unchanged}`,
        },
      );
    }
    if (others.length > 0) {
      throw new UsageError(
        `${source} ${name} is the label of ${ids.length} ${names[kind].all}: ${ids.join(", ")}`,
        { hint: `Use the ID of one of them.${unchanged}` },
      );
    }
    return id;
  };
  return { idFor };
}

const names: Readonly<Record<Labelled, { readonly one: string; readonly all: string }>> = {
  rental: { one: "an active rental", all: "active rentals" },
  volume: { one: "a volume", all: "volumes" },
};

async function isId(
  kind: Labelled,
  word: string,
  call: Call,
  volumes: () => Promise<readonly unknown[]>,
): Promise<boolean> {
  try {
    if (kind === "volume") return (await volumes()).some((record) => idOf(record) === word);
    const record: unknown = await call("getRental", { rentalId: word });
    // A service that reads only the digits at the start of an ID may return another rental.
    return record !== null && (idsOf(record).length === 0 || sameIdIn(record, word) !== undefined);
  } catch (error) {
    // If volumes cannot be listed, labels cannot be looked up, so the word is used as an id.
    if (kind === "volume" && isHidden(error)) return true;
    if (kind === "rental" && error instanceof ServiceError && notAnId.has(error.status)) return false;
    throw error;
  }
}

/** Refuses incomplete lists: a second record with the same label may be missing from the list. */
const refusal = (unchanged: string) => (kind: Labelled) => ({
  warn: (): never => {
    throw new UnexpectedResponse(
      `the service's list of ${kind}s is incomplete, or not a list, so labels cannot be looked up`,
      `Use an ID.${unchanged}`,
    );
  },
});

/** Statuses with which services respond if a word is not an id, or if no rental has this id. */
const notAnId: ReadonlySet<number> = new Set([400, 404, 422]);

/** Whether a list is not available: the service does not offer it, or the key has no permission to read it. */
const isHidden = (error: unknown): boolean =>
  error instanceof NotServed || (error instanceof ServiceError && [403, 404].includes(error.status));

/**
 * The active rentals of both types. Leaves out a type that the service does not offer or the key may not list. Throws
 * if both types would be left out, or if a request fails for another reason.
 */
async function activeRentals(call: Call, refusing: ReturnType<typeof refusal>): Promise<readonly unknown[]> {
  const pages = await Promise.allSettled([
    call("listVirtualMachineRentals", {}, refusing("rental")),
    call("listBareMetalRentals", {}, refusing("rental")),
  ]);
  const failures = pages.flatMap((page) => (page.status === "rejected" ? [page.reason] : []));
  const fatal = failures.length === pages.length ? failures[0] : failures.find((error) => !isHidden(error));
  if (fatal !== undefined) throw fatal;
  return pages.flatMap((page) => (page.status === "fulfilled" ? recordsOf(page.value) : []));
}
