import { save } from "../../media/save.ts";
import { reasonOf } from "../errors.ts";
import { completionPlace } from "./shell.ts";
import type { Wizard } from "./wizard.ts";

/** Puts the completions where the user's shell looks for them, when the user wants that. No other file is touched. */
export async function completions({ ask, context }: Wizard): Promise<void> {
  const place = await completionPlace(context);
  if (!place) return;
  const script = new TextEncoder().encode(await context.completionScript(place.shell));
  const there = await context.files.read(place.path).catch(() => undefined);
  if (there && Buffer.compare(there, script) === 0) return;
  const verb = there ? "Replace" : "Write";
  const message = `${verb} the completions for ${place.shell}, ${place.path}?`;
  if (!(await ask.confirm({ message, initial: true }))) return;
  try {
    await save(place.path, script, { force: true, makeFolders: true });
  } catch (error) {
    context.say(`The completions are not there: ${reasonOf(error)}.`);
    return;
  }
  context.say(`Completions are in ${place.path}; a new ${place.shell} has them.`);
  if (place.lines.length > 0) context.say(`It needs these lines:\n${place.lines.join("\n")}`);
}
