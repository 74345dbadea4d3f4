import { parseArgs } from "node:util";
import { type LiveValue, liveValues } from "../../command-kit/values.ts";
import { globalFlags, type TypedGlobals } from "../parse/globals.ts";

/** What a shell asks for: values of a kind that begin with what was typed of them. */
export interface Wanted {
  readonly kind: LiveValue;
  readonly prefix: string;
  /** The flags so far that say which service is asked. */
  readonly typed: TypedGlobals;
}

/** Flags that change which service answers, or how. */
const serviceFlags: Readonly<Record<string, { type: "string" | "boolean" }>> = Object.fromEntries(
  globalFlags
    .filter(({ group }) => group === "Service")
    .map((flag) => [flag.name, { type: "value" in flag ? "string" : "boolean" }]),
);

/** Reads `KIND [PREFIX] [FLAG]...`. A flag that is not known here is passed over; throws for a kind that is not known. */
export function readWanted(argv: readonly string[]): Wanted {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: serviceFlags,
    allowPositionals: true,
    strict: false,
  });
  const [word, prefix = ""] = positionals;
  const kind = liveValues.find((one) => one === word);
  if (kind === undefined) throw new Error(`no values of ${word}`);
  return { kind, prefix, typed: values };
}
