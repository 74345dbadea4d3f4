import { UnknownOutcome } from "../../client/errors.ts";
import type { Context } from "../../context/context.ts";
import { firstAt } from "../../output/paths.ts";
import { NotFound, NotOffered, UsageError } from "../errors.ts";
import { orLook } from "../shared/look.ts";
import { idOf, isRecord } from "../shared/records.ts";
import { parseId } from "../shared/values.ts";
import type { Verb } from "../spec.ts";
import { listActive } from "./listing.ts";
import { type RentalType, rentalTypeOf } from "./rental-type.ts";
import {
  type Terminate,
  terminateFor,
  terminateOperations,
  terminateRequest,
} from "./terminate-operation.ts";

interface Ending {
  readonly rentals: readonly Rental[];
}

interface Rental {
  readonly id: string;
  /** As the service writes it. */
  readonly wireId: string | number;
  readonly label: string | undefined;
  readonly type: RentalType | undefined;
}

export const verb: Verb<Ending> = {
  input: async ({ words }, context) => {
    const ids = [...new Set([words.RENTAL ?? []].flat().map(String))];
    if (ids.includes("")) throw new UsageError("RENTAL must not be empty");
    const operations = terminateOperations(await context.describe({ orDocumented: true }));
    if (context.settings.dryRun) return { rentals: ids.map(unseen) };
    const seen = await Promise.all(ids.map((id) => lookUp(id, context)));
    const rentals = await withTypes(seen, operations, context);
    for (const { id, type } of rentals) {
      if (!terminateFor(operations, type)) throw noneFor(id, type);
    }
    return { rentals };
  },
  question: ({ rentals }) =>
    `End ${rentals.map(({ id, label }) => (label ? `${id} (${label})` : id)).join(", ")}? What is on ${rentals.length === 1 ? "it" : "them"} is lost.`,
  run: async ({ rentals }, context) => {
    const description = await context.describe({ orDocumented: true });
    const operations = terminateOperations(description);
    const end = async ({ wireId, type }: Rental): Promise<unknown> => {
      const operation = terminateFor(operations, type) ?? operations[0]?.operation;
      if (operation === undefined) throw noneFor(String(wireId), type);
      const answer = await context.request(terminateRequest(description, operation, wireId));
      return parsed(answer.text());
    };
    const answers: unknown[] = [];
    const failed: { readonly id: string; readonly error: unknown }[] = [];
    const done: string[] = [];
    for (const rental of rentals) {
      context.interrupted.throwIfAborted();
      try {
        answers.push(
          await orLook(
            () => end(rental),
            () => looked(rental.id, context),
          ),
        );
        done.push(rental.id);
        context.ifItFails(`Ended: ${done.join(", ")}.`);
      } catch (error) {
        if (context.settings.dryRun || context.interrupted.aborted) throw error;
        failed.push({ id: rental.id, error });
      }
    }
    if (failed.length > 0) throw worstOf(failed, done, rentals.length, context);
    return {
      data: answers,
      rows: answers.map((answer, index) => ({
        rentalId: rentals[index]?.id,
        label: rentals[index]?.label,
        message: isRecord(answer) && typeof answer.message === "string" ? answer.message : "ended",
      })),
    };
  },
};

const unseen = (id: string): Rental => ({ id, wireId: parseId(id), label: undefined, type: undefined });

async function lookUp(id: string, { call }: Pick<Context, "call">): Promise<Rental> {
  const record: unknown = await call("getRental", { rentalId: id });
  if (record === null) throw new NotFound(`no rental ${id} belongs to you, so nothing was ended`);
  const label = firstAt(record, ["label", "name", "meta.name"]);
  const wireId = isRecord(record) ? (record.id ?? record.rentalId) : undefined;
  return {
    id,
    wireId: typeof wireId === "number" || typeof wireId === "string" ? wireId : parseId(id),
    label: typeof label === "string" ? label : undefined,
    type: rentalTypeOf(record),
  };
}

/** Where the types matter and a record does not say its own, it is that of the listing which holds it. */
async function withTypes(
  rentals: readonly Rental[],
  operations: readonly Terminate[],
  context: Pick<Context, "call">,
): Promise<readonly Rental[]> {
  if (rentals.every(({ type }) => terminateFor(operations, type))) return rentals;
  const listed = await listActive(context, {});
  return rentals.map((rental) => ({
    ...rental,
    type: rental.type ?? listed.find(({ record }) => idOf(record) === String(rental.wireId))?.type,
  }));
}

const noneFor = (id: string, type: RentalType | undefined): NotOffered =>
  new NotOffered(
    `the service lists no operation that ends rental ${id}${type ? `, which is ${type === "vm" ? "a virtual machine" : "bare metal"}` : ""}`,
    "Nothing was ended. End it in the service's dashboard.",
  );

/** What became of a rental whose end nobody knows. */
async function looked(id: string, { call }: Pick<Context, "call">): Promise<string> {
  try {
    const record: unknown = await call("getRental", { rentalId: id });
    const state = firstAt(record, ["status", "state"]);
    return `Rental ${id} is ${record === null ? "gone" : (state ?? "there")} now.`;
  } catch {
    return `Looking at rental ${id} afterwards failed too: look yourself before you try again.`;
  }
}

/** The failure that weighs most, an unknown outcome before all, with what became of the others. */
function worstOf(
  failed: readonly { readonly id: string; readonly error: unknown }[],
  done: readonly string[],
  all: number,
  { ifItFails }: Pick<Context, "ifItFails">,
): unknown {
  const worst = failed.find(({ error }) => error instanceof UnknownOutcome) ?? failed[0];
  if (all > 1) {
    const others = failed.map(({ id, error }) => {
      const finding =
        error instanceof UnknownOutcome && error !== worst?.error ? ` ${error.finding ?? ""}` : "";
      return `${id} (${error instanceof Error ? error.message : error})${finding}`;
    });
    ifItFails(`Ended: ${done.join(", ") || "none"}. Failed: ${others.join(", ")}.`);
  }
  return worst?.error;
}

function parsed(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
