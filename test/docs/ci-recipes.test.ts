import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { addProgram } from "../support/process.ts";
import { needs } from "../support/programs.ts";
import { blocksOf, readersHome, readme } from "./readme-shell.ts";

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

/** A stub for npm: gpuctl is already on the search path. */
const npmStub = 'test "$*" = "install --global gpuctl"';

/** Runs scripts one after the other in a new home. As in CI, a script stops at the first command that fails. */
async function runInCi(scripts: readonly string[], variables: Readonly<Record<string, string>>) {
  const { folder, shell } = await readersHome();
  await addProgram(folder, "npm", npmStub);
  for (const script of scripts) {
    const line = `exec 2>&1\nset -eo pipefail\n${script}\nkill $(jobs -p) 2> /dev/null || true`;
    const { code, out } = await shell(line, { shell: "bash", env: { CI: "true", ...variables } }).ended;
    expect(code, `${script}\n${out}`).toBe(0);
  }
}

describe("a recipe for CI works as written", () => {
  needs("bash");

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
