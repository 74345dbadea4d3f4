import type { Shell } from "../../context/context.ts";

/** The shells that have a completion script, and the name of its file, by which the shell finds it. */
export const completionFiles: Readonly<Record<Shell, string>> = {
  bash: "gpuctl.bash",
  zsh: "_gpuctl",
  fish: "gpuctl.fish",
  powershell: "gpuctl.ps1",
};
