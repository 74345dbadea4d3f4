import { type ShownFlag, type ShownWord, type Tree, takesFile, valueFlags, type Word } from "../tree.ts";

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
  # By path: the spellings of each flag, what it means, its choices, and the kind of its live values.
  $flags = @{
${tree.places.map(({ path, flags }) => `    ${quoted(path)} = ${flags.length > 0 ? `@(\n${flags.map(flagLine).join("\n")}\n    )` : "@()"}`).join("\n")}
  }
  $globals = @(
${tree.globals.map(flagLine).join("\n")}
  )
  $values = @(${valueFlags(tree).map(quoted).join(", ")})
  $files = @(${fileFlags(tree).map(quoted).join(", ")})

  # By path: what may be typed after a command, each with a kind of live values, its choices, and whether it repeats.
  $words = @{
${tree.places
  .filter(({ words }) => words.length > 0)
  .map(({ path, words }) => `    ${quoted(path)} = @(\n${words.map(ownWordLine).join("\n")}\n    )`)
  .join("\n")}
  }
  # Flags that say which service is asked for live values, and those of them that take a value.
  $service = ${list(tree.service.flatMap(({ names }) => names))}
  $serviceValues = ${list(tree.service.filter(({ value }) => value !== undefined).flatMap(({ names }) => names))}

  $path = ''
  $previous = ''
  $count = 0
  $asked = @()
  foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $cursorPosition -and $wordToComplete) { break }
    $word = $element.ToString()
    if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $word = $element.Value }
    if ($values -ccontains $previous) {
      if ($serviceValues -ccontains $previous) { $asked += $word }
      $previous = ''
      continue
    }
    $next = "$path $word".Trim()
    if ($service -ccontains ($word -split '=')[0]) { $asked += $word }
    if ($commands.ContainsKey($next)) { $path = $next; $count = 0 }
    elseif (-not $word.StartsWith('-')) { $count++ }
    $previous = $word
  }

  # Nothing is answered for the name of a file: PowerShell then completes files by itself.
  if ($files -ccontains $previous) { return }

  $live = ''
  $known = @($flags[$path]) + $globals
  if ($values -ccontains $previous) {
    $flag = $known | Where-Object { $_[0] -ccontains $previous } | Select-Object -First 1
    $live = $flag[3]
    $found = @($flag[2] | ForEach-Object { ,@($_, $_) })
  } elseif ("$wordToComplete".StartsWith('-')) {
    $found = @($known | ForEach-Object { $text = $_[1]; $_[0] | ForEach-Object { ,@($_, $text) } })
  } else {
    $found = @()
    if ($count -eq 0) { $found = @($commands[$path]) }
    $own = @()
    if ($words.ContainsKey($path)) { $own = $words[$path] }
    $word = $null
    if ($count -lt $own.Count) { $word = $own[$count] }
    elseif ($own.Count -gt 0 -and $own[-1][2]) { $word = $own[-1] }
    if ($word) {
      $live = $word[0]
      $found += @($word[1] | ForEach-Object { ,@($_, $_) })
    }
  }
  if ($live) {
    try {
      $found = @(& gpuctl __complete $live '' @asked 2> $null | ForEach-Object {
        $value, $text = $_ -split "\`t", 2
        if (-not $text) { $text = $value }
        if ($value -notmatch '^[\\w.-]+$') { $value = "'" + ($value -replace "['\\u2018-\\u201b]", '$0$0') + "'" }
        ,@($value, $text)
      })
    } catch { }
  }
  $found | Where-Object { $_ -and $_[0].StartsWith("$wordToComplete", 'Ordinal') } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
  }
}
`;

const wordLine = ({ name, summary }: Word): string => `      ,@(${quoted(name)}, ${quoted(summary)})`;

const flagLine = ({ names, text, choices, completes }: ShownFlag): string =>
  `      ,@(${list(names)}, ${quoted(text)}, ${list(choices)}, ${quoted(completes ?? "")})`;

const ownWordLine = ({ completes, choices, variadic }: ShownWord): string =>
  `      ,@(${quoted(completes ?? "")}, ${list(choices)}, $${variadic})`;

const fileFlags = ({ places }: Tree): readonly string[] => [
  ...new Set(places.flatMap(({ flags }) => flags.filter(takesFile).flatMap(({ names }) => names))),
];

const list = (texts: readonly string[]): string => `@(${texts.map(quoted).join(", ")})`;
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
