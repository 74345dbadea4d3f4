import { Command, CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { assertAllListed, fieldFlag, load } from "../../scripts/command-tree.ts";
import { globals, nouns } from "../../src/cli/generated/tree.ts";
import { flagValue } from "../../src/cli/parse/options.ts";
import { quotedFlags } from "../../src/cli/parse/program.ts";
import { type CommandNode, type FlagNode, spellings, standardFlags } from "../../src/command-kit/tree.ts";
import { nouns as listed } from "../../src/commands/index.ts";
import { operations } from "../../src/contract/index.ts";
import type { Operation } from "../../src/contract/operation.ts";
import type { Field } from "../../src/contract/plain/field.ts";
import { commands, declared } from "../support/commands.ts";

const flags = commands.flatMap((command) =>
  command.flags.map((flag) => ({ title: `${command.path.join(" ")} --${flag.names[0]}`, command, flag })),
);

describe("a flag", () => {
  const global = new Set([...globals, ...standardFlags].flatMap(spellings));

  test.each(commands)("of $path does not reuse the name of a global flag", ({ flags: own }: CommandNode) => {
    expect(own.flatMap(spellings).filter((name) => global.has(name))).toEqual([]);
  });

  test.each(commands)(
    "of $path has names that no other flag of the command has",
    ({ flags: own }: CommandNode) => {
      const names = own.flatMap(spellings);
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    },
  );

  test("has the opposite name of a global flag in one case only: --input and --no-input", () => {
    const opposite = (name: string) =>
      name.startsWith("--no-") ? `--${name.slice(5)}` : `--no-${name.slice(2)}`;
    const pairs = flags.filter(({ flag }) => spellings(flag).some((name) => global.has(opposite(name))));
    expect(pairs.map(({ title }) => title)).toEqual(["api call --input"]);
  });
});

/** The value that a flag parses from an argument. */
const valueFrom = (flag: FlagNode, text: string): unknown =>
  flagValue(flag, text, `--${flag.names[0]}`, false);

describe("the flag of a field that holds several values", () => {
  const field = (more: Pick<Field, "kind" | "item">): Field => ({
    name: "postStart",
    required: false,
    description: "Commands to run",
    ...more,
  });

  test("takes a list of strings, which commas do not separate", () => {
    const flag = fieldFlag(field({ kind: "list", item: { kind: "string" } }), {});
    expect(flag).toMatchObject({ value: "TEXT", item: "text", repeat: true, notes: ["may be repeated"] });
    expect(valueFrom(flag, "echo a, b")).toEqual(["echo a, b"]);
  });

  test.each([
    ["number", "N", [80, 443]],
    ["id", "ID", [80, 443]],
  ] as const)("takes a list of %s, which commas separate", (kind, value, items) => {
    const flag = fieldFlag(field({ kind: "list", item: { kind } }), {});
    expect(flag).toMatchObject({ value, repeat: true, notes: ["repeat or use commas"] });
    expect(valueFrom(flag, "80, 443")).toEqual(items);
  });

  test("takes a list of choices, which commas separate", () => {
    const flag = fieldFlag(field({ kind: "list", item: { kind: "string", choices: ["a", "b"] } }), {});
    expect(flag).toMatchObject({ value: "VALUE", notes: ["one of a, b", "repeat or use commas"] });
    expect(valueFrom(flag, "a,b")).toEqual(["a", "b"]);
  });

  test.each([
    ["string", "NAME:TEXT", "PATH:/bin, /usr/bin", { PATH: "/bin, /usr/bin" }],
    ["number", "NAME:N", "a:1, b:2", { a: 1, b: 2 }],
  ] as const)("takes a map of %s, and its help is not specific to LoRAs", (kind, value, text, map) => {
    const flag = fieldFlag(field({ kind: "map", item: { kind } }), {});
    expect(flag).toMatchObject({ value, repeat: true });
    expect(valueFrom(flag, text)).toEqual(map);
    expect(() => valueFrom(flag, "text")).toThrow('--post-start must be NAME:VALUE, not "text"');
    expect(JSON.stringify(flag)).not.toMatch(/lora|weight/i);
  });

  test("takes a map in only one command, `image --lora`, and a list in several", () => {
    expect(flags.filter(({ flag: { kind } }) => kind === "map").map(({ title }) => title)).toEqual([
      "image --lora",
    ]);
    expect(flags.filter(({ flag: { kind } }) => kind === "list").length).toBeGreaterThan(2);
  });
});

describe("the name that an error message of the Commander library quotes", () => {
  test.each([
    ["--nope", "commander.unknownOption"],
    ["-n", "commander.unknownOption"],
    ["--no-pe", "commander.unknownOption"],
  ])("is the unknown option %s", (word, code) => {
    const command = new Command()
      .exitOverride()
      .showSuggestionAfterError(false)
      .option("--known <VALUE>")
      .configureOutput({ writeErr: () => {} });
    try {
      command.parse([word], { from: "user" });
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      expect(error).toMatchObject({ code, message: `error: unknown option '${word}'` });
      expect(quotedFlags(error)).toEqual([word]);
    }
  });

  test("is missing if the message quotes no name", () => {
    expect(quotedFlags(new CommanderError(1, "other", "error: it is wrong"))).toEqual([]);
  });
});

describe("the command tree", () => {
  test("has every command of the list, and each is declared in the file that its path names", async () => {
    const paths = listed.flatMap(({ name, commands: words }) =>
      words.map((word) => `${name} ${word}`.trim()),
    );
    expect(commands.map(({ path }) => path.join(" "))).toEqual(paths);
    expect([...declared].map(([words, { path }]) => [words, path])).toEqual(
      paths.map((path) => [path, path]),
    );
    expect(nouns.map(({ name }) => name)).toEqual(listed.map(({ name }) => name));
  });

  test("is not built without the file of a command", async () => {
    await expect(load("rentals", "create moon")).rejects.toThrow(
      "src/commands/rentals/create/moon.ts does not exist",
    );
  });

  test("is not built from a file that does not declare the command of its path", async () => {
    await expect(load("rentals", "views")).rejects.toThrow(
      'src/commands/rentals/views.ts must declare the command "rentals views"',
    );
  });

  test("is not built while a command is missing from the list", async () => {
    const files = commands.map(
      ({ path: [noun = "", ...words] }) => `${[noun, ...(words.length === 0 ? [noun] : words)].join("/")}.ts`,
    );
    await expect(assertAllListed(files)).resolves.toBeUndefined();
    await expect(assertAllListed(files.filter((file) => file !== "volumes/attach.ts"))).rejects.toThrow(
      "src/commands/index.ts does not list volumes/attach.ts",
    );
  });
});

test("every operation except a GET declares its effect; each GET only reads, and each DELETE destroys", () => {
  const all: readonly [string, Operation][] = Object.entries(operations);
  const unsaid = all.filter(([, { method, effect }]) => method !== "GET" && effect === undefined);
  expect(unsaid.map(([id]) => id)).toEqual([]);
  const changing = all.filter(([, { method, effect = "read" }]) => method === "GET" && effect !== "read");
  expect(changing.map(([id]) => id)).toEqual([]);
  const deleting = all.filter(([, { method, effect }]) => method === "DELETE" && effect !== "destroy");
  expect(deleting.map(([id]) => id)).toEqual([]);
});
