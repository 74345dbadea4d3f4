import { type Place, type ShownFlag, type ShownWord, type Tree, takesFile, valueFlags } from "../tree.ts";
import { serviceWords } from "./service-words.ts";

/** The completion script for bash 3.2 and later. */
export const bashCompletion = (
  tree: Tree,
): string => `# bash completion for gpuctl. Made by \`npm run generate\`; do not edit.

# Offers what gpuctl knows of a kind of values, each as it has to be typed.
_gpuctl_live() {
  local value text cur=$1 kind=$2
  shift 2
  while IFS=$'\\t' read -r value text; do
    printf -v value %q "$value"
    [[ $value == "$cur"* ]] && COMPREPLY+=("$value")
  done < <(command gpuctl __complete "$kind" "" "$@" 2> /dev/null < /dev/null)
}

# The names of files with blanks in them are whole.
_gpuctl_files() {
  local name
  compopt -o filenames 2> /dev/null
  while IFS= read -r name; do
    COMPREPLY+=("$name")
  done < <(compgen -f -- "$1")
}

_gpuctl() {
  # Bash parts words at = and : as well; here they are put together again.
  local line=\${COMP_LINE:0:COMP_POINT} piece at words=()
  for ((at = 0; at <= COMP_CWORD; at++)); do
    piece=\${COMP_WORDS[at]}
    if [[ $at -gt 0 && $line != [[:space:]]* ]]; then
      words[\${#words[@]} - 1]+=$piece
    else
      line=\${line#"\${line%%[![:space:]]*}"}
      words+=("$piece")
    fi
    line=\${line#"$piece"}
  done
  [[ $piece == [=:] ]] && piece=""

  local cur=\${words[\${#words[@]} - 1]} prev="" path="" skip="" word bare count=0 service=()
  for word in "\${words[@]:1:\${#words[@]}-2}"; do
    bare=\${word//[\\"\\'\\\\]/}
    if [[ -n $skip ]]; then
      [[ $skip == service ]] && service+=("$bare")
      skip="" prev=""
      continue
    fi
    prev=$word
    case $word in
      --) return ;;
${serviceCases(tree)}
      ${valueFlags(tree).join("|")}) skip=1; continue ;;
      -?*) continue ;;
    esac
    case "$path $word" in
      ${tree.places
        .filter(({ path }) => path !== "")
        .map(({ path }) => `" ${path}"`)
        .join("|")}) path="$path $word" count=0 ;;
      *) ((count++)) ;;
    esac
  done
  path=\${path# }
  if [[ $cur == --*=* ]]; then
    prev=\${cur%%=*} cur=\${cur#*=} skip=1
  fi

  local commands="" flags=""
  case $path in
${tree.places.map(placeCase).join("\n")}
  esac

  COMPREPLY=()
  if [[ -n $skip ]]; then
    case "$path:$prev" in
${[...tree.globals.flatMap((flag) => valueCase("*", flag)), ...tree.places.flatMap((place) => place.flags.flatMap((flag) => valueCase(place.path, flag)))].join("\n")}
    esac
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags ${namesOf(tree.globals)}" -- "$cur"))
  else
    [[ $count -eq 0 ]] && COMPREPLY=($(compgen -W "$commands" -- "$cur"))
    case "$path:$count" in
${tree.places.flatMap(wordCases).join("\n")}
    esac
  fi

  # What stands before the last = or : is on the line already.
  local begin=\${cur%"$piece"}
  [[ -n $begin ]] && COMPREPLY=("\${COMPREPLY[@]#"$begin"}")
  return 0
}

complete -F _gpuctl gpuctl
`;

const namesOf = (flags: readonly ShownFlag[]): string => flags.flatMap(({ names }) => names).join(" ");

/** Flags that are handed on when values are asked for. */
function serviceCases(tree: Tree): string {
  const { valued, whole } = serviceWords(tree);
  return [
    `      ${valued}) service+=("$bare") skip=service; continue ;;`,
    `      ${whole}) service+=("$bare"); continue ;;`,
  ].join("\n");
}

const placeCase = ({ path, below, flags }: Place): string =>
  `    "${path}") commands="${below.map(({ name }) => name).join(" ")}" flags="${namesOf(flags)}" ;;`;

/** What may follow a flag that takes a value. */
function valueCase(path: string, flag: ShownFlag): readonly string[] {
  if (flag.value === undefined || flag.optional) return [];
  const pattern = flag.names.map((name) => (path === "*" ? `*:${name}` : `"${path}:${name}"`)).join("|");
  return [`      ${pattern}) ${reply(flag)} ;;`];
}

const wordCases = ({ path, words }: Place): readonly string[] =>
  words.flatMap((word, at) => {
    const made = reply(word);
    return made === ":" ? [] : [`      "${path}:"${word.variadic ? "*" : at}) ${made} ;;`];
  });

/** The choices, what is there just now, files, or nothing that is known. */
function reply(wanted: Pick<ShownWord, "value" | "choices" | "completes"> | ShownFlag): string {
  if (takesFile(wanted)) return '_gpuctl_files "$cur"';
  if (wanted.completes) return `_gpuctl_live "$cur" ${wanted.completes} \${service[@]+"\${service[@]}"}`;
  return wanted.choices.length > 0
    ? `COMPREPLY+=($(compgen -W "${wanted.choices.join(" ")}" -- "$cur"))`
    : ":";
}
