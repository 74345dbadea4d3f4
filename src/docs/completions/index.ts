import type { Tree } from "../tree.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { powershellCompletion } from "./powershell.ts";
import { zshCompletion } from "./zsh.ts";

/** The completion scripts, by the name of their file. */
export const completions = (tree: Tree): Readonly<Record<string, string>> => ({
  "gpuctl.bash": bashCompletion(tree),
  _gpuctl: zshCompletion(tree),
  "gpuctl.fish": fishCompletion(tree),
  "gpuctl.ps1": powershellCompletion(tree),
});
