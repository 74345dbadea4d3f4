import type { Description } from "../../client/description.ts";
import { NotOffered } from "../../core/errors.ts";
import { commandLine } from "../../core/text.ts";
import type { Context } from "../context.ts";
import { noDescription } from "../responses.ts";

/** What a command needs from the service's OpenAPI description, in words. */
interface Needed {
  /** Completes the sentence "it is not known whether", such as "the service lists SSH keys". */
  readonly that: string;
  /** The error message if the description does not contain what is needed. */
  readonly missing: string;
  readonly hint: string;
}

/**
 * Returns what `find` picks from the service's OpenAPI description, and the description itself. Throws `NotOffered` if
 * `find` picks nothing, and `NoDescription` if the description cannot be fetched.
 */
export async function offered<Found>(
  find: (description: Description) => Found | undefined,
  { that, missing, hint }: Needed,
  { describe }: Pick<Context, "describe">,
): Promise<{ readonly found: Found; readonly description: Description }> {
  const orDocumented = (documented: Description) => find(documented) !== undefined;
  const description = await describe({ orDocumented }).catch((error: unknown) => {
    throw noDescription(error, that, hint);
  });
  const found = find(description);
  if (found === undefined) throw new NotOffered(missing, hint);
  return { found, description };
}

/** Like `offered`, for one operation. `purpose` completes "an operation to", such as "list SSH keys". */
export const offeredOperation = <Found>(
  purpose: string,
  find: (description: Description) => Found | undefined,
  context: Pick<Context, "describe">,
): ReturnType<typeof offered<Found>> =>
  offered(
    find,
    {
      that: `the service has an operation to ${purpose}`,
      missing: `the service lists no operation to ${purpose}`,
      hint: "Use the service's dashboard. `gpuctl api list` shows what the service offers.",
    },
    context,
  );

/** The error for an operation whose fields differ from those that the command sends. */
export const differentFields = (purpose: string, id: string, fields: readonly string[]): NotOffered =>
  new NotOffered(
    `the service's operation to ${purpose} does not accept, or also requires, these fields: ${fields.join(", ")}`,
    `\`${commandLine("api describe", [id])}\` shows the fields of the operation, and \`gpuctl api call\` sends them.`,
  );
