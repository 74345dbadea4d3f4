import type { ShownFlag } from "../../commands/shown-flag.ts";
import { type Place, type Tree, takesFile, valueFlags } from "../tree.ts";

/** The completion script for bash 3.2 and later. */
export const bashCompletion = (
  tree: Tree,
): string => `# bash completion for gpuctl. Made by \`npm run generate\`; do not edit.

_gpuctl() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  if [[ $cur == "=" ]]; then
    cur=""
  elif [[ $prev == "=" ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi

  local path="" skip="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ -n $skip ]]; then
      skip=""
      continue
    fi
    case $word in
      --) return ;;
      ${valueFlags(tree).join("|")}) skip=1 ;;
    esac
    case "$path $word" in
      ${tree.places
        .filter(({ path }) => path !== "")
        .map(({ path }) => `" ${path}"`)
        .join("|")}) path="$path $word" ;;
    esac
  done
  path=\${path# }

  local commands="" flags=""
  case $path in
${tree.places.map(placeCase).join("\n")}
  esac

  case "$path:$prev" in
${[...tree.globals.flatMap((flag) => valueCase("*", flag)), ...tree.places.flatMap((place) => place.flags.flatMap((flag) => valueCase(place.path, flag)))].join("\n")}
  esac

  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags ${namesOf(tree.globals)}" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$commands" -- "$cur"))
  fi
}

complete -F _gpuctl gpuctl
`;

const namesOf = (flags: readonly ShownFlag[]): string => flags.flatMap(({ names }) => names).join(" ");

const placeCase = ({ path, below, flags }: Place): string =>
  `    "${path}") commands="${below.map(({ name }) => name).join(" ")}" flags="${namesOf(flags)}" ;;`;

/** What may follow a flag that takes a value: its choices, a file, or nothing that is known. */
function valueCase(path: string, flag: ShownFlag): readonly string[] {
  if (flag.value === undefined || flag.bare) return [];
  const pattern = flag.names.map((name) => (path === "*" ? `*:${name}` : `"${path}:${name}"`)).join("|");
  const reply = takesFile(flag)
    ? 'compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -f -- "$cur"))'
    : flag.choices.length > 0
      ? `COMPREPLY=($(compgen -W "${flag.choices.join(" ")}" -- "$cur"))`
      : "COMPREPLY=()";
  return [`    ${pattern}) ${reply}; return ;;`];
}
