import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import { createMemoryHome } from "../support/memory-home.ts";
import {
  addProgram,
  createHome,
  type Environment,
  firstChunk,
  type Home,
  repository,
} from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { sample, thorough } from "../support/thorough.ts";
import { blocksOf, readme, type Section, sectionsOf } from "./readme-shell.ts";

const cookbook = readFileSync(join(repository, "docs/cookbook.md"), "utf8");

/** A fake `ssh`. The machine that it reaches is a separate folder, in which commands run. */
const ssh = `shift 3
mkdir -p "$HOME/machine"
cd "$HOME/machine" && exec sh -c "$*"`;

type CookHome = Pick<Home, "folder" | "run" | "shell">;

/** A home that uses its sandbox, with fakes of the programs that recipes call. */
async function cookHome<Made extends CookHome>(create: (env: Environment) => Promise<Made>): Promise<Made> {
  const home = await create({ GPUCTL_SANDBOX: "1" });
  await addProgram(home.folder, "ssh", ssh);
  await addProgram(home.folder, "nvidia-smi", "echo 'GPU 0: NVIDIA H100'");
  return home;
}

/** Variables to use the home's sandbox as a service. With GPUCTL_SANDBOX=1, `rentals ssh` would need sshd. */
async function served(home: Pick<Home, "start">) {
  const { stdout } = home.start("sandbox serve --port 0 -o json");
  const { url, apiKey } = JSON.parse(await firstChunk(stdout));
  return { GPUCTL_SANDBOX: "0", GPUCTL_BASE_URL: url, GPUCTL_API_KEY: apiKey };
}

const active = async ({ run }: CookHome) => (await run("rentals list -o id")).out;
const texts = (home: CookHome, name: string) => readFile(join(home.folder, name), "utf8");

/** The command lines that run before a recipe. */
const preparations: Readonly<Record<string, readonly string[]>> = {
  "Report costs": [
    "rentals create vm --gpus 1 --yes",
    "rentals create vm --gpus 1 --label ended --yes",
    "rentals terminate 1002 --yes",
  ],
};

/** The expected result of each recipe, in addition to its exit code. */
const results: Readonly<Record<string, (home: CookHome, out: string) => Promise<void>>> = {
  "Rent a machine and clean up in a trap": async (home, out) => {
    expect(out).toMatch(/status: +Running/);
    expect(await active(home)).toBe("");
  },
  "Run a job over SSH": async (home, out) => {
    expect(out).toContain("GPU 0: NVIDIA H100\n");
    expect(await texts(home, "results/answer.txt")).toBe("42\n");
    expect(await active(home)).toBe("");
  },
  "Report costs": async (home, out) => {
    expect(out).toContain("1 active, $2 per hour");
    expect(out).toMatch(/"gpu":"h100","rentals":1,"dollars":/);
    expect(await texts(home, "costs.csv")).toMatch(/^id,label,.*\r\n1002,ended,h100,1,/);
  },
  "Extend a reservation from cron": async (home) => {
    const days =
      '(.reservedUntil[:19] + "Z" | fromdate) - (.createdAt[:19] + "Z" | fromdate) | . / 86400 | floor';
    expect((await home.run(["rentals", "get", "1001", "--jq", days])).out).toBe("60\n");
  },
  "Rent several machines at once": async (home, out) => {
    expect(await texts(home, "ids.txt")).toBe("1001\n1002\n1003\n");
    expect(out.match(/LABEL: +worker-\d+-\d+-\d\nstatus: +Running/g)).toHaveLength(3);
    expect(await active(home)).toBe("");
  },
  "Ask about each line of a file": async (home, out) => {
    expect(out.match(/(?<=heard: )What is .*/g)).toEqual(["What is InfiniBand?", "What is NVLink?"]);
    expect(await texts(home, "a.answer")).toContain("GPU 0: ECC error");
  },
  "Upgrade gpuctl": async (_home, out) => expect(out).toMatch(/Node\.js/),
  "Uninstall gpuctl": async ({ folder }) => {
    for (const name of ["config/config.json", ".cache/gpuctl"])
      expect(existsSync(join(folder, name))).toBe(false);
  },
};

