import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import type { CommandNode } from "../../src/command-kit/tree.ts";
import { type OperationId, operations } from "../../src/contract/index.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { type Cli, createCli, type Outcome } from "../support/cli.ts";
import { commands, declarationOf, operationsOf } from "../support/commands.ts";
import { runShown } from "../support/examples.ts";
import { storeJob } from "../support/jobs.ts";
import { overNetwork, serviceUrl } from "../support/service.ts";

const ids = Object.keys(operations) as OperationId[];
const destroys = (id: OperationId): boolean => (operations[id] as Operation).effect === "destroy";

/** Commands that call a destructive operation, or declare that they destroy something. */
const destructive = commands.filter(
  (command) => declarationOf(command).effect === "destroy" || operationsOf(command).some(destroys),
);

/** Commands that look up details for their confirmation prompt. */
const readsFirst = new Set(["rentals terminate", "ssh-keys remove", "api-keys revoke"]);

/** The path of the service's description, which every command may request before the confirmation. */
const { path: descriptionPath } = operations.getOpenApiDocument;

interface Case {
  readonly name: string;
  readonly line: string;
  readonly after: readonly string[];
}

/**
 * The examples of a destructive command, without `--yes` and `--dry-run`. For `api call`, two lines for each
 * destructive operation.
 */
function linesOf({ path, examples }: CommandNode): readonly Case[] {
  const name = path.join(" ");
  if (name === "api call") {
    return ids.filter(destroys).flatMap((id) => {
      const { method, path: place }: Operation = operations[id];
      const fields = [...place.matchAll(/\{(\w+)\}/g)].map(([, name]) => ` -f ${name}=1`).join("");
      const lines = [
        `gpuctl api call ${id}${fields} --sandbox`,
        `gpuctl api call ${method} ${place.replace(/\{\w+\}/g, "1")} --sandbox`,
      ];
      return lines.map((line) => ({ name, line, after: [] }));
    });
  }
  return examples.map(({ command, after = [] }) => ({
    name,
    line: command.replace(/ --(yes|dry-run)\b/g, ""),
    after,
  }));
}

const cases = destructive.flatMap(linesOf);

/** The contents of every file, and the sandbox's state. */
async function stateOf({ folder, sandbox }: Cli): Promise<object> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const texts = await Promise.all(files.sort().map(async (path) => [path, await readFile(path, "hex")]));
  return { files: texts, sandbox: sandbox.snapshot() };
}

/** A CLI with stored jobs, after the commands that prepare a case. */
async function cliFor({ after }: Case): Promise<Cli> {
  const cli = await createCli();
  for (const service of ["sandbox", serviceUrl]) await storeJob(join(cli.folder, "state"), { service });
  for (const before of after) expect(await runShown(cli, before), before).toMatchObject({ code: exit.done });
  cli.sandbox.clock.freeze();
  return cli;
}

/** Requests that must not be sent before the confirmation. */
const forbiddenRequests = ({ name }: Case, { requests }: Outcome) =>
  requests.filter(
    ({ method, path }) => method !== "GET" || (path !== descriptionPath && !readsFirst.has(name)),
  );

test("every destructive command has a confirmation", () => {
  expect(destructive.map(({ path }) => path.join(" "))).toEqual(
    expect.arrayContaining([
      "rentals terminate",
      "user delete",
      "api call",
      "profile remove",
      "sandbox reset",
    ]),
  );
  expect(destructive.filter(({ confirm }) => confirm !== "destruction")).toEqual([]);
});

test("each destructive operation is called by a command that asks for confirmation", () => {
  const called = new Set(destructive.flatMap(operationsOf));
  expect(ids.filter(destroys).filter((id) => !called.has(id))).toEqual([]);
});

describe.each([
  ["in the sandbox", (line: string) => line, () => ({})],
  [
    "with an account",
    (line: string) => line.replaceAll(" --sandbox", ""),
    ({ sandbox }: Cli) => overNetwork({ GPUCTL_API_KEY: sandbox.keys.full }),
  ],
] as const)(
  "%s, destructive commands need --yes when not running interactively",
  (_where, lineFor, optionsFor) => {
    test.each(cases.map((one) => ({ ...one, line: lineFor(one.line) })))("$line", async (one) => {
      const cli = await cliFor(one);
      const before = await stateOf(cli);
      const refused = await runShown(cli, one.line, optionsFor(cli));
      expect({ code: refused.code, out: refused.out }, refused.err).toEqual({ code: exit.usage, out: "" });
      expect(refused.err).toContain("--yes is required when not running interactively");
      expect(forbiddenRequests(one, refused)).toEqual([]);
      expect(await stateOf(cli)).toEqual(before);

      // With --yes, nothing is asked. A command that succeeds changes something, except `rentals guard`, which may
      // find no lease that is over.
      const confirmed = await runShown(cli, `${one.line} --yes`, optionsFor(cli));
      expect(confirmed.err).not.toContain("--yes is required");
      const mayFindNothing = one.name === "rentals guard";
      if (confirmed.code === exit.done && !mayFindNothing) expect(await stateOf(cli)).not.toEqual(before);
    });
  },
);
