import type { Shell } from "../../core/shells.ts";
import type { Topic } from "../../core/topics.ts";

/** The completion script for a shell, the same text as in `completions/`. */
export async function completionScript(shell: Shell): Promise<string> {
  const [{ completionOf }, { treeOf }, { nouns, globals }] = await Promise.all([
    import("../../docs/completions/index.ts"),
    import("../../docs/tree.ts"),
    import("../generated/tree.ts"),
  ]);
  return completionOf(shell, treeOf(nouns, globals));
}

/** A help topic, which is also a manual page; undefined when there is none of that name. */
export async function topic(name: string): Promise<Topic | undefined> {
  const [{ topicsOf }, { globals }] = await Promise.all([
    import("../../docs/topics/index.ts"),
    import("../generated/tree.ts"),
  ]);
  return topicsOf(globals).find((one) => one.name === name);
}
