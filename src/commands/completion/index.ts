import type { CommandSpec } from "../spec.ts";
import { completionFiles } from "./shells.ts";

export const completionCommands: readonly CommandSpec[] = [
  {
    path: ["completion"],
    summary: "Print the completion script for a shell",
    details: `For bash, put this into ~/.bashrc:
  source <(gpuctl completion bash)
For zsh, write the script into a folder of $fpath, before compinit runs:
  mkdir -p ~/.zfunc && gpuctl completion zsh > ~/.zfunc/_gpuctl
For fish:
  mkdir -p ~/.config/fish/completions && gpuctl completion fish > ~/.config/fish/completions/gpuctl.fish
For PowerShell, put this into the file that $PROFILE names:
  gpuctl completion powershell | Out-String | Invoke-Expression`,
    operations: [],
    needsNoConfig: true,
    positionals: [
      {
        name: "SHELL",
        required: true,
        text: "The shell that completes",
        choices: Object.keys(completionFiles),
      },
    ],
    view: { kind: "document" },
    examples: [
      { text: "Print the script for bash", command: "gpuctl completion bash" },
      { text: "For fish, where it is found", command: "gpuctl completion fish > gpuctl.fish" },
    ],
    load: () => import("./completion.ts"),
  },
];
