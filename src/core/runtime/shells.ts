import { basename } from "node:path";

export const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

/** The names of the completion scripts. bash, zsh and fish find the scripts by these names. */
export const completionFiles: Readonly<Record<Shell, string>> = {
  bash: "gpuctl.bash",
  zsh: "_gpuctl",
  fish: "gpuctl.fish",
  powershell: "gpuctl.ps1",
};

/** The shell of a program such as `/bin/bash`; undefined if gpuctl does not support it. */
export function shellOf(program = ""): Shell | undefined {
  const name = basename(program).replace(/\.exe$/i, "");
  return shells.find((shell) => name === (shell === "powershell" ? "pwsh" : shell));
}
