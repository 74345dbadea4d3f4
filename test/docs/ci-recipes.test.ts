import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { blocksOf, readersMachine, readme } from "./readme-shell.ts";

const gitHub = z.object({
  jobs: z.object({
    test: z.object({
      env: z.record(z.string(), z.string()),
      steps: z.array(z.object({ run: z.string().optional(), uses: z.string().optional() })),
    }),
  }),
});

const gitLab = z.object({
  "gpu-scripts": z.object({ variables: z.record(z.string(), z.string()), script: z.array(z.string()) }),
});

const [forGitHub = "", forGitLab = ""] = blocksOf(readme, "yaml");

/** Where the recipe's installation comes from: what it would install is on the path already. */
const npm = '#!/bin/sh\ntest "$*" = "install --global gpuctl"\n';

/** Runs scripts one after the other on a new machine, each as CI does: it stops at the first command that fails. */
async function runInCi(scripts: readonly string[], variables: Readonly<Record<string, string>>) {
  const machine = await readersMachine();
  onTestFinished(machine.remove);
  const fake = join(machine.work, "../bin/npm");
  await writeFile(fake, npm);
  await chmod(fake, 0o755);
  const env = { ...machine.env, CI: "true", ...variables };
  for (const script of scripts) {
    const { exitCode, all } = await execa(
      "bash",
      ["-eo", "pipefail", "-c", `${script}\nkill $(jobs -p) 2> /dev/null || true`],
      {
        cwd: machine.work,
        env,
        extendEnv: false,
        stdin: "ignore",
        all: true,
        reject: false,
      },
    );
    expect(exitCode, `${script}\n${all}`).toBe(0);
  }
}

describe("a recipe for CI works as it stands", () => {
  test("for GitHub Actions", async () => {
    const { env, steps } = gitHub.parse(parse(forGitHub)).jobs.test;
    const scripts = steps.flatMap(({ run }) => run ?? []);
    expect(scripts.length).toBeGreaterThan(2);
    await runInCi(scripts, env);
  });

  test("for GitLab", async () => {
    const { variables, script } = gitLab.parse(parse(forGitLab))["gpu-scripts"];
    expect(script.length).toBeGreaterThan(3);
    await runInCi([script.join("\n")], variables);
  });
});
