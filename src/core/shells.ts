import { basename } from "node:path";

export const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

/** The file names of the completion scripts, by which the shells find them. */
export const completionFiles: Readonly<Record<Shell, string>> = {
  bash: "gpuctl.bash",
  zsh: "_gpuctl",
  fish: "gpuctl.fish",
  powershell: "gpuctl.ps1",
};

/** The shell of a program such as `/bin/bash`; undefined for one that gpuctl does not support. */
export function shellOf(program = ""): Shell | undefined {
  const name = basename(program).replace(/\.exe$/i, "");
  return shells.find((shell) => name === (shell === "powershell" ? "pwsh" : shell));
}
