/**
 * Runs the tests with Redocly's proxy between gpuctl and the sandbox, and fails when what was sent and
 * answered is not what the served description says. Arguments are those of vitest; without any, all tests are run that
 * ask a sandbox by way of the tool or its library.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { type OperationSetName, operationSetNames } from "../../src/core/sandbox.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { proxyVariable } from "../support/conformance.ts";
import { openJunction } from "./junction.ts";
import { startProxy } from "./proxy.ts";
import {
  type Description,
  type Descriptions,
  described,
  together,
  type Verdict,
  verdictOn,
} from "./verdict.ts";

const everything = ["test/cli", "test/commands", "test/library", "test/client/negotiation.test.ts"];

/** Fewer exchanges than this of everything mean that the tests went past the proxy. */
const leastExchanges = 1000;

/** As an environment serves it before any path is retired. */
async function servedDescription(only?: OperationSetName): Promise<Description> {
  const sandbox = await createSandbox({ file: ":memory:", now: () => 0, only });
  const response = await sandbox.fetch(new Request("http://sandbox.localhost/v2/openapi.json"));
  sandbox.close();
  return described.parse(await response.json());
}

async function runThroughProxy(tests: readonly string[]): Promise<{ passed: boolean; verdict: Verdict }> {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-conformance-"));
  const junction = await openJunction();
  try {
    const descriptions: Descriptions = {
      "": await servedDescription(),
      ...Object.fromEntries(
        await Promise.all(
          operationSetNames.map(async (name) => [name, await servedDescription(name)] as const),
        ),
      ),
    };
    const proxy = await startProxy(junction.url, together(descriptions), folder);
    const { exitCode } = await execa("node", ["node_modules/vitest/vitest.mjs", "run", ...tests], {
      env: { [proxyVariable]: proxy.url },
      stdio: "inherit",
      reject: false,
    });
    return { passed: exitCode === 0, verdict: verdictOn(await proxy.close(), descriptions) };
  } finally {
    junction.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const given = process.argv.slice(2);
const { passed, verdict } = await runThroughProxy(given.length > 0 ? given : everything);
const { checked, mismatched, mismatches, unseen } = verdict;
const least = given.length > 0 ? 1 : leastExchanges;
const wrong = [
  ...mismatches,
  ...(checked < least ? [`only ${checked} exchanges went through the proxy, not ${least}`] : []),
  ...(given.length > 0 ? [] : unseen.map((operation) => `${operation}: no test got its answer`)),
];
for (const line of wrong) process.stdout.write(`${line}\n`);
process.stdout.write(`${checked} exchanges checked, ${mismatched} mismatches\n`);
process.exitCode = passed && wrong.length === 0 ? 0 : 1;
