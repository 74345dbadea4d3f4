import { createHash } from "node:crypto";
import * as z from "zod";
import { schemaVersion } from "../schema.ts";
import { ControlRefused } from "./refused.ts";

const row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

const head = z.object({ gpuctlSandbox: z.literal("snapshot"), version: z.int() });

const document = z.strictObject({
  ...head.shape,
  clock: z.strictObject({ now: z.iso.datetime(), frozen: z.boolean() }),
  tables: z.record(z.string(), z.array(row)),
  digest: z.string(),
});

/** The whole state as plain data: every table but the log of requests, and the clock as it stood. */
export type Snapshot = z.output<typeof document>;

/** Seals what a snapshot holds, so that it can be told from one that was changed by hand or cut off. */
export const sealed = (held: Omit<Snapshot, "digest">): Snapshot => ({ ...held, digest: digestOf(held) });

/**
 * Reads the text of a snapshot.
 * @throws ControlRefused when it is none of ours, of another version, or not as it was sealed
 */
export function readSnapshot(text: string): Snapshot {
  const json = parse(text);
  const known = head.safeParse(json);
  if (!known.success) throw new ControlRefused([], "it is no snapshot of a sandbox");
  const { version } = known.data;
  if (version !== schemaVersion) {
    const age = version < schemaVersion ? "an older" : "a newer";
    const only = `it is of version ${version}, and this one reads version ${schemaVersion} only`;
    throw new ControlRefused([], `${age} version of gpuctl wrote the snapshot: ${only}`);
  }
  const parsed = document.safeParse(json);
  if (!parsed.success) throw changed();
  const { digest, ...held } = parsed.data;
  if (digest !== digestOf(held)) throw changed();
  return parsed.data;
}

export const changed = (): ControlRefused =>
  new ControlRefused([], "the snapshot was changed after it was taken: a state of your own is for `seed`");

/** Over everything, whatever the order of its keys and the space between them. */
const digestOf = (held: Omit<Snapshot, "digest">): string =>
  createHash("sha256").update(canonical(held)).digest("hex");

/** JSON with the keys of every object in order, so that equal values have equal text. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
