/**
 * Applies each mutation to a copy of the source and runs its tests, which must fail. `npm run mutate` runs all
 * mutations. `npm run mutate -- money lock` runs only those whose file or name contains one of these words.
 */
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { type Mutation, mutations } from "./mutations.ts";

/** The share of the mutations that the tests must notice. */
const floor = 1;

/** Folders that are not copied. `node_modules` is linked instead. */
const notCopied = ["node_modules", ".git", "coverage", "demo-output"];

const repository = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);
const chosen = mutations.filter(
  ({ name, file }) => words.length === 0 || words.some((word) => `${name} ${file}`.includes(word)),
);

/** The part of Vitest's report that is used here. */
interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Runs test files in a copy; returns whether they ran, and the tests that failed. */
async function test(copy: string, files: readonly string[], { maxWorkers }: { readonly maxWorkers: number }) {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const args = [
    "run",
    ...files,
    "--bail=1",
    `--maxWorkers=${maxWorkers}`,
    // The next run in this copy transforms only the modules that have changed.
    "--experimental.fsModuleCache",
    `--experimental.fsModuleCachePath=${join(copy, "module-cache")}`,
    "--reporter=json",
    `--outputFile=${report}`,
    "--testTimeout=60000",
  ];
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const { all } = await execa(process.execPath, [vitest, ...args], { cwd: copy, reject: false, all: true });
  try {
    const { testResults }: Report = JSON.parse(readFileSync(report, "utf8"));
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = tests.filter(({ status }) => status === "failed");
    return { ran: tests.length > 0, failed: failed.map((one) => one.fullName), output: all };
  } catch {
    return { ran: false, failed: [], output: all };
  }
}

/** Why the tests did not notice the mutation; undefined if they did. */
async function survival(copy: string, { file, from, to, tests, build }: Mutation) {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  if (source.split(from).length !== 2)
    return `the source contains ${source.split(from).length - 1} of: ${from}`;
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
  try {
    if (build) await execa("npm", ["run", "build"], { cwd: copy });
    const { ran, failed, output } = await test(copy, tests, { maxWorkers: 1 });
    if (!ran) return `no test ran:\n${output.slice(-2000)}`;
    return failed.length > 0 ? undefined : "all tests passed";
  } finally {
    writeFileSync(path, source);
    if (build) cpSync(join(repository, "dist"), join(copy, "dist"), { recursive: true, force: true });
  }
}

function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), "gpuctl-mutate-"));
  // Tests that run as root switch to an ordinary user. That user must be able to read the copy.
  chmodSync(copy, 0o755);
  for (const name of readdirSync(repository)) {
    if (!notCopied.includes(name)) cpSync(join(repository, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(repository, "node_modules"), join(copy, "node_modules"), "junction");
  return copy;
}

const copies = Array.from({ length: Math.min(availableParallelism(), chosen.length) }, copyRepository);
const survivors: string[] = [];
try {
  const [first = ""] = copies;
  // The tests must pass without a mutation: a test that always fails notices nothing.
  const allTests = [...new Set(chosen.flatMap(({ tests }) => tests))];
  const sound = await test(first, allTests, { maxWorkers: copies.length });
  if (!sound.ran || sound.failed.length > 0)
    throw new Error(`the tests fail without a mutation: ${sound.failed.join(", ") || sound.output}`);
  const queue = [...chosen];
  await Promise.all(
    copies.map(async (copy) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const why = await survival(copy, next);
        process.stdout.write(
          why === undefined ? `killed    ${next.name}\n` : `SURVIVED  ${next.name} (${next.file}): ${why}\n`,
        );
        if (why !== undefined) survivors.push(next.name);
      }
    }),
  );
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}
const killed = chosen.length - survivors.length;
process.stdout.write(`${killed} of ${chosen.length} mutations were noticed.\n`);
if (killed < chosen.length * floor) process.exitCode = 1;
