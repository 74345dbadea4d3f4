import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import type { CommandNode } from "../../src/command-kit/tree.ts";
import { type OperationId, operations } from "../../src/contract/index.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { operationsOf } from "../support/commands.ts";
import { differing, type NonstandardService, undescribed } from "../support/nonstandard-services.ts";
import {
  type Baseline,
  baselines,
  independent,
  type ServiceOutcome,
  serviceHarness,
} from "../support/service-changes.ts";
import { thorough } from "../support/thorough.ts";

const exitCodes = new Set<number>(Object.values(exit));

/** The exit codes that a command may return if it requires the service's description, which is not available. */
const withoutDescription = new Set<number>([
  exit.done,
  exit.fault,
  exit.notFound,
  exit.service,
  exit.network,
]);
const needsDescription = ({ operation }: CommandNode) =>
  operation === undefined || operation === "getOpenApiDocument";

/** The path of the operation if it is deprecated and its replacement is known only from a description. */
function replacedOf(id: OperationId): string | undefined {
  const { path, deprecated, sunset }: Operation = operations[id];
  return deprecated && sunset === undefined ? path : undefined;
}

/** The part of an outcome that must be the same for every service. */
const result = ({ code, out }: ServiceOutcome) => ({ code, out });

/**
 * Whether a failure is expected: every failure except an internal error. A failed check of `doctor` is expected,
 * although it has the same exit code as an internal error.
 */
const isExpectedFailure = (code: unknown, exitCode: number): boolean =>
  exitCode !== exit.fault || code === "UNHEALTHY";

/**
 * Expects no internal error and no repeated write. If the command failed, also expects an error in JSON on stderr, and
 * nothing on stdout.
 */
function expectCleanOutcome({ line: { line }, outcome }: Baseline, ran: ServiceOutcome): void {
  expect(exitCodes, line).toContain(ran.code);
  expect(ran.writes.length, line).toBeLessThanOrEqual(outcome.writes.length);
  if (ran.code === exit.done) return;
  expect(ran.out, line).toBe("");
  const [json = ""] = /^\{.*\}$/m.exec(ran.err) ?? [];
  const { error } = JSON.parse(json);
  expect(error, line).toMatchObject({ exitCode: ran.code, message: expect.stringMatching(/\w{3}/) });
  expect(isExpectedFailure(error.code, ran.code), `${line}: ${ran.err}`).toBe(true);
}

test("every independent command with an operation is run with the documented service, and succeeds unless it needs a description", async () => {
  const lines = await baselines();
  const sent = lines.map(({ line }) => line.spec.path.join(" "));
  const expected = independent
    .filter((spec) => operationsOf(spec).length > 0)
    .map(({ path }) => path.join(" "));
  expect(sent).toEqual(expect.arrayContaining(expected));
  for (const { line, outcome } of lines) {
    expectCleanOutcome({ line, outcome }, outcome);
    if (!needsDescription(line.spec)) expect(outcome.code, line.line).toBe(exit.done);
  }
});

/** The command lines for the nth service: every twelfth line, from line n modulo 12. `thorough` selects all lines. */
const linesFor = async (
  service: NonstandardService,
  services: readonly NonstandardService[],
): Promise<readonly Baseline[]> =>
  (await baselines()).filter((_, position) => thorough || position % 12 === services.indexOf(service) % 12);

describe("a nonstandard service that", () => {
  test.each(undescribed)(
    "$name: commands that do not use the description have the same results as with a usable description",
    async (service) => {
      const { send } = await serviceHarness();
      for (const one of await linesFor(service, undescribed)) {
        const ran = await send(one.line, service);
        expectCleanOutcome(one, ran);
        if (needsDescription(one.line.spec)) {
          expect(withoutDescription, `${one.line.line}: ${ran.err}`).toContain(ran.code);
          if (ran.code !== exit.done)
            expect(ran.err, one.line.line).toMatch(/description|lists no |does not list /);
        } else {
          expect(result(ran), `${one.line.line}: ${ran.err}`).toEqual(result(one.outcome));
          expect(ran.writes, one.line.line).toEqual(one.outcome.writes);
        }
      }
    },
  );

  test.each(differing)(
    "$name: commands that do not use the description have the same results as with the documented service",
    async (service) => {
      const { send } = await serviceHarness();
      for (const one of await linesFor(service, differing)) {
        const ran = await send(one.line, service);
        expectCleanOutcome(one, ran);
        if (!needsDescription(one.line.spec)) {
          expect(result(ran), `${one.line.line}: ${ran.err}`).toEqual(result(one.outcome));
          expect(ran.writes.length, one.line.line).toBe(one.outcome.writes.length);
        }
      }
    },
  );

  test.each(undescribed)(
    "has only the replacements and $name: each command for a replaced operation succeeds, or its error names the missing path",
    async (service) => {
      const { send } = await serviceHarness();
      for (const one of await linesFor(service, undescribed)) {
        const replaced = operationsOf(one.line.spec)
          .map(replacedOf)
          .find((path) => path !== undefined);
        if (replaced === undefined) continue;
        const ran = await send(one.line, { ...service, only: "replacements" });
        expectCleanOutcome(one, ran);
        if (ran.code === exit.done) {
          expect(result(ran), one.line.line).toEqual(result(one.outcome));
        } else {
          expect(ran, one.line.line).toMatchObject({ code: exit.notFound, writes: [] });
          expect(ran.err, one.line.line).toContain(replaced);
        }
      }
    },
  );
});

test("gpuctl waits only briefly for a description that never arrives, whatever --timeout is", async () => {
  const { send } = await serviceHarness();
  const service: NonstandardService = { name: "never", description: () => new Promise(() => {}) };
  const history = (await baselines()).find(({ line }) =>
    operationsOf(line.spec).includes("listRentalHistory"),
  );
  if (history === undefined) throw new Error("no command lists ended rentals");
  const start = performance.now();
  const ran = await send({ ...history.line, line: `${history.line.line} --timeout 5m` }, service);
  expect(result(ran)).toEqual(result(history.outcome));
  expect(performance.now() - start).toBeLessThan(60_000);
});
