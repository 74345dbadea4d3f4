import * as z from "zod";

/** An id that stands in a path: the sandbox numbers its things. */
export const numberedId = (text: string) => z.int().gt(0).describe(text);
