import { completionFiles, type Shell, shells } from "../../core/shells.ts";
import type { Tree } from "../tree.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { powershellCompletion } from "./powershell.ts";
import { zshCompletion } from "./zsh.ts";

const scripts: Readonly<Record<Shell, (tree: Tree) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
};

/** The completion script for one shell. */
export const completionOf = (shell: Shell, tree: Tree): string => scripts[shell](tree);

/** The completion scripts, by the name of their file. */
export const completions = (tree: Tree): Readonly<Record<string, string>> =>
  Object.fromEntries(shells.map((shell) => [completionFiles[shell], scripts[shell](tree)]));
