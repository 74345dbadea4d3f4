import { type Place, type ShownFlag, type ShownWord, type Tree, takesFile, valueFlags } from "../tree.ts";

/** The completion script for fish. */
export const fishCompletion = (
  tree: Tree,
): string => `# fish completion for gpuctl. Made by \`npm run generate\`; do not edit.

set -g __gpuctl_paths ${tree.places
  .filter(({ path }) => path !== "")
  .map(({ path }) => quoted(path))
  .join(" ")}
set -g __gpuctl_values ${valueFlags(tree).join(" ")}

# Whether the words so far lead to this place and no further. With a number: whether so many words of its own are
# there; with \`more\` after it: so many or more.
function __gpuctl_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l path
    set -l skip
    set -l own
    for word in $words
        if set -q skip[1]
            set -e skip
            continue
        end
        test "$word" = --; and return 1
        if contains -- $word $__gpuctl_values
            set skip 1
            continue
        end
        set -l next (string join ' ' -- $path $word)
        if contains -- $next $__gpuctl_paths
            set path $next
            set own
        else if not string match -q -- '-*' $word
            set -a own $word
        end
    end
    test "$path" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    test (count $own) -eq $argv[2]; and return 0
    set -q argv[3]; and test (count $own) -gt $argv[2]
end

# What gpuctl knows of a kind of values; the flags so far say which service is asked.
function __gpuctl_live
    set -l service
    set -l next
    for word in (commandline -opc)
        if set -q next[1]
            set -a service $word
            set -e next
            continue
        end
        switch $word
            case ${serviceNames(tree, true)}
                set -a service $word
                set next 1
            case ${serviceNames(tree, false)} ${serviceNames(tree, true, "=*")}
                set -a service $word
        end
    end
    command gpuctl __complete $argv[1] '' $service 2>/dev/null </dev/null
end

complete -c gpuctl -f
${tree.globals.map((flag) => flagLine(flag)).join("\n")}
${tree.places.map(placeLines).join("\n")}
`;

/** Flags that are handed on when values are asked for. */
const serviceNames = ({ service }: Tree, wanted: boolean, after = ""): string =>
  service
    .filter(({ value }) => (value !== undefined) === wanted)
    .flatMap(({ names }) => names.map((name) => (after === "" ? name : `'${name}${after}'`)))
    .join(" ");

function placeLines(place: Place): string {
  const at = condition(place.path);
  const first = condition(place.path, "0");
  return [
    ...place.below.map(({ name, summary }) => `complete -c gpuctl${first} -a ${name} -d ${quoted(summary)}`),
    ...place.words.flatMap((word, index) => wordLine(place.path, word, index)),
    ...place.flags.map((flag) => flagLine(flag, at)),
  ].join("\n");
}

const condition = (path: string, ...more: readonly string[]): string =>
  ` -n ${quoted(["__gpuctl_at", quoted(path), ...more].join(" "))}`;

function wordLine(path: string, word: ShownWord, index: number): readonly string[] {
  const at = condition(path, String(index), ...(word.variadic ? ["more"] : []));
  if (takesFile(word)) return [`complete -c gpuctl${at} -F`];
  const offered = offeredFor(word);
  return offered === "" ? [] : [`complete -c gpuctl${at} -a ${quoted(offered)}`];
}

const offeredFor = ({ completes, choices }: Pick<ShownWord, "completes" | "choices">): string =>
  completes ? `(__gpuctl_live ${completes})` : choices.join(" ");

/** Switches that turn each other off share a line, as fish shows them side by side anyway. */
function flagLine(flag: ShownFlag, at = ""): string {
  const names = flag.names.map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  return `complete -c gpuctl${at} ${names.join(" ")}${valuePart(flag)} -d ${quoted(flag.text)}`;
}

function valuePart(flag: ShownFlag): string {
  if (flag.value === undefined || flag.optional) return "";
  if (takesFile(flag)) return " -r -F";
  const offered = offeredFor(flag);
  return offered === "" ? " -x" : ` -x -a ${quoted(offered)}`;
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
