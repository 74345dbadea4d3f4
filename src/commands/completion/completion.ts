import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { textResult } from "../../command-kit/results.ts";
import { shells } from "../../core/runtime/shells.ts";

export default defineCommand({
  path: "completion",
  summary: "Print the completion script for a shell",
  details: `For bash, add this to ~/.bashrc (on macOS, to ~/.bash_profile, or to ~/.profile if only that file exists):
  eval "$(gpuctl completion bash)"
For zsh, add \`fpath+=(~/.zfunc)\` to ~/.zshrc, above the line that runs compinit, and write the script to that folder:
  mkdir -p ~/.zfunc && gpuctl completion zsh > ~/.zfunc/_gpuctl
For fish:
  mkdir -p ~/.config/fish/completions && gpuctl completion fish > ~/.config/fish/completions/gpuctl.fish
For PowerShell, add this to the file that $PROFILE names:
  gpuctl completion powershell | Out-String | Invoke-Expression`,
  needsNoConfig: true,
  args: [arg.choice("SHELL", "The shell to complete in", shells, { required: true })],
  uses: ["completionScript"],
  view: { kind: "document" },
  examples: [
    { text: "Print the script for bash", command: "gpuctl completion bash" },
    { text: "Write the script for fish to a file", command: "gpuctl completion fish > gpuctl.fish" },
  ],
  run: async ({ args: { shell }, completionScript, settings }) => {
    const script = await completionScript(shell);
    return textResult(script, { shell, script }, settings);
  },
});
