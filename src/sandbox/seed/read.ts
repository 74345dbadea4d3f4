import * as z from "zod";
import { check, type Issue } from "../../contract/check/check.ts";
import { createBareMetalRental, createVirtualMachineRental } from "../../contract/rentals.ts";
import { dateTime } from "../../contract/shared.ts";
import { user } from "../../contract/user.ts";
import { createStorageVolume } from "../../contract/volumes.ts";
import { isRecord } from "../../core/json.ts";
import { scenarios } from "../../core/sandbox.ts";
import { createApiKey, createSshKey } from "../assumed/keys.ts";
import { parseDocument } from "../documents.ts";
import { ControlRefused, issuesFor } from "../errors.ts";
import { faultInput } from "../faults/table.ts";
import { bootInput, bootRuleInput } from "../rentals/boots.ts";
import { assumedPort, assumedUser } from "../rentals/record.ts";
import { minSecretLength } from "../requests/log.ts";
import { situationInput } from "../situations/table.ts";

/** An id that a seed sets. New ids count up from the largest one, so there must be room above it. */
const recordId = z
  .int()
  .gt(0)
  .lt(2 ** 52);

/** Fields of new records that the sandbox sets itself if a seed does not. */
const recordFields = { id: recordId.optional(), createdAt: dateTime("When it was created").optional() };
/** An address at which a running rental accepts ssh connections, for example that of your own machine. */
const sshAddress = z.strictObject({
  host: z.string().regex(/^[A-Za-z0-9:][\w.:-]*$/),
  port: z.int().min(1).max(65_535).default(assumedPort),
  user: z.string().min(1).default(assumedUser),
});

const rentalFields = {
  ...recordFields,
  terminatedAt: dateTime("When it ended").optional(),
  boot: bootInput.optional(),
  sshNetworking: z.array(sshAddress).min(1).optional(),
};

const virtualMachine = createVirtualMachineRental.input
  .extend({ rentalType: z.literal("virtual-machine"), ...rentalFields })
  .strict();
const bareMetal = createBareMetalRental.input
  .omit({ storageVolume: true })
  .extend({ rentalType: z.literal("bare-metal"), ...rentalFields })
  .strict();

/** The value of an API key: valid as a bearer credential, and long enough for the request log to remove it. */
const secret = z
  .string()
  .min(minSecretLength)
  .regex(/^[\x21-\x7e]+$/);

const seededKey = z.strictObject({
  value: secret,
  name: createApiKey.input.shape.name.optional(),
  access: z.enum(["full", "read-only", "revoked"]).default("full"),
});

const accountFields = {
  user: user.omit({ id: true }).strict().optional(),
  balanceCents: z.int().optional(),
  keys: z.array(seededKey).default([]),
  sshKeys: z.array(createSshKey.input.strict()).default([]),
  rentals: z.array(z.discriminatedUnion("rentalType", [virtualMachine, bareMetal])).default([]),
  volumes: z.array(createStorageVolume.input.extend(recordFields).strict()).default([]),
};

/** The format of a seed. Rentals, volumes and SSH keys are based on the inputs of the create operations. */
export const seedDocument = z.strictObject({
  clock: z
    .strictObject({ now: dateTime("The sandbox's time").optional(), frozen: z.boolean().default(false) })
    .optional(),
  ...accountFields,
  /** Further users. The fields above are those of the user with the built-in keys. */
  accounts: z.array(z.strictObject({ ...accountFields, keys: z.array(seededKey).min(1) })).default([]),
  scenario: z.enum(Object.keys(scenarios)).optional(),
  /**
   * These lists are added after the situations, boot rules and faults of the scenario. An entry has the same fields as
   * the request body that adds such an entry to a served sandbox.
   */
  situations: z.array(situationInput).default([]),
  boots: z.array(bootRuleInput).default([]),
  faults: z.array(faultInput).default([]),
});

export type SeedDocument = z.output<typeof seedDocument>;
/** A user, and what belongs to the user. */
export type SeededAccount = SeedDocument["accounts"][number];
export type SeededRental = SeededAccount["rentals"][number];

/** A parsed seed. */
export interface Seed {
  readonly document: SeedDocument;
  /** Returns the error for issues of the document, with the line number of each issue, if known. */
  readonly seedError: (issues: readonly Issue[]) => ControlRefused;
}

/**
 * Reads a seed in YAML or JSON. `{}` describes the initial state. An empty text is rejected, because it is probably a
 * mistake.
 * @throws ControlRefused naming what is invalid and, if known, its line
 */
export async function readSeed(text: string): Promise<Seed> {
  const { content, errorFor: seedError } = await parseDocument(text, "the seed");
  if (content === undefined) {
    throw new ControlRefused([], "the seed is empty; {} describes the initial state");
  }
  return checkSeed(content, seedError);
}

/** Checks a seed. @throws ControlRefused naming what is invalid */
export function checkSeed(
  content: unknown,
  seedError: Seed["seedError"] = (issues) => new ControlRefused(issues),
): Seed {
  if (!isRecord(content)) {
    throw new ControlRefused([], "the seed must be a map with keys such as rentals, volumes and clock");
  }
  const checked = check({ input: seedDocument }, content);
  if (!checked.ok) throw seedError(issuesFor("a seed", checked.issues));
  return { document: checked.value, seedError };
}