/** Skips a test whose commands call a program that is not installed here. */
function skipWithoutItsPrograms(commands: string, context: Pick<TestContext, "skip">): void {
  for (const program of ["tar", "xargs"]) {
    if (new RegExp(`\\b${program}\\b`).test(commands)) skipWithout(program, context);
  }
}

describe("each recipe of the cookbook works as printed", () => {
  const recipes = sectionsOf(cookbook);

  test("and the test has an expected result for each recipe", () => {
    expect(Object.keys(results)).toEqual(recipes.map(({ title }) => title));
  });

  // The sample runs in memory, so it leaves out recipes that use ssh, the real clock or gpuctl's own files.
  test.for(sample(recipes, 0, 2, 4, 5))("$title", async ({ title, commands }, context) => {
    skipWithoutItsPrograms(commands, context);
    if (!thorough) {
      skipWithout("bash", context);
      return cook({ title, commands }, await cookHome(createMemoryHome));
    }
    const home = await cookHome(createHome);
    const env = {
      ...(title === "Uninstall gpuctl" && { XDG_CACHE_HOME: "" }),
      ...(title.endsWith("SSH") && (await served(home))),
    };
    await cook({ title, commands }, home, env);
  });

  async function cook({ title, commands }: Section, home: CookHome, env: Environment = {}): Promise<void> {
    for (const line of preparations[title] ?? []) await home.run(line);
    const { code, out, err } = await home.shell(commands, { env }).ended;
    expect(code, out + err).toBe(0);
    await results[title]?.(home, out + err);
  }
});

test.each([
  ["Rent a machine and clean up in a trap", "gpuctl rentals wait"],
  ["Run a job over SSH", "gpuctl rentals ssh"],
])(
  "the trap of the recipe %j terminates the rental when the script is interrupted or fails",
  async (wanted, next) => {
    const { commands } = sectionsOf(cookbook).find(({ title }) => title === wanted) ?? { commands: "" };
    const [rent = ""] = commands.split(next);
    expect(rent, "the rental can be ended while it boots").not.toContain("--wait");
    const ends = [
      ["exit 7", 7],
      ["kill -TERM $$; sleep 5", 130],
    ] as const;
    for (const [rest, expected] of sample(ends, 1)) {
      const home = await cookHome(createHome);
      expect(await home.shell(`sh -c '${escaped(rent)}${rest}'`).ended).toMatchObject({
        code: expected,
      });
      expect(await active(home)).toBe("");
    }
  },
);

test("the recipe for several machines continues without a machine that could not be created", async (context) => {
  const recipe = sectionsOf(cookbook).find(({ title }) => title === "Rent several machines at once");
  const { commands } = recipe ?? { commands: "" };
  skipWithoutItsPrograms(commands, context);
  skipWithout("bash", context);
  const home = await cookHome(createMemoryHome);
  await home.run("sandbox fault add --operation createVirtualMachineRental --after 1 --status 409");
  const { code, out, err } = await home.shell(`sh -c '${escaped(commands)}'`).ended;
  expect(code, out + err).toBe(0);
  expect(err).toContain("1 of 3 rentals could not be created");
  expect(err).toContain("Going on with the machines in ids.txt");
  expect(await texts(home, "ids.txt")).toBe("1001\n1002\n");
  expect(await active(home)).toBe("");
});

/** Escapes text for single quotes in a shell. */
const escaped = (text: string) => text.replaceAll("'", `'\\''`);

test("only these commands of the cookbook are not run with the recipes", () => {
  expect(blocksOf(cookbook, "console").flatMap((block) => block.trim().split("\n"))).toEqual([
    "export GPUCTL_SANDBOX=1",
    "git pull && npm ci && npm run build",
    "git pull && npm ci && rm -f gpuctl-*.tgz && npm pack",
    "npm install --global ./gpuctl-*.tgz",
    "npm uninstall --global gpuctl",
    "rm -f ~/.local/share/bash-completion/completions/gpuctl ~/.config/fish/completions/gpuctl.fish ~/.zfunc/_gpuctl",
  ]);
});

test("the README links to the cookbook", () => {
  expect(readme).toContain("(docs/cookbook.md)");
});
