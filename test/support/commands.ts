import { loaders } from "../../src/cli/generated/loaders.ts";
import { nouns } from "../../src/cli/generated/tree.ts";
import type { Command } from "../../src/command-kit/define.ts";
import type { CommandNode } from "../../src/command-kit/tree.ts";
import type { OperationId } from "../../src/contract/index.ts";
import type { Operation } from "../../src/contract/operation.ts";

/** Every command from the generated tree, in the order of help. */
export const commands: readonly CommandNode[] = nouns.flatMap((noun) => noun.commands);

/** The declaration of each command from its own file, by the path of the command, such as `rentals list`. */
export const declared: ReadonlyMap<string, Command> = new Map(
  await Promise.all(
    Object.entries(loaders).map(
      async ([words, load]): Promise<[string, Command]> => [words, (await load()).default],
    ),
  ),
);

/** The declaration of a command of the tree. */
export function declarationOf({ path }: Pick<CommandNode, "path">): Command {
  const words = path.join(" ");
  const command = declared.get(words);
  if (command === undefined) throw new Error(`No module declares ${words}`);
  return command;
}

/** Every operation that a command calls. The operation whose fields are the command's flags, if any, comes first. */
export function operationsOf(node: Pick<CommandNode, "path">): readonly OperationId[] {
  const { operation, alsoCalls = [] } = declarationOf(node);
  return operation === undefined ? alsoCalls : [operation, ...alsoCalls];
}

/** Whether a request with this method and path calls an operation. */
export function isCallOf(
  operation: Pick<Operation, "method" | "path">,
  method: string,
  path: string,
): boolean {
  const parts = operation.path.split("/");
  const given = path.split("/");
  return (
    operation.method === method &&
    given.length === parts.length &&
    parts.every((part, at) => part.startsWith("{") || part === given[at])
  );
}
