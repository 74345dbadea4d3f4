import * as z from "zod";

/** An ID (service section 1): an integer from 1 to 9007199254740991, or a string of at least 1 character. */
export const id = z.union([z.int().gt(0), z.string().min(1)]).meta({ id: "Id", description: "Identifier" });

export type Id = z.infer<typeof id>;

/** The input of an operation without fields. */
export const nothing = z.object({});

export const dateTime = (text: string) => z.iso.datetime({ offset: true }).describe(text);

/** A volume's label (service section 8). */
export const volumeLabel = z
  .string()
  .min(4)
  .max(255)
  .regex(/^[a-zA-Z0-9_-]+$/)
  .describe("Name of the volume: letters, digits, underscores and dashes");

/** A volume's size in GB. For `createStorageVolume`, it must also be a multiple of 256 (service section 8). */
export const volumeSize = z.int().min(256).max(64000).describe("Size of the volume in GB");
