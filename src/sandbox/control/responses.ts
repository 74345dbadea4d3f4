import * as z from "zod";

/** The formats that the served controls and their clients share. */

/** A number of records. */
export const count = z.int().min(0);

/** The ID of a record. */
export const id = z.int().min(1);

export const cleared = z.strictObject({ cleared: count });

export const requestCount = z.strictObject({ count });

export const expectation = z.strictObject({
  met: z.boolean(),
  expected: z.string(),
  count,
  logged: count,
  requests: z.array(z.strictObject({ number: id, text: z.string() })),
});
