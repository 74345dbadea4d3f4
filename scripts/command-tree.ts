import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { globalFlags } from "../src/cli/parse/globals.ts";
import { type Arg, noStdin } from "../src/command-kit/arg.ts";
import type { Command } from "../src/command-kit/define.ts";
import { type Flag, flag } from "../src/command-kit/flag.ts";
import {
  type ArgNode,
  type CommandNode,
  type FlagNode,
  type GlobalNode,
  kebab,
  type Noun,
} from "../src/command-kit/tree.ts";
import { nouns } from "../src/commands/index.ts";
import { type ConfigKey, configKeys, keyOfFlag } from "../src/config/keys.ts";
import { routes } from "../src/contract/generated/routes.ts";
import type { Field } from "../src/contract/plain/field.ts";
import { limitsText } from "../src/contract/plain/limits-text.ts";

/** Aliases of a field's flag, and the completion of its value. */
const aliases: Readonly<Record<string, Alias>> = {
  gpuCount: { names: ["gpus"] },
  gpuType: { names: ["gpu"] },
  termPeriodDays: { names: ["days"] },
  sizeInGb: { names: ["size"] },
  negative_prompt: { names: ["negative"] },
  model_name: { names: ["model"], short: "m" },
  model: { names: [], short: "m", completes: "chat-model" },
  lora: { names: [], completes: "lora" },
  rentalIds: { names: [], completes: "rental" },
  sshPublicKeyId: { names: [], completes: "ssh-key" },
  sshPublicKeyIds: { names: [], completes: "ssh-key" },
};

interface Alias extends Pick<FlagNode, "short" | "completes"> {
  readonly names: readonly string[];
}

/** The text of `tree.ts` (every command as plain data) and `loaders.ts` (the module of each command). */
export async function commandTree(): Promise<{ readonly tree: string; readonly loaders: string }> {
  const loaded = await Promise.all(
    nouns.map(async ({ name, summary, commands, groups }) => ({
      name,
      summary,
      ...(groupsOf(commands).size > 0 && { groups: allGroups(name, commands, groups ?? {}) }),
      commands: await Promise.all(commands.map((words) => load(name, words))),
    })),
  );
  await assertAllListed(loaded.flatMap(({ commands }) => commands.map(({ file }) => file)));
  const all = loaded.flatMap(({ commands }) => commands);
  return {
    tree: `import { type GlobalNode, type Noun, nounOf } from "../../command-kit/tree.ts";

/** Every command by noun, in the order of help. */
export const nouns: readonly Noun[] = [
${loaded
  .map(({ commands, ...about }) =>
    nounText(
      about,
      commands.map(({ command }) => node(command)),
    ),
  )
  .join("\n")}
];

/** Global flags. */
export const globals: readonly GlobalNode[] = ${JSON.stringify(globalFlags.map(globalNode), null, 1)};
`,
    loaders: `import type { Command } from "../../command-kit/define.ts";

/** The module of each command, by its path. */
export const loaders: Readonly<Record<string, () => Promise<{ readonly default: Command }>>> = {
${all.map(({ command: { path }, file }) => `  ${JSON.stringify(path)}: () => import("../../commands/${file}"),`).join("\n")}
};
`,
  };
}

const nounText = (
  about: Pick<Noun, "name" | "summary" | "groups">,
  commands: readonly CommandNode[],
): string =>
  `  nounOf(${JSON.stringify(about)}, {
${commands.map((one) => `    ${JSON.stringify(one.path.slice(1).join(" "))}: ${JSON.stringify(JSON.stringify(one))},`).join("\n")}
  }),`;

/**
 * Returns the summary of each group of commands below a noun. Throws if a group has no summary, or if a summary has no
 * group.
 */
function allGroups(
  name: string,
  commands: readonly string[],
  groups: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const found = groupsOf(commands);
  const wrong = [...found, ...Object.keys(groups)].filter((group) => !found.has(group) || !groups[group]);
  if (wrong.length > 0)
    throw new Error(`src/commands/index.ts: wrong groups of ${name}: ${wrong.join(", ")}`);
  return groups;
}

/** The first words of commands that have several words, except first words that are commands themselves. */
const groupsOf = (commands: readonly string[]): ReadonlySet<string> =>
  new Set(
    commands.flatMap((words) => {
      const [first = "", ...rest] = words.split(" ");
      return rest.length > 0 && !commands.includes(first) ? [first] : [];
    }),
  );

