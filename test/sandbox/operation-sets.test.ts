import { describe, expect, test } from "vitest";
import type { Operation } from "../../src/contract/operation.ts";
import { type OperationSetName, operationSetNames } from "../../src/core/sandbox.ts";
import { type ServedId, servedOperations } from "../../src/sandbox/assumed/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { openSandbox, origin } from "./harness.ts";

const all: readonly Operation<ServedId>[] = Object.values(servedOperations);
/** Whether an operation is assumed, but does not replace a deprecated one. */
const isAssumed = ({ assumed, path }: Operation) => assumed === true && !isNewer(path);
/** Whether the path belongs to the operations that replace deprecated ones for rentals. */
const isNewer = (path: string) => /\/on-demand\/rentals(\/|$)/.test(path);

/** Which operations belong to a set, computed independently of the sandbox. */
const belongs: Readonly<Record<OperationSetName | "all", (operation: Operation) => boolean>> = {
  documented: ({ assumed }) => !assumed,
  legacy: ({ assumed, path }) => !assumed && path !== "/v2/users/me",
  replacements: (operation) => !operation.deprecated && !isAssumed(operation),
  all: () => true,
};

const cases = [...operationSetNames, "all"] as const;
const opened = (name: (typeof cases)[number]) => openSandbox({ only: name === "all" ? undefined : name });

describe.each(cases)("the operation set %s", (name) => {
  const expected = all.filter(belongs[name]);

  test("has a description of its own operations and no others", async () => {
    const { paths } = await (await opened(name)).ask("getOpenApiDocument");
    const described = Object.values(paths).flatMap((methods) => Object.values(Object(methods)));
    expect(described.map((one) => Object(one).operationId).sort()).toEqual(
      expected.map(({ id }) => id).sort(),
    );
  });

  test.each(all)("has a route for $id only if the set contains that operation", async (operation) => {
    const sandbox = await opened(name);
    const url = new URL(operation.path.replace(/\{\w+\}/, "1"), origin);
    const { status } = await sandbox.fetch(new Request(url, { method: operation.method }));
    const expectedStatus = operation.open ? 200 : 401;
    expect(status).toBe(expected.includes(operation) ? expectedStatus : 404);
  });
});

test("operation sets share their state", async () => {
  const sandbox = await openSandbox({ only: "legacy" });
  const { id } = await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  const headers = { authorization: `Bearer ${sandbox.keys.full}` };
  const active = await sandbox
    .withOperationSet("replacements")
    .fetch(new Request(`${origin}${servedOperations.listActiveRentals.path}`, { headers }));
  expect(await active.json()).toMatchObject({ items: [{ id }], nextCursor: null });
  // Without a name, the handler serves the sandbox's own set. It has this operation, which "replacements" lacks.
  const own = await sandbox
    .withOperationSet(undefined)
    .fetch(new Request(`${origin}/users/me`, { method: "PUT" }));
  expect(own.status).toBe(401);
});

test("an unknown operation set causes a clear error, and no state is opened", async () => {
  const options = JSON.parse('{"file": "/nowhere/at/all", "only": "newest"}');
  await expect(createSandbox(options)).rejects.toThrow(
    new TypeError('the option "only" must be one of documented, replacements, legacy, not "newest"'),
  );
});
