import { type CommandNode, spellings, standardFlags } from "../../command-kit/tree.ts";
import { UsageError } from "../../core/errors.ts";
import { didYouMean, suggestion } from "../../core/text.ts";
import { topics } from "../../core/topics.ts";
import { globals, nouns } from "../generated/tree.ts";
import { commandsWithin, wordsAt } from "../help/help.ts";

/** The hint of an error about the words of `path`, or about a flag after them. */
export const usageHint = (path: readonly string[]): string => {
  const isCommand = path.length > 0 && commandAt(path) !== undefined;
  return `\`${["gpuctl", ...path, "--help"].join(" ")}\` lists the ${isCommand ? "flags" : "commands"}.`;
};

/** Whether a command takes the words of another command as arguments. */
export const takesCommandLine = (command: CommandNode | undefined): boolean =>
  command?.args.some(({ isCommandLine }) => isCommandLine) === true;

const separatorHint = "Flags of the command that you want to run come after --.";

/**
 * The command line with `--` before the words of another command, so that gpuctl can later add its own flags before
 * `--`. Throws `UsageError` if a flag follows these words and no `--` comes before the flag: the flag may be for either
 * command.
 */
export function separatedLine(
  { args, path }: CommandNode,
  given: readonly string[],
  argv: readonly string[],
): readonly string[] {
  const at = args.findIndex(({ isCommandLine }) => isCommandLine);
  if (at < 0) return argv;
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const before = argv.slice(0, end);
  const afterCount = Math.max(0, argv.length - end - 1);
  const [first, ...words] = given.slice(at, given.length - afterCount);
  if (first === undefined) return argv;
  // Looks for the words from the end, because an earlier word may be the value of a flag.
  const start = [first, ...words].reduceRight((to, word) => before.lastIndexOf(word, to - 1), before.length);
  const flag = before.slice(start).find((word) => /^-./.test(word));
  if (flag === undefined) {
    return [...before.slice(0, start), "--", ...before.slice(start), ...argv.slice(end + 1)];
  }
  throw new UsageError(`it is not clear whether ${flag} is for gpuctl or for the command`, {
    hint: `Put gpuctl's flags first, and -- before the command: gpuctl ${path.join(" ")} ... -- ${first} ...`,
  });
}

const commandAt = (path: readonly string[]): CommandNode | undefined =>
  commandsWithin(path).find((command) => wordsOf(command) === path.join(" "));

/** Each list has verbs with the same meaning: gpuctl's own, and those that users of other tools type instead. */
const synonyms: readonly (readonly string[])[] = [
  ["list", "ls", "ps", "all"],
  ["get", "show", "describe", "inspect", "info", "view", "cat"],
  ["status", "whoami", "state"],
  ["create", "new", "make", "launch", "start", "rent", "run", "add", "register"],
  ["ssh", "connect", "shell"],
  ["update", "edit", "modify", "set", "change"],
  [
    "terminate",
    "delete",
    "remove",
    "rm",
    "del",
    "stop",
    "destroy",
    "kill",
    "end",
    "unset",
    "clear",
    "revoke",
    "logout",
  ],
];

/** Verbs for `list`, and verbs for `get`. In a group without `get`, a verb for `get` suggests `list`. */
const [listVerbs = [], getVerbs = []] = synonyms;
const endVerbs = synonyms.at(-1) ?? [];

/** The error for an unknown command, with a suggestion. Suggests a destructive command only within its own group. */
export function unknownWord(word: string, path: readonly string[]): UsageError {
  const line = [...path, word].join(" ");
  const meant =
    path.length === 0
      ? commandsWith(word)
      : sameMeaning(word, wordsAt(path)).map((verb) => [...path, verb].join(" "));
  if (meant.length > 0) {
    return new UsageError(`unknown command '${line}'${suggestion(meant.map((words) => asLine([words])))}`, {
      hint: usageHint(path),
    });
  }
  const near = didYouMean(word, wordsAt(path), (verb) => asLine([...path, verb]));
  if (near === "" && path.length === 0 && endVerbs.includes(word)) {
    return new UsageError(`unknown command '${line}': specify what to ${word}`, { hint: groupsHint(word) });
  }
  if (near === "" && endVerbs.includes(word) && isOfService(path)) {
    return new UsageError(`unknown command '${line}': the service documents no operation for it`, {
      hint: `\`gpuctl ${path.join(" ")} --help\` lists the commands; \`gpuctl api list\` lists every operation that your service offers.`,
    });
  }
  return new UsageError(`unknown command '${line}'${near}`, { hint: usageHint(path) });
}

/**
 * The words of the commands with this verb. If there are none, and the verb is not destructive, the words of the
 * commands with a verb of the same meaning. Leaves out commands that destroy something.
 */
function commandsWith(word: string): readonly string[] {
  const safe = commandsWithin([]).filter(({ confirm }) => confirm !== "destruction");
  const having = (verbs: readonly string[]) =>
    safe.filter(({ path }) => path.slice(1).some((one) => verbs.includes(one))).map(wordsOf);
  const exact = having([word]);
  if (exact.length > 0 || endVerbs.includes(word)) return exact;
  return having(synonyms.find((verbs) => verbs.includes(word)) ?? []);
}

