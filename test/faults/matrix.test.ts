import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { routes } from "../../src/contract/generated/routes.ts";
import type { OperationId } from "../../src/contract/index.ts";
import { deadOrigin } from "../client/server.ts";
import { createCli, type Outcome } from "../support/cli.ts";
import { commands, declarationOf, isCallOf, operationsOf } from "../support/commands.ts";
import { thorough } from "../support/thorough.ts";
import { typedAs } from "../support/typed.ts";
import { validInput, validValue } from "../support/valid-inputs.ts";
import { type Fault, faults, limits, timeout } from "./faults.ts";
import { faultyService } from "./service.ts";

// Only these two functions are faked, so that only the timeouts of requests use the fake clock (see `timeout`).
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterAll(() => {
  vi.useRealTimers();
});

/**
 * A command line for an operation, with the values that the operation requires; undefined if the operation has no
 * command of its own, or if no command line can express the values.
 */
function lineOf(id: OperationId): readonly string[] | undefined {
  const command = commands.find(({ operation }) => operation === id);
  const typed = command && typedAs(command, inputOf(id), "none");
  return typed && [...typed, `--timeout=${timeout}ms`, "--retries=1", "--yes", "--output=json"];
}

/** The fields that an operation requires; an update needs at least one. */
function inputOf(id: OperationId): Readonly<Record<string, unknown>> {
  const required = validInput(id);
  const [first] = routes[id].fields;
  const needsOne = routes[id].method === "PUT" && Object.keys(required).length === 0;
  return needsOne && first ? { [first.name]: validValue(first) } : required;
}

/** Every operation for which `lineOf` returns a command line. */
const operations = (Object.keys(routes) as OperationId[]).flatMap((id) => {
  const line = lineOf(id);
  if (line === undefined) return [];
  const { method, path, effect = "read" } = routes[id];
  const command = commandOf(id);
  const looks =
    effect !== "generate" &&
    effect !== "read" &&
    operationsOf(command).some((one) => routes[one].method === "GET");
  const isRequest = (request: string) => {
    const [ofRequest = "", place = ""] = request.split(" ");
    return isCallOf({ method, path }, ofRequest, place);
  };
  return [{ id, line, effect, method, looks, isRequest, shown: declarationOf(command).view.kind }];
});

/**
 * One operation of each kind. The kind is its effect, its method, whether its command looks up an unknown outcome, and
 * its view.
 */
const representatives = operations.filter(
  (one, at) => operations.findIndex((other) => isAlike(one, other)) === at,
);

function isAlike(one: (typeof operations)[number], other: (typeof operations)[number]): boolean {
  const properties = ["effect", "method", "looks", "shown"] as const;
  return properties.every((name) => one[name] === other[name]);
}

test("at least one operation of each effect is tried", () => {
  expect([...new Set(representatives.map(({ effect }) => effect))].sort()).toEqual([
    "destroy",
    "generate",
    "read",
    "spend",
    "write",
  ]);
});

/** The files that a run left behind, with what they contain. */
async function leftBehind(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder)).filter((name) => name !== "config" && name !== "state");
  return Object.fromEntries(
    await Promise.all(
      names.map(
        async (name): Promise<[string, string]> => [name, await readFile(join(folder, name), "utf8")],
      ),
    ),
  );
}

/** Checks the exit code, and the error document on stderr, which may follow other lines. */
function expectEnding({ code, err }: Outcome, [exitCode, errorCode]: Fault["read"]): void {
  const { error } = JSON.parse(err.slice(err.indexOf('{"error"')));
  expect({ code, exitCode: error.exitCode }).toEqual({ code: exitCode, exitCode });
  expect(error.code).toMatch(errorCode);
  if (exitCode === exit.unknownOutcome) expect(error.retryable).toBe(false);
}

describe.each(representatives)("$id ($effect)", ({ id, line, effect, isRequest, looks, method }) => {
  const isRead = effect === "read";

  const position = representatives.findIndex((one) => one.id === id);
  /** Half of the faults; the next operation gets the other half. In a thorough run, all faults. */
  const some = faults.filter((_, at) => thorough || (at + position) % 2 === 0);

  test.each(some)("has the expected exit code after a fault ($moment: $name)", async (fault) => {
    const { origin, transport, seen } = await faultyService(isRequest, fault.act);
    const cli = await createCli({ transport, limits });
    const outcome = await cli.run(line, { env: { GPUCTL_BASE_URL: origin, GPUCTL_API_KEY: "sk-test" } });
    expectEnding(outcome, isRead ? fault.read : fault.write);
    const sent = seen.flatMap((request, at) => (isRequest(request) ? [at] : []));
    expect(sent).toHaveLength(isRead && fault.retried ? 2 : 1);
    const isUnknown = outcome.code === exit.unknownOutcome;
    // After an unknown outcome, the command looks up what happened, if it can.
    if (looks) expect(seen.length > Number(sent[0]) + 1).toBe(isUnknown);
    // If the response is paid for, the part that arrived is kept.
    const files = await leftBehind(cli.folder);
    if (effect === "generate" && isUnknown && fault.arrives !== undefined) {
      expect(Object.values(files)).toEqual([fault.arrives]);
      expect(outcome.err).toContain(join(cli.folder, Object.keys(files)[0] ?? ""));
    } else if (effect !== "generate" || !isUnknown) expect(files).toEqual({});
    if (method !== "GET") expect(outcome.out).toBe("");
  });

  test("exits with a network error and leaves no files if the connection is refused", async () => {
    const { transport } = await faultyService(isRequest, () => {});
    const cli = await createCli({ transport });
    const outcome = await cli.run(line, {
      env: { GPUCTL_BASE_URL: await deadOrigin(), GPUCTL_API_KEY: "sk-test" },
    });
    expectEnding(outcome, [exit.network, "ECONNREFUSED"]);
    expect(await leftBehind(cli.folder)).toEqual({});
  });
});

function commandOf(id: OperationId) {
  const command = commands.find(({ operation }) => operation === id);
  if (command === undefined) throw new Error(`${id} has no command of its own`);
  return command;
}
