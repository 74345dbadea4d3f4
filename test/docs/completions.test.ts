import { describe, expect, test } from "vitest";
import { globals, nouns } from "../../src/cli/generated/tree.ts";
import type { GlobalNode } from "../../src/command-kit/tree.ts";
import { outputFormats } from "../../src/core/view.ts";
import { completions } from "../../src/docs/completions/index.ts";
import { treeOf, valueFlags } from "../../src/docs/tree.ts";
import { commands } from "../support/commands.ts";
import { createMemoryHome } from "../support/memory-home.ts";
import { needs, skipWithout } from "../support/programs.ts";
import { everyNth } from "../support/thorough.ts";
import { gpuTypes, vmRegions } from "./choices.ts";
import { shellNames, shells } from "./completing.ts";

const globalNames = globals.map(({ names: [name] }) => `--${name}`);

describe.each(shellNames)("Tab in %s", (shell) => {
  needs(shell);

  const offered = shells[shell];
  const sorted = async (line: string) => [...(await offered(line))].sort();

  test("offers the commands, and completes a prefix", async () => {
    expect(await sorted("gpuctl ")).toEqual(nouns.map(({ name }) => name).sort());
    expect(await sorted("gpuctl re")).toEqual(["rentals", "reserve"]);
    expect(await offered("gpuctl rentals create b")).toEqual(["bare-metal"]);
  });

  test("skips flags before or between the words of a command, and the values of these flags", async () => {
    expect(await sorted("gpuctl --sandbox rentals create ")).toEqual(["bare-metal", "vm"]);
    expect(await sorted("gpuctl --profile rentals volumes ")).toEqual(["attach", "create", "list"]);
    expect(await sorted("gpuctl --base-url http://127.0.0.1:1 volumes ")).toEqual([
      "attach",
      "create",
      "list",
    ]);
    expect(await offered("gpuctl rentals --output json cr")).toEqual(["create"]);
  });

  test("offers the flags of a command and the global flags", async () => {
    const words = await offered("gpuctl rentals create vm --");
    expect(words).toEqual(expect.arrayContaining(["--gpu-count", "--gpus", "--max-burn", ...globalNames]));
    expect(new Set(words).size, "each once").toBe(words.length);
    expect(words).not.toContain("--storage-volume");
  });

  test("offers the choices of a flag, by any of its names, after a space or after =", async () => {
    expect(await sorted("gpuctl rentals create vm --gpu-type ")).toEqual([...gpuTypes].sort());
    expect(await sorted("gpuctl rentals create vm --gpu ")).toEqual([...gpuTypes].sort());
    expect(await sorted("gpuctl rentals create vm --gpu=h")).toEqual(["h100", "h200"]);
    expect(await sorted("gpuctl rentals create vm --gpu=")).toEqual([...gpuTypes].sort());
    expect(await sorted("gpuctl rentals create vm --region ")).toEqual([...vmRegions].sort());
    expect(await sorted("gpuctl rentals list -o ")).toEqual([...outputFormats].sort());
  });

  test("offers files if a flag takes a file, and nothing if the value can be any text", async () => {
    expect(await offered("gpuctl image --image completing")).toEqual(["completing.ts"]);
    expect(await offered("gpuctl rentals create vm --label ")).toEqual([]);
    expect(await offered("gpuctl chat -- ")).toEqual([]);
  });
});

test.for(everyNth(15, commands))("Tab in bash offers every flag of $path", async (spec, context) => {
  skipWithout("bash", context);
  const own = spec.flags.flatMap(({ names, negatable }) =>
    names.flatMap((name) => (negatable ? [`--${name}`, `--no-${name}`] : [`--${name}`])),
  );
  const words = await shells.bash(`gpuctl ${spec.path.join(" ")} --`);
  expect(words).toEqual(expect.arrayContaining([...own, ...globalNames, "--help", "--version"]));
  expect(new Set(words).size, "each once").toBe(words.length);
});

test("a flag takes a value in every command or in none, except for -f and --count", () => {
  const withValue = new Set(valueFlags(treeOf(nouns, globals)));
  const switches = commands
    .flatMap((spec) => spec.flags)
    .filter(({ value }) => value === undefined)
    .flatMap(({ names, short }) => [...names.map((name) => `--${name}`), ...(short ? [`-${short}`] : [])]);
  // `-f` takes a value in `api call` but not in `rentals jobs logs`, and `--count` in `rentals create` but not in
  // `sandbox requests`. That does no harm: the scripts need `valueFlags` only to skip flags that come before or between
  // the words of a command, and these two come after them.
  expect(switches.filter((name) => withValue.has(name))).toEqual(["-f", "--count"]);
});

test("the lines in `gpuctl completion --help` for bash load the script, also in bash 3.2", async (context) => {
  skipWithout("bash", context);
  const { run, shell } = await createMemoryHome();
  const [part = ""] = /^For bash[\s\S]*(?=^For zsh)/m.exec((await run("completion --help")).out) ?? [];
  const lines = part.match(/(?<=^ {2}).*/gm) ?? [];
  // In bash 3.2, `source` reads a pipe, such as <(command), as an empty file.
  const script = ['source() { [[ ! -f $1 ]] || builtin source "$1"; }', ...lines, "complete -p gpuctl"];
  const { out, err } = await shell(script.join("\n"), { shell: "bash" }).ended;
  expect(out, err).toContain("-F _gpuctl gpuctl");
});

describe("the completion scripts", () => {
  const scripts = Object.entries(completions(treeOf(nouns, globals)));

  test.each(scripts)("know every command and every flag: %s", (_name, script) => {
    for (const spec of commands) {
      expect(script).toContain(spec.path.join(" "));
      for (const name of spec.flags.flatMap(({ names }) => names)) expect(script).toContain(name);
    }
    for (const {
      names: [name],
    } of globals)
      expect(script).toContain(name);
  });

  test.each(scripts)(
    "contain no control characters and nothing specific to this machine: %s",
    (_name, script) => {
      expect(script).toMatch(/^[\n\x20-\x7e]+$/);
      expect(script).not.toContain(process.cwd());
    },
  );
});

test.each(["_gpuctl", "gpuctl.fish", "gpuctl.ps1"])(
  "the completion script %s explains a flag that turns something off",
  (name) => {
    const script =
      Object.entries(completions(treeOf(nouns, globals))).find(([file]) => file === name)?.[1] ?? "";
    const lines = script.split("\n").filter((line) => /no-monitoring-enabled\b(?!\))/.test(line));
    expect(lines).not.toEqual([]);
    for (const line of lines) expect(line).toContain("Do not collect metrics");
  },
);

test("the script for PowerShell offers nothing after --, because no flags can follow", () => {
  const script = completions(treeOf(nouns, globals))["gpuctl.ps1"];
  expect(script).toContain("if ($word -ceq '--') { return }");
});

test("a text with quotes and brackets cannot break a script", () => {
  const odd = 'it\'s [odd]: $(touch x) `y` "z" \\';
  const flag: GlobalNode = {
    names: ["odd"],
    kind: "text",
    value: "FILE",
    text: odd,
    notes: [],
    group: "Output",
  };
  const made = completions(treeOf([], [flag]));
  expect(made._gpuctl).toContain("'[it'\\''s \\[odd\\]: $(touch x) `y` \"z\" \\\\]:FILE:_files'");
  expect(made["gpuctl.fish"]).toContain("'it\\'s [odd]: $(touch x) `y` \"z\" \\\\'");
  expect(made["gpuctl.ps1"]).toContain("'it''s [odd]: $(touch x) `y` \"z\" \\'");
});