/** The verbs of a group that mean the same as a word. If the group has no `get`, `list` takes its place. */
function sameMeaning(word: string, verbs: readonly string[]): readonly string[] {
  const among = (group: readonly string[] = []) => verbs.filter((verb) => group.includes(verb));
  const same = among(synonyms.find((group) => group.includes(word)));
  return same.length === 0 && getVerbs.includes(word) ? among(listVerbs) : same;
}

/** The hint for a destructive verb without a noun. It names the groups that have a command with the same meaning. */
function groupsHint(word: string): string {
  const groups = nouns.filter(({ name }) => sameMeaning(word, wordsAt([name])).length > 0);
  return `${groups.map(({ name }) => `\`gpuctl ${name} --help\``).join(", ")} ${groups.length === 1 ? "shows" : "show"} how.`;
}

const isOfService = ([noun]: readonly string[]): boolean =>
  noun !== undefined && commandsWithin([noun]).some(({ operation }) => operation);

/** The error of `gpuctl help WORDS` if there is no help for the words, with a suggestion for the first unknown word. */
export function unknownTopic(words: readonly string[]): UsageError {
  const at = words.findIndex((word, index) => !wordsAt(words.slice(0, index)).includes(word));
  const known = [...wordsAt(words.slice(0, at)), ...(at === 0 ? topics.map(({ name }) => name) : [])];
  const meant = didYouMean(words[at] ?? "", known);
  return new UsageError(`no help for ${JSON.stringify(words.join(" "))}${meant}`, {
    hint: "`gpuctl help` lists the commands and topics.",
  });
}

/**
 * Rejects a first argument that looks like a misspelled subcommand, because sending it as a prompt could cost money.
 * `count` is the number of arguments.
 */
export function rejectMisspelling(word: string, path: readonly string[], count: number): void {
  const meant = path.length === 1 ? didYouMean(word, wordsAt(path), (verb) => asLine([...path, verb])) : "";
  if (meant === "") return;
  const asPrompt = `To use ${JSON.stringify(word)} as the prompt or message, pass it on stdin.`;
  throw new UsageError(
    `unknown command '${[...path, word].join(" ")}'${meant}`,
    count > 1 ? {} : { hint: asPrompt },
  );
}

/** The spellings of all flags that can follow these words. */
export const flagsOf = (path: readonly string[]): readonly string[] =>
  [...globals, ...standardFlags, ...(commandAt(path)?.flags ?? [])].flatMap(spellings);

/**
 * The error for a flag that commander does not accept after the words of `path`. The flag may be misspelled or
 * misplaced, it may belong to another command, or it may be a switch that was given a value.
 */
export function unknownFlag(flag: string, path: readonly string[], argv: readonly string[]): UsageError {
  const [name = flag] = flag.split("=");
  if (flag.startsWith("-=")) {
    return unexpectedValue(shortFlagBefore(flag.slice(1), argv), flag.slice(2));
  }
  const runs = takesCommandLine(commandAt(path));
  if (runs && ["-V", "--version"].includes(flag)) {
    return new UsageError(`it is not clear whether ${flag} is for gpuctl or for the command`, {
      hint: `\`gpuctl --version\` prints the version of gpuctl. ${separatorHint}`,
    });
  }
  const own = flagsOf(path);
  if (own.includes(name)) {
    return unexpectedValue(name, flag.slice(name.length + 1));
  }
  const later = laterCommand(path, argv);
  const misplaced = later?.flags.find((flag) => spellings(flag).includes(name));
  if (later && misplaced) {
    const value = misplaced.value === undefined ? "" : ` ${misplaced.value}`;
    return new UsageError(
      `${name} must come after the command, as in ${asLine([wordsOf(later), name + value])}`,
    );
  }
  const takers = nouns
    .flatMap(({ commandsNaming }) => commandsNaming(name))
    .filter(({ flags }) => flags.flatMap(spellings).includes(name))
    .map(wordsOf);
  const long = own.filter((spelling) => spelling.startsWith("--"));
  const meant = takers.length > 0 ? ` (a flag of ${takers.join(", ")})` : didYouMean(name, long);
  const hint = runs ? `${separatorHint} ${usageHint(path)}` : usageHint(path);
  return new UsageError(`unknown flag '${name}'${meant}`, { hint });
}

const unexpectedValue = (flag: string, value: string): UsageError =>
  new UsageError(`${flag} takes no value, but got ${JSON.stringify(value)}`);

/** The short flag before `=VALUE`. Commander reports `-y=1` as the unknown flag `-=1`. */
function shortFlagBefore(rest: string, argv: readonly string[]): string {
  const word = argv.find((one) => /^-[^-=]/.test(one) && one.endsWith(rest)) ?? "";
  return `-${word.charAt(word.length - rest.length - 1)}`;
}

/** The longest command below `path` whose words are on the line. */
function laterCommand(path: readonly string[], argv: readonly string[]): CommandNode | undefined {
  const below = commandsWithin(path).filter(
    (command) => command.path.length > path.length && isSubsequence(command.path, argv),
  );
  return below.sort((a, b) => b.path.length - a.path.length)[0];
}

const isSubsequence = (words: readonly string[], argv: readonly string[]): boolean =>
  argv.reduce((at, word) => (words[at] === word ? at + 1 : at), 0) === words.length;

const asLine = (words: readonly string[]): string => `\`gpuctl ${words.join(" ")}\``;

const wordsOf = ({ path }: CommandNode): string => path.join(" ");
