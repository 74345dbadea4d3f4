import { completionFiles, type Shell, shells } from "../../core/runtime/shells.ts";
import type { Tree } from "../tree.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { powershellCompletion } from "./powershell.ts";
import { zshCompletion } from "./zsh.ts";

export const completionScripts: Readonly<Record<Shell, (tree: Tree) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
};

/** The completion scripts by file name. */
export const completions = (tree: Tree): Readonly<Record<string, string>> =>
  Object.fromEntries(shells.map((shell) => [completionFiles[shell], completionScripts[shell](tree)]));
