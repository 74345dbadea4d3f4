export const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

/** The file names of the completion scripts, by which the shells find them. */
export const completionFiles: Readonly<Record<Shell, string>> = {
  bash: "gpuctl.bash",
  zsh: "_gpuctl",
  fish: "gpuctl.fish",
  powershell: "gpuctl.ps1",
};