const folder = new URL("../src/commands/", import.meta.url);

/** Loads a command from the file named by its path. */
export async function load(noun: string, words: string): Promise<{ command: Command; file: string }> {
  const file = `${noun}/${words === "" ? noun : words.replaceAll(" ", "/")}.ts`;
  if (!existsSync(new URL(file, folder))) throw new Error(`src/commands/${file} does not exist`);
  const { default: command } = (await import(new URL(file, folder).href)) as { default: Command };
  const path = `${noun} ${words}`.trim();
  if (command?.path !== path) throw new Error(`src/commands/${file} must declare the command "${path}"`);
  return { command, file };
}

/**
 * Throws if `src/commands/index.ts` does not list the file of a command. Without this check, the command would silently
 * be missing.
 */
export async function assertAllListed(listed: readonly string[]): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".ts"));
  for (const file of files) {
    if (file === "index.ts" || listed.includes(file)) continue;
    const text = await readFile(new URL(file, folder), "utf8");
    if (/^export default /m.test(text)) throw new Error(`src/commands/index.ts does not list ${file}`);
  }
}

function node(command: Command): CommandNode {
  const {
    path,
    summary,
    details,
    operation,
    defaulted,
    needsNoConfig,
    readsInDryRun,
    offers,
    examples,
    confirm,
    args = [],
  } = command;
  return {
    path: path.split(" "),
    summary,
    ...(details !== undefined && { details }),
    ...(operation !== undefined && { operation }),
    args: args.map(argNode),
    flags: flagNodes(command),
    limits: operation === undefined ? [] : routes[operation].rules,
    ...(confirm && { confirm: "destruction" in confirm ? "destruction" : "spending" }),
    ...(defaulted && { defaulted }),
    ...(needsNoConfig && { needsNoConfig }),
    ...(readsInDryRun && { readsInDryRun }),
    ...(offers && { offers: true }),
    examples,
  };
}

function argNode({ choicesFrom, ...plain }: Arg): ArgNode {
  if (choicesFrom === undefined) return plain;
  return { ...plain, kind: "choice", choices: configKeys.map(({ name }) => name) };
}

/** The flags of the operation's fields, followed by the command's own. */
function flagNodes(command: Command): readonly FlagNode[] {
  const { operation, flags = {}, fieldsWithoutFlag = [], args = [] } = command;
  const piped = args.find(({ stdin }) => stdin !== undefined);
  const own = Object.entries({
    ...flags,
    ...(piped && { [noStdin]: flag.boolean(`Do not read ${piped.name} from stdin`) }),
  });
  const taken = new Set(own.map(([key]) => kebab(key)));
  const fields = operation === undefined ? [] : routes[operation].fields;
  return [
    ...fields
      .filter(({ name }) => !fieldsWithoutFlag.includes(name) && !taken.has(kebab(name)))
      .map((field) => fieldFlag(field, command)),
    ...own.map(([key, flag]) => ownFlag(key, flag, fields)),
  ];
}

/** The flag of a field of the command's operation. */
export function fieldFlag(
  field: Field,
  { operation, defaulted = {}, args = [] }: Pick<Command, "operation" | "defaulted" | "args">,
): FlagNode {
  const { names: others = [], ...alias } = aliases[field.name] ?? {};
  const value = placeholder(field);
  const configKey = configKeys.find(
    ({ field: of }: ConfigKey) =>
      operation !== undefined && of?.name === field.name && of.operations.includes(operation),
  )?.name;
  const repeat = field.kind === "list" || field.kind === "map";
  const choices = choicesOf(field);
  const defaultText = field.default === undefined ? undefined : String(field.default);
  return {
    names: [kebab(field.name), ...others],
    ...alias,
    kind: valueKind(field.kind),
    ...(field.item && { item: scalarKind(field.item.kind) }),
    ...(value && { value }),
    text: field.description,
    notes: present([
      choices && oneOf(choices),
      limitsText(field),
      defaultText && `default ${defaultText}`,
      configKey && `config ${configKey}`,
      repeat && (hasNoCommas(field) ? "repeat or use commas" : "may be repeated"),
    ]),
    ...(repeat && { repeat }),
    ...(choices && { choices }),
    ...(defaultText !== undefined && { default: defaultText }),
    ...(field.kind === "boolean" && { negatable: true }),
    ...(field.required &&
      !(field.name in defaulted) &&
      !args.some((one) => one.field === field.name) && { required: true }),
    field: field.name,
    ...(configKey && { configKey }),
  };
}

