import type { Id } from "../../contract/shared.ts";

/** The sandbox numbers its things; a caller may write the number as text. Nothing when it cannot be one of ours. */
export const numberOf = (id: Id): number | undefined =>
  /^[1-9]\d{0,15}$/.test(String(id)) ? Number(id) : undefined;
