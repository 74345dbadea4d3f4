import type { ShownFlag } from "../../commands/shown-flag.ts";
import { type Place, type Tree, takesFile, valueFlags } from "../tree.ts";

/** The completion function for zsh, to be found in `fpath` as `_gpuctl`. */
export const zshCompletion = (tree: Tree): string => `#compdef gpuctl
# zsh completion for gpuctl. Made by \`npm run generate\`; do not edit.

_gpuctl() {
  local -a paths values rest flags commands
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
    next="\${place:+$place }$word"
    if [[ -z $skip ]] && (( $paths[(Ie)$next] )); then
      place=$next
      continue
    fi
    if [[ -z $skip ]] && (( $values[(Ie)$word] )); then skip=1; else skip=""; fi
    rest+=("$word")
  done
  words=(gpuctl "\${rest[@]}" "\${(@)words[CURRENT,-1]}")
  CURRENT=$(( $#rest + 2 ))

  case $place in
${tree.places.map(placeCase).join("\n")}
  esac

  if (( $#commands )); then
    flags+=('*: :{ _describe command commands }')
  else
    flags+=('*: :')
  fi
  _arguments -s -S "\${flags[@]}"
}

if [[ $funcstack[1] == _gpuctl ]]; then
  _gpuctl "$@"
else
  compdef _gpuctl gpuctl
fi
`;

function placeCase({ path, below, flags }: Place): string {
  const commands = below.map(
    ({ name, summary }) => `        ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`,
  );
  return [
    `    ${quoted(path)})`,
    ...(commands.length > 0 ? ["      commands=(", ...commands, "      )"] : []),
    ...(flags.length > 0 ? ["      flags+=(", ...flags.map((flag) => `    ${specOf(flag)}`), "      )"] : []),
    "      ;;",
  ].join("\n");
}

/** A flag as `_arguments` wants it, such as `'(-o --output)'{-o+,--output=}'[text]:FORMAT:(table json)'`. */
function specOf(flag: ShownFlag): string {
  const { names, value, bare, text, repeat } = flag;
  const marked = names.map((name) =>
    value === undefined ? name : name.startsWith("--") ? `${name}=` : `${name}+`,
  );
  const exclusive = repeat ? "*" : names.length > 1 ? `(${names.join(" ")})` : "";
  const spelt = (exclusive && quoted(exclusive)) + (marked.length > 1 ? `{${marked.join(",")}}` : marked[0]);
  const note = text.replace(/[\\[\]]/g, "\\$&");
  return `    ${spelt}${quoted(`[${note}]${value === undefined ? "" : `${bare ? "::" : ":"}${value}:${actionOf(flag)}`}`)}`;
}

function actionOf(flag: ShownFlag): string {
  if (takesFile(flag)) return "_files";
  return flag.choices.length > 0 ? `(${flag.choices.join(" ")})` : "";
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
