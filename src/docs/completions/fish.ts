import type { ShownFlag } from "../../commands/shown-flag.ts";
import { type Place, type Tree, takesFile, valueFlags } from "../tree.ts";

/** The completion script for fish. */
export const fishCompletion = (
  tree: Tree,
): string => `# fish completion for gpuctl. Made by \`npm run generate\`; do not edit.

set -g __gpuctl_paths ${tree.places
  .filter(({ path }) => path !== "")
  .map(({ path }) => quoted(path))
  .join(" ")}
set -g __gpuctl_values ${valueFlags(tree).join(" ")}

# Whether the words so far lead to this place and no further.
function __gpuctl_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l path
    set -l skip
    for word in $words
        if set -q skip[1]
            set -e skip
            continue
        end
        if contains -- $word $__gpuctl_values
            set skip 1
            continue
        end
        set -l next (string join ' ' -- $path $word)
        contains -- $next $__gpuctl_paths; and set path $next
    end
    test "$path" = "$argv[1]"
end

complete -c gpuctl -f
${tree.globals.map((flag) => flagLine(flag)).join("\n")}
${tree.places.map(placeLines).join("\n")}
`;

function placeLines(place: Place): string {
  const at = ` -n ${quoted(`__gpuctl_at ${quoted(place.path)}`)}`;
  return [
    ...place.below.map(({ name, summary }) => `complete -c gpuctl${at} -a ${name} -d ${quoted(summary)}`),
    ...place.flags.map((flag) => flagLine(flag, at)),
  ].join("\n");
}

/** Switches that turn each other off share a line, as fish shows them side by side anyway. */
function flagLine(flag: ShownFlag, at = ""): string {
  const names = flag.names.map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  return `complete -c gpuctl${at} ${names.join(" ")}${valuePart(flag)} -d ${quoted(flag.text)}`;
}

function valuePart(flag: ShownFlag): string {
  if (flag.value === undefined || flag.bare) return "";
  if (takesFile(flag)) return " -r -F";
  return flag.choices.length > 0 ? ` -x -a ${quoted(flag.choices.join(" "))}` : " -x";
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
