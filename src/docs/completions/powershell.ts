import type { ShownFlag } from "../../commands/shown-flag.ts";
import { type Tree, takesFile, valueFlags, type Word } from "../tree.ts";

/** The completion script for PowerShell 5.1 and later. */
export const powershellCompletion = (
  tree: Tree,
): string => `# PowerShell completion for gpuctl. Made by \`npm run generate\`; do not edit.

Register-ArgumentCompleter -Native -CommandName gpuctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)

  # By path: the words that may follow, with what they mean.
  $commands = @{
${tree.places.map(({ path, below }) => `    ${quoted(path)} = ${below.length > 0 ? `@(\n${below.map(wordLine).join("\n")}\n    )` : "@()"}`).join("\n")}
  }
  # By path: the spellings of each flag, what it means, and its choices.
  $flags = @{
${tree.places.map(({ path, flags }) => `    ${quoted(path)} = ${flags.length > 0 ? `@(\n${flags.map(flagLine).join("\n")}\n    )` : "@()"}`).join("\n")}
  }
  $globals = @(
${tree.globals.map(flagLine).join("\n")}
  )
  $values = @(${valueFlags(tree).map(quoted).join(", ")})
  $files = @(${fileFlags(tree).map(quoted).join(", ")})

  $path = ''
  $previous = ''
  foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $cursorPosition -and $wordToComplete) { break }
    $word = $element.ToString()
    $next = "$path $word".Trim()
    if ($values -ccontains $previous) { $previous = ''; continue }
    if ($commands.ContainsKey($next)) { $path = $next }
    $previous = $word
  }

  # Nothing is answered for the name of a file: PowerShell then completes files by itself.
  if ($files -ccontains $previous) { return }

  $known = @($flags[$path]) + $globals
  if ($values -ccontains $previous) {
    $found = @($known | Where-Object { $_[0] -ccontains $previous } | ForEach-Object { $_[2] } | ForEach-Object { ,@($_, $_) })
  } elseif ("$wordToComplete".StartsWith('-')) {
    $found = @($known | ForEach-Object { $text = $_[1]; $_[0] | ForEach-Object { ,@($_, $text) } })
  } else {
    $found = @($commands[$path])
  }
  $found | Where-Object { $_ -and $_[0] -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
  }
}
`;

const wordLine = ({ name, summary }: Word): string => `      ,@(${quoted(name)}, ${quoted(summary)})`;

const flagLine = ({ names, text, choices }: ShownFlag): string =>
  `      ,@(${list(names)}, ${quoted(text)}, ${list(choices)})`;

const fileFlags = ({ places }: Tree): readonly string[] => [
  ...new Set(places.flatMap(({ flags }) => flags.filter(takesFile).flatMap(({ names }) => names))),
];

const list = (texts: readonly string[]): string => `@(${texts.map(quoted).join(", ")})`;
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
