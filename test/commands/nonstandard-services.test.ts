import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import type { CommandNode } from "../../src/command-kit/tree.ts";
import { type OperationId, operations } from "../../src/contract/index.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { commands, operationsOf } from "../support/commands.ts";
import { differing, type NonstandardService, undescribed } from "../support/nonstandard-services.ts";
import { type Known, known, type Ran, travelling } from "../support/travels.ts";

const exitCodes = new Set<number>(Object.values(exit));

/** Where a command that asks for the description itself can end without one. */
const withoutDescription = new Set<number>([
  exit.done,
  exit.fault,
  exit.notFound,
  exit.service,
  exit.network,
]);
const goesByDescription = ({ operation }: CommandNode) =>
  operation === undefined || operation === "getOpenApiDocument";

/** The path of an operation whose replacement only a description names. */
function replacedOf(id: OperationId): string | undefined {
  const { path, deprecated, sunset }: Operation = operations[id];
  return deprecated && sunset === undefined ? path : undefined;
}

/** What of an outcome may not differ. */
const essence = ({ code, out }: Ran) => ({ code, out });

/** A health check that reports an unhealthy service is not a fault of the tool, though it ends with the same code. */
const reported = (code: unknown, exitCode: number): boolean =>
  exitCode !== exit.fault || code === "UNHEALTHY";

/** Nothing crashes, a failure says why in one document, and no write is sent more often than to the documented service. */
function expectOrderly({ line: { line }, ordinary }: Known, ran: Ran): void {
  expect(exitCodes, line).toContain(ran.code);
  expect(ran.writes.length, line).toBeLessThanOrEqual(ordinary.writes.length);
  if (ran.code === exit.done) return;
  expect(ran.out, line).toBe("");
  const [told = ""] = /^\{.*\}$/m.exec(ran.err) ?? [];
  const { error } = JSON.parse(told);
  expect(error, line).toMatchObject({ exitCode: ran.code, message: expect.stringMatching(/\w{3}/) });
  expect(reported(error.code, ran.code), `${line}: ${ran.err}`).toBe(true);
}

test("every command that has an operation calls the service here, and succeeds", async () => {
  const lines = await known();
  const sent = lines.map(({ line }) => line.spec.path.join(" "));
  const expected = commands.filter((spec) => operationsOf(spec).length > 0).map(({ path }) => path.join(" "));
  expect(sent).toEqual(expect.arrayContaining(expected));
  for (const { line, ordinary } of lines) {
    expectOrderly({ line, ordinary }, ordinary);
    // Its example is only shown: the end of the term is not one that a fresh sandbox agrees with.
    const refused = operationsOf(line.spec).includes("extendReserved");
    if (!goesByDescription(line.spec))
      expect(ordinary.code, line.line).toBe(refused ? exit.refused : exit.done);
  }
}, 60_000);

describe("a service that", () => {
  test.each(undescribed)(
    "$name changes nothing for commands that do not use the description",
    async (service) => {
      const { send } = await travelling();
      for (const one of await known()) {
        const ran = await send(one.line, service);
        expectOrderly(one, ran);
        if (goesByDescription(one.line.spec)) {
          expect(withoutDescription, `${one.line.line}: ${ran.err}`).toContain(ran.code);
          if (ran.code !== exit.done)
            expect(ran.err, one.line.line).toMatch(/description|lists no |does not list /);
        } else {
          expect(essence(ran), `${one.line.line}: ${ran.err}`).toEqual(essence(one.ordinary));
          expect(ran.writes, one.line.line).toEqual(one.ordinary.writes);
        }
      }
    },
    60_000,
  );

  test.each(differing)(
    "$name gives the same results",
    async (service) => {
      const { send } = await travelling();
      for (const one of await known()) {
        const ran = await send(one.line, service);
        expectOrderly(one, ran);
        if (!goesByDescription(one.line.spec)) {
          expect(essence(ran), `${one.line.line}: ${ran.err}`).toEqual(essence(one.ordinary));
          expect(ran.writes.length, one.line.line).toBe(one.ordinary.writes.length);
        }
      }
    },
    60_000,
  );

  test.each(undescribed)(
    "has only the replacements and $name: a command works, or names the path that is not there",
    async (undescribed) => {
      const { send } = await travelling();
      for (const one of await known()) {
        const replaced = operationsOf(one.line.spec)
          .map(replacedOf)
          .find((path) => path !== undefined);
        if (replaced === undefined) continue;
        const ran = await send(one.line, { ...undescribed, only: "replacements" });
        expectOrderly(one, ran);
        if (ran.code === exit.done) {
          expect(essence(ran), one.line.line).toEqual(essence(one.ordinary));
        } else {
          expect(ran, one.line.line).toMatchObject({ code: exit.notFound, writes: [] });
          expect(ran.err, one.line.line).toContain(replaced);
        }
      }
    },
    60_000,
  );
});

test("a description that never comes is waited for a moment, however long the user would wait", async () => {
  const { send } = await travelling();
  const service: NonstandardService = { name: "never", description: () => new Promise(() => {}) };
  const history = (await known()).find(({ line }) => operationsOf(line.spec).includes("listRentalHistory"));
  if (history === undefined) throw new Error("no command lists what has ended");
  const start = performance.now();
  const ran = await send({ ...history.line, line: `${history.line.line} --timeout 5m` }, service);
  expect(essence(ran)).toEqual(essence(history.ordinary));
  expect(performance.now() - start).toBeLessThan(10_000);
}, 60_000);
