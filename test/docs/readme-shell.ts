import { readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Home, repository } from "../support/process.ts";

export const readme = readFileSync(join(repository, "README.md"), "utf8");

export interface Section {
  readonly title: string;
  /** The contents of its `sh` blocks. */
  readonly commands: string;
}

/** The sections of a text that contain commands, in order. */
export const sectionsOf = (text: string): readonly Section[] =>
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf("\n")),
      commands: blocksOf(section, "sh").join("\n"),
    }))
    .filter(({ commands }) => commands !== "");

/** The contents of the fenced code blocks in a language. */
export const blocksOf = (text: string, language: string): readonly string[] =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, found, block = ""]) =>
    found === language ? [block] : [],
  );

/**
 * The files and folders of the repository that a text links to, and those that it names in backticks: `CHANGELOG.md`
 * and paths in `completions`, `man` and `docs`.
 */
export const namedIn = (text: string): readonly string[] =>
  [...text.matchAll(/\]\(((?!#|https?:)[^)]+)\)|`((?:completions|man|docs)\/[^`]*|CHANGELOG\.md)`/g)].map(
    ([, link, word]) => (link ?? word ?? "").replace(/#.*/, ""),
  );

/** The environment variable that a command line in the README reads. */
export const reader = { API_KEY: "key-of-the-reader" };

/** Makes the repository's packages available in a home, because the README asks the reader to install some of them. */
export async function readersHome<Reader extends Pick<Home, "folder">>(home: Reader): Promise<Reader> {
  await symlink(join(repository, "node_modules"), join(home.folder, "node_modules"), "dir");
  return home;
}
