import { readFileSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { blocksOf, reader, readersHome, readme } from "../docs/readme-shell.ts";
import { createHome, repository } from "../support/process.ts";
import { needs } from "../support/programs.ts";
import { type Packed, packPackage } from "./packing.ts";

let packed: Packed;
beforeAll(async () => {
  packed = await packPackage();
}, 180_000);
afterAll(() => packed?.remove());

/**
 * A home without gpuctl on its search path. Its npm uses no network, and installs global packages into a folder of the
 * home. The sandbox's optional packages are already in the home.
 */
async function homeOfNpm() {
  const home = await readersHome(await createHome(reader));
  const prefix = join(home.folder, "global");
  const env = {
    PATH: `${join(prefix, "bin")}${delimiter}${process.env.PATH ?? ""}`,
    npm_config_prefix: prefix,
    npm_config_offline: "true",
    npm_config_omit: "optional",
    CI: "true",
  };
  return {
    ...home,
    /** Runs a script as CI does: it stops at the first command that fails. */
    async script(text: string, more: Readonly<Record<string, string>> = {}, folder = home.folder) {
      const line = `exec 2>&1\nset -eo pipefail\ncd '${folder}'\n${text}\nkill $(jobs -p) 2> /dev/null || true`;
      const { code, out } = await home.shell(line, { shell: "bash", env: { ...env, ...more } }).ended;
      expect(code, `${text}\n${out}`).toBe(0);
      return out;
    },
    installed: join(prefix, "bin", "gpuctl"),
  };
}

const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
const isInstalled =
  'command -v gpuctl && gpuctl --version && gpuctl rentals list --sandbox -o id && echo "done"';

/** The commands in a document: each line of its `console` blocks is a command. */
const shownIn = (text: string): readonly string[] =>
  blocksOf(text, "console").flatMap((block) => block.trim().split("\n"));
const cookbook = readFileSync(join(repository, "docs/cookbook.md"), "utf8");
const installPacked = "npm install --global ./gpuctl-*.tgz";
const uninstall = "npm uninstall --global gpuctl";

describe("gpuctl is installed as documented", () => {
  needs("bash");

  test("from the packed file, also if it is already installed, and can be uninstalled", async () => {
    for (const text of [readme, cookbook]) expect(shownIn(text)).toContain(installPacked);
    expect(shownIn(cookbook)).toContain(uninstall);
    const { script, folder, installed } = await homeOfNpm();
    await cp(packed.tarball, join(folder, `gpuctl-${version}.tgz`));
    for (const _ of ["the first time", "over itself"]) {
      const out = await script(`${installPacked}\n${isInstalled}`);
      expect(out).toContain(`${installed}\n${version}\ndone\n`);
    }
    expect(await script(`${uninstall}\ncommand -v gpuctl || echo "gone"`)).toMatch(/^gone$/m);
  });

  test("from a clone, with npm link", async () => {
    const [line = ""] = shownIn(readme).filter((shown) => shown.endsWith("npm link"));
    // Only `npm link` is run: the clone under test is already built.
    expect(line).toBe("npm ci && npm run build && npm link");
    const { script, folder, installed } = await homeOfNpm();
    const clone = join(folder, "clone");
    await mkdir(clone);
    for (const name of ["package.json", "bin", "dist"])
      await cp(join(repository, name), join(clone, name), { recursive: true });
    expect(await script(`npm link\n${isInstalled}`, {}, clone)).toContain(`${installed}\n${version}\ndone\n`);
  });

  test.each(["README.md", "docs/library.md"])("as a library, in %s", async (name) => {
    const text = await readFile(join(repository, name), "utf8");
    const [, line = ""] = /`(npm install --save-dev \.\/gpuctl-\*\.tgz) vitest`/.exec(text) ?? [];
    expect(line).not.toBe("");
    const { script, folder } = await homeOfNpm();
    const project = join(folder, "project");
    await mkdir(project);
    // Without this file, npm would install into the nearest parent folder that has packages.
    await writeFile(join(project, "package.json"), "{}");
    await cp(packed.tarball, join(project, `gpuctl-${version}.tgz`));
    await script(line, {}, project);
    const program = `import("gpuctl/sandbox").then(async ({ createSandbox }) => {
      const sandbox = await createSandbox();
      const client = (await import("gpuctl")).createClient({ baseUrl: sandbox.url, apiKey: sandbox.keys.full });
      console.log("rentals:", (await client.listVirtualMachineRentals()).length);
      client.close();
      await sandbox.close();
    })`;
    expect(await script(`node -e '${program}'`, {}, project)).toMatch(/^rentals: 0$/m);
  });
});

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

describe("a recipe for CI works as written, including its installation", () => {
  needs("bash");

  async function runInCi(scripts: readonly string[], variables: Readonly<Record<string, string>>) {
    const { script, folder } = await homeOfNpm();
    await mkdir(join(folder, "vendor"));
    await cp(packed.tarball, join(folder, "vendor", `gpuctl-${version}.tgz`));
    for (const text of scripts) await script(text, variables);
  }

  test("for GitHub Actions", async () => {
    const { env, steps } = gitHub.parse(parse(forGitHub)).jobs.test;
    const scripts = steps.flatMap(({ run }) => run ?? []);
    expect(scripts[0]).toMatch(/^npm install --global /);
    expect(scripts).toHaveLength(3);
    await runInCi(scripts, env);
  });

  test("for GitLab", async () => {
    const { variables, script } = gitLab.parse(parse(forGitLab))["gpu-scripts"];
    expect(script[0]).toMatch(/^npm install --global /);
    expect(script.length).toBeGreaterThan(3);
    await runInCi([script.join("\n")], variables);
  });
});