function ownFlag(key: string, flag: Flag, fields: readonly Field[]): FlagNode {
  const { conflictsWith, defaultText, ignoresConfig, ...plain } = flag;
  const name = kebab(key);
  const configKey = ignoresConfig ? undefined : keyOfFlag("flag", name);
  const part = partSetBy(flag, fields);
  return {
    ...plain,
    names: [name],
    notes: present([
      flag.choices && oneOf(flag.choices),
      part && limitsText(part),
      flag.optionalValue !== undefined && `default ${flag.value?.toLowerCase()} ${flag.optionalValue}`,
      (flag.default ?? defaultText) !== undefined && `default ${flag.default ?? defaultText}`,
      flag.env,
      configKey && `config ${configKey}`,
      flag.repeat && "may be repeated",
      conflictsWith &&
        `cannot be used with ${conflictsWith.map((other) => `--${kebab(other)}`).join(" or ")}`,
    ]),
    key,
    ...(configKey && { configKey }),
    ...(conflictsWith && { conflictsWith: conflictsWith.map(kebab) }),
  };
}

/** The nested field that one of the command's own flags sets, such as the label of a new volume. */
const partSetBy = ({ setsFields = [] }: Flag, fields: readonly Field[]): Field | undefined =>
  fields
    .flatMap(({ name, shapes = [] }) => shapes.flat().map((part) => ({ path: `${name}.${part.name}`, part })))
    .find(({ path }) => path === setsFields[0])?.part;

function globalNode(flag: (typeof globalFlags)[number]): GlobalNode {
  const { name, text, group } = flag;
  const negative = "negative" in flag;
  const choices = "choices" in flag ? flag.choices : undefined;
  const configKey = keyOfFlag("global", name);
  return {
    names: [negative ? `no-${name}` : name],
    kind: choices ? "choice" : "value" in flag ? "text" : "boolean",
    group,
    text,
    ...("short" in flag && { short: flag.short }),
    ...("value" in flag && { value: flag.value }),
    ...(choices && { choices }),
    ...("completes" in flag && { completes: flag.completes }),
    ...("env" in flag && { env: flag.env }),
    notes: present([
      choices && oneOf(choices),
      "default" in flag && `default ${flag.default}`,
      "defaultText" in flag && `default ${flag.defaultText}`,
      "env" in flag && flag.env,
      configKey && `config ${configKey}`,
    ]),
  };
}

const oneOf = (choices: readonly string[]): string => `one of ${choices.join(", ")}`;

const present = (notes: readonly (string | false | undefined)[]): readonly string[] =>
  notes.filter((note): note is string => typeof note === "string" && note !== "");

function valueKind(kind: Field["kind"]): FlagNode["kind"] {
  return kind === "list" || kind === "map" || kind === "boolean" ? kind : scalarKind(kind);
}

function scalarKind(kind: Field["kind"]): Exclude<FlagNode["kind"], "list" | "map"> {
  return kind === "number" || kind === "integer" || kind === "id" ? kind : "text";
}

/** The choices of a field or of its items. */
const choicesOf = ({ choices, item }: Field): readonly string[] | undefined => choices ?? item?.choices;

/** Whether commas can separate items. They cannot separate text items, which may contain commas. */
const hasNoCommas = ({ item }: Field): boolean =>
  item?.choices !== undefined || (item !== undefined && scalarKind(item.kind) !== "text");

function placeholder({ kind, item, choices }: Field): string | undefined {
  if (choices) return "VALUE";
  switch (kind) {
    case "boolean":
      return undefined;
    case "integer":
    case "number":
      return "N";
    case "list":
      if (item?.choices) return "VALUE";
      return item?.kind === "id" ? "ID" : item && scalarKind(item.kind) !== "text" ? "N" : "TEXT";
    case "map":
      if (item?.choices) return "NAME:VALUE";
      return item && scalarKind(item.kind) !== "text" ? "NAME:N" : "NAME:TEXT";
    case "date-time":
      return "TIME";
    default:
      return kind === "id" ? "ID" : "TEXT";
  }
}
