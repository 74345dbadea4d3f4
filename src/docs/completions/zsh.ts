import { type Place, type ShownFlag, type ShownWord, type Tree, takesFile, valueFlags } from "../tree.ts";
import { serviceWords } from "./service-words.ts";

/** The completion function for zsh, to be found in `fpath` as `_gpuctl`. */
export const zshCompletion = (tree: Tree): string => `#compdef gpuctl
# zsh completion for gpuctl. Made by \`npm run generate\`; do not edit.

# Offers what gpuctl knows of a kind of values; the flags so far say which service is asked.
_gpuctl_live() {
  local line value text
  local -a found
  for line in \${(f)"$(command gpuctl __complete $1 '' $service 2> /dev/null < /dev/null)"}; do
    value=\${line%%$'\\t'*} text=\${line#*$'\\t'}
    value=\${value//\\\\/\\\\\\\\}
    found+=("\${value//:/\\\\:}\${text:+:$text}")
  done
  _describe $1 found
}

_gpuctl() {
  local -a paths values rest flags commands service
  paths=(
${tree.places
  .filter(({ path }) => path !== "")
  .map(({ path }) => `    ${quoted(path)}`)
  .join("\n")}
  )
  values=(${valueFlags(tree).join(" ")})
  flags=(
${tree.globals.map(specOf).join("\n")}
  )

  local place="" next="" word="" skip=""
  integer index
  for (( index = 2; index < CURRENT; index++ )); do
    word=$words[index]
    [[ -z $skip && $word == -- ]] && return
    next="\${place:+$place }$word"
    if [[ -z $skip ]] && (( $paths[(Ie)$next] )); then
      place=$next
      continue
    fi
    if [[ $skip == service ]]; then service+=(\${(Q)word}); fi
    if [[ -n $skip ]]; then
      skip=""
    elif (( $values[(Ie)$word] )); then
      skip=1
    fi
    case $word in
${serviceCases(tree)}
    esac
    rest+=("$word")
  done
  words=(gpuctl "\${rest[@]}" "\${(@)words[CURRENT,-1]}")
  CURRENT=$(( $#rest + 2 ))

  case $place in
${tree.places.map(placeCase).join("\n")}
  esac

  if (( $#commands )); then flags+=('1: :{ _describe command commands }'); fi
  _arguments -s -S "\${flags[@]}"
}

if [[ $funcstack[1] == _gpuctl ]]; then
  _gpuctl "$@"
else
  compdef _gpuctl gpuctl
fi
`;

/** Flags that are handed on when values are asked for. */
function serviceCases(tree: Tree): string {
  const { valued, whole } = serviceWords(tree);
  return [
    `      ${valued}) service+=($word) skip=service ;;`,
    `      ${whole}) service+=(\${(Q)word}) ;;`,
  ].join("\n");
}

function placeCase({ path, below, flags, words }: Place): string {
  const commands = below.map(
    ({ name, summary }) => `        ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`,
  );
  return [
    `    ${quoted(path)})`,
    ...(commands.length > 0 ? ["      commands=(", ...commands, "      )"] : []),
    "      flags+=(",
    ...flags.map((flag) => `    ${specOf(flag)}`),
    ...wordSpecs(below.length > 0 ? [] : words).map((spec) => `        ${quoted(spec)}`),
    "      )",
    "      ;;",
  ].join("\n");
}

/** A flag as `_arguments` wants it, such as `'(-o --output)'{-o+,--output=}'[text]:FORMAT:(table json)'`. */
function specOf(flag: ShownFlag): string {
  const { names, value, optional, text, repeat } = flag;
  const marked = names.map((name) =>
    value === undefined ? name : name.startsWith("--") ? `${name}=` : `${name}+`,
  );
  const exclusive = repeat ? "*" : names.length > 1 ? `(${names.join(" ")})` : "";
  const spelt = (exclusive && quoted(exclusive)) + (marked.length > 1 ? `{${marked.join(",")}}` : marked[0]);
  const note = text.replace(/[\\[\]]/g, "\\$&");
  return `    ${spelt}${quoted(`[${note}]${value === undefined ? "" : `${optional ? "::" : ":"}${value}:${actionOf(flag)}`}`)}`;
}

/** The words of a command as `_arguments` wants them; further ones are not completed. */
function wordSpecs(words: readonly ShownWord[]): readonly string[] {
  const specs = words.map((word, at) => `${word.variadic ? "*" : at + 1}:${word.value}:${actionOf(word)}`);
  return words.some(({ variadic }) => variadic) ? specs : [...specs, "*: :"];
}

function actionOf(wanted: ShownFlag | ShownWord): string {
  if (takesFile(wanted)) return "_files";
  if (wanted.completes) return ` _gpuctl_live ${wanted.completes}`;
  return wanted.choices.length > 0 ? `(${wanted.choices.join(" ")})` : "";
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
