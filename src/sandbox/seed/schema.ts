import * as z from "zod";
import { createApiKey } from "../../contract/assumed/api-keys.ts";
import { createSshKey } from "../../contract/assumed/ssh-keys.ts";
import { createBareMetalRental, createVirtualMachineRental } from "../../contract/rentals.ts";
import { dateTime } from "../../contract/shared.ts";
import { user } from "../../contract/user.ts";
import { createStorageVolume } from "../../contract/volumes.ts";

/** Ids count up from the largest one of a seed, so that leaves room above it. */
const number = z
  .int()
  .gt(0)
  .lt(2 ** 52);

/** What the sandbox decides by itself for a thing that is created, and a seed may say. */
const given = { id: number.optional(), createdAt: dateTime("When it was created").optional() };
const rented = { ...given, terminatedAt: dateTime("When it ended").optional() };

const virtualMachine = createVirtualMachineRental.input
  .extend({ rentalType: z.literal("virtual-machine"), ...rented })
  .strict();
const bareMetal = createBareMetalRental.input
  .omit({ storageVolume: true })
  .extend({ rentalType: z.literal("bare-metal"), ...rented })
  .strict();

/** What a bearer credential can carry; long enough to be told from a word. */
const secret = z
  .string()
  .min(8)
  .regex(/^[\x21-\x7e]+$/);

/** The document that a sandbox is filled from. The fields of its things are those that create them, with their defaults. */
export const seedDocument = z.strictObject({
  clock: z
    .strictObject({ now: dateTime("The sandbox's time").optional(), frozen: z.boolean().default(false) })
    .optional(),
  user: user.omit({ id: true }).strict().optional(),
  balanceCents: z.int().optional(),
  keys: z
    .array(
      z.strictObject({
        value: secret,
        name: createApiKey.input.shape.name.optional(),
        access: z.enum(["full", "read-only", "revoked"]).default("full"),
      }),
    )
    .default([]),
  sshKeys: z.array(createSshKey.input.strict()).default([]),
  rentals: z.array(z.discriminatedUnion("rentalType", [virtualMachine, bareMetal])).default([]),
  volumes: z.array(createStorageVolume.input.extend(given).strict()).default([]),
});

export type SeedDocument = z.output<typeof seedDocument>;
export type SeededRental = SeedDocument["rentals"][number];
