import type { Io } from "../../system/types.ts";
import { commandsWithin } from "../help/help.ts";
import type { BareGroup } from "../parse/program.ts";
import { wholeLine } from "./line.ts";

/**
 * If every command of a group (such as `rentals create`) lets the user choose from what the service offers, asks which
 * command to run and returns the line with that command. Returns undefined for any other group.
 */
export async function chosenLine(
  { group, argv }: BareGroup,
  { prompts }: Pick<Io, "prompts">,
): Promise<readonly string[] | undefined> {
  const inside = commandsWithin(group);
  if (group.length === 0 || !inside.every(({ offers }) => offers)) return undefined;
  const names = inside.map(({ path }) => path.slice(group.length).join(" "));
  const labels = Object.fromEntries(
    inside.map(({ summary }, at) => [names[at] ?? "", `${summary} (${names[at]})`]),
  );
  const chosen = await (await prompts()).choose({
    message: `What to ${group.at(-1)}?`,
    choices: names,
    labels,
  });
  return wholeLine(argv, [], chosen.split(" "));
}
