import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const readme = readFileSync(join(root, "README.md"), "utf8");

export interface Section {
  readonly title: string;
  /** What its `sh` blocks hold, one after the other. */
  readonly commands: string;
}

/** The sections of a text that have something to run, in order. */
export const sectionsOf = (text: string): readonly Section[] =>
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf("\n")),
      commands: blocksOf(section, "sh").join("\n"),
    }))
    .filter(({ commands }) => commands !== "");

/** What the fenced blocks of a language hold. */
export const blocksOf = (text: string, language: string): readonly string[] =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, found, block = ""]) =>
    found === language ? [block] : [],
  );

/** A reader's machine: an empty home, `gpuctl` on the path, and the packages that the text tells to install. */
export async function readersMachine() {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-readme-"));
  await mkdir(join(folder, "bin"));
  await mkdir(join(folder, "work"));
  await symlink(join(root, "node_modules"), join(folder, "work/node_modules"), "dir");
  const command = join(folder, "bin/gpuctl");
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "bin/gpuctl.js")}" "$@"\n`);
  await chmod(command, 0o755);
  return {
    work: join(folder, "work"),
    env: {
      PATH: `${join(folder, "bin")}:${process.env.PATH}`,
      HOME: folder,
      TMPDIR: folder,
      GPUCTL_STATE_DIR: join(folder, "state"),
      GPUCTL_CONFIG_DIR: join(folder, "config"),
      API_KEY: "key-of-the-reader",
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
