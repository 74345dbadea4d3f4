/**
 * Runs the tests with Redocly's proxy between gpuctl and the sandbox, and fails if a request or a response does not
 * match the served description. Arguments are passed to vitest. Without arguments, vitest runs `allTests`, and each
 * described operation must get a 200 response.
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
  descriptionSchema,
  mergeDescriptions,
  type Verdict,
  verdictOn,
} from "./verdict.ts";

const allTests = ["test/cli", "test/commands", "test/library", "test/client/negotiation.test.ts"];

/** If a run of all tests makes fewer exchanges than this, some tests bypassed the proxy. */
const minExchanges = 1000;

/**
 * The description that a sandbox serves for a set of operations, or for all. The sandbox's clock shows 1970, so no path
 * is past its sunset day.
 */
async function servedDescription(only?: OperationSetName): Promise<Description> {
  const sandbox = await createSandbox({ file: ":memory:", now: () => 0, only });
  const response = await sandbox.fetch(new Request("http://sandbox.localhost/v2/openapi.json"));
  sandbox.close();
  return descriptionSchema.parse(await response.json());
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
    const proxy = await startProxy(junction.url, mergeDescriptions(descriptions), folder);
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
const { passed, verdict } = await runThroughProxy(given.length > 0 ? given : allTests);
const { checked, mismatched, mismatches, unseen } = verdict;
const required = given.length > 0 ? 1 : minExchanges;
const problems = [
  ...mismatches,
  ...(checked < required ? [`only ${checked} exchanges went through the proxy, not ${required}`] : []),
  ...(given.length > 0 ? [] : unseen.map((operation) => `${operation}: no test got a 200 response`)),
];
for (const line of problems) process.stdout.write(`${line}\n`);
process.stdout.write(`${checked} exchanges checked, ${mismatched} mismatches\n`);
process.exitCode = passed && problems.length === 0 ? 0 : 1;
