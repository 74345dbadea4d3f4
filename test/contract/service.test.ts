import { describe, expect, test } from "vitest";
import { type CommandNode, flagsThatSet } from "../../src/command-kit/tree.ts";
import { check } from "../../src/contract/check/check.ts";
import { openApi } from "../../src/contract/document/openapi.ts";
import { operations } from "../../src/contract/index.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { type Cli, createCli } from "../support/cli.ts";
import { commands } from "../support/commands.ts";
import { typedAs } from "../support/typed.ts";
import { errors, picturePrices, serviceTable, tags } from "./service-table.ts";

const all: readonly Operation[] = Object.values(operations);
const documented = all.filter(({ assumed }) => !assumed);
const description = openApi(all, { servers: ["https://api.example.com"] });
const nameOf = ({ method, path }: Pick<Operation, "method" | "path">) => `${method} ${path}`;

/** The description of an operation, as plain JSON. */
const described = ({ path, method }: Operation) =>
  Object(Object(description.paths[path])[method.toLowerCase()]);

function operationOf(name: string): Operation {
  const operation = documented.find((one) => nameOf(one) === name);
  if (operation === undefined) throw new Error(`No operation is ${name}`);
  return operation;
}

const rows = Object.entries(serviceTable).map(([name, row]) => ({ name, row, operation: operationOf(name) }));

test("the documented operations are those of the service", () => {
  expect(documented.map(nameOf).sort()).toEqual(Object.keys(serviceTable).sort());
});

test("the description has the documented tags, and the tag inference", () => {
  expect(description.tags?.map((tag) => Object(tag).name)).toEqual([...tags, "inference"]);
});

test.each(rows)("$name has the documented host, statuses and deprecation", ({ row, operation }) => {
  const { host, deprecated, sunset, replacedBy } = operation;
  expect({ host, deprecated, sunset, replacedBy: replacedBy && nameOf(replacedBy) }).toEqual({
    host: row.host ?? "compute",
    deprecated: row.deprecated,
    sunset: row.sunset,
    replacedBy: row.replacedBy,
  });
  const { responses } = described(operation);
  expect(Object.keys(responses).map(Number)).toEqual([200, ...row.failures]);
  for (const status of row.failures) {
    const [code, message] = errors[status] ?? [];
    const { example } = responses[status].content["application/json"];
    expect(example).toEqual({ code, message, issues: [] });
  }
});

interface Described {
  readonly required: boolean;
  readonly default: unknown;
  readonly schema: unknown;
}

/** The fields of an operation in the description. */
function describedFields(operation: Operation): Record<string, Described> {
  const { parameters = [], requestBody } = described(operation);
  const body = requestBody?.content["application/json"].schema ?? { properties: {}, required: [] };
  const found: [string, Described][] = [
    ...parameters.map(
      ({
        name,
        required = false,
        schema,
      }: {
        name: string;
        required?: boolean;
        schema: unknown;
      }): [string, Described] => [name, withoutProse(schema, required)],
    ),
    ...Object.entries(body.properties).map(([name, schema]): [string, Described] => [
      name,
      withoutProse(schema, (body.required ?? []).includes(name)),
    ]),
  ];
  return Object.fromEntries(found);
}

function withoutProse(described: unknown, required: boolean): Described {
  const { description: _, default: initial, ...schema } = Object(described);
  return { required, default: initial, schema };
}

describe.each(rows)("in the description, $name", ({ row, operation }) => {
  const fields = describedFields(operation);

  test("has the documented fields", () => {
    expect(Object.keys(fields).sort()).toEqual(Object.keys(row.fields ?? {}).sort());
  });

  test.each(Object.entries(row.fields ?? {}))("has the documented limits of %s", (name, field) => {
    const { required = false, default: initial, schema } = field;
    expect(fields[name]).toEqual({
      required,
      default: initial,
      schema: Object.keys(schema).length === 0 ? expect.anything() : schema,
    });
  });
});

/**
 * Calls the sandbox without the command line. Returns the names of the fields that it rejects. The request is aborted
 * from the start: the sandbox still checks the input, but draws no picture.
 */
async function rejectedBy({ sandbox }: Cli, operation: Operation, input: object): Promise<readonly string[]> {
  const { method, path, in: place } = operation;
  const url = new URL(path, "http://sandbox.localhost");
  if (place === "query")
    for (const [name, value] of Object.entries(input)) url.searchParams.set(name, String(value));
  const headers = { authorization: `Bearer ${sandbox.keys.full}`, "content-type": "application/json" };
  const body = place === "body" ? { body: JSON.stringify(input) } : {};
  const signal = AbortSignal.abort();
  const request = new Request(url, { method, headers, ...body, signal });
  const response = await sandbox.fetch(request).catch((error) => {
    if (error?.name !== "AbortError") throw error;
  });
  if (response?.status !== 400) return [];
  const { code, message, issues } = Object(await response.json());
  expect([code, message]).toEqual(errors[400]);
  return issues.map(({ path: [field] }: { path: readonly unknown[] }) => field);
}

/**
 * The command and arguments that send this input. Undefined if the operation has no command, or if no command line can
 * express the input.
 */
function typed(
  operation: Operation,
  input: object,
): { words: readonly string[]; command: CommandNode } | undefined {
  const command = commands.find((one) => one.operation === operation.id);
  const words = command && typedAs(command, { ...input }, "reference.png");
  return words && { words, command };
}

const cases = rows.flatMap(({ name, row, operation }) =>
  Object.entries(row.fields ?? {}).map(([field, { schema, accepts, rejects, required, isReference }]) => ({
    name,
    field,
    operation,
    isReference,
    isText: schema.type === "string",
    accepted: accepts.map((value) => ({ ...row.input, [field]: value })),
    rejected: [
      ...rejects.map((value) => ({ ...row.input, [field]: value })),
      ...(required ? [without(Object(row.input), field)] : []),
    ],
  })),
);

function without(input: Record<string, unknown>, field: string): object {
  const { [field]: _, ...others } = input;
  return others;
}

describe.each(cases)("$name: $field", ({ field, operation, isReference, isText, accepted, rejected }) => {
  test("the contract accepts and rejects the documented values", () => {
    for (const input of accepted)
      expect(check(operation, input), JSON.stringify(input)).toMatchObject({ ok: true });
    for (const input of rejected)
      expect(check(operation, input), JSON.stringify(input)).toMatchObject({ ok: false });
  });

  test("the sandbox accepts and rejects the documented values", async () => {
    const cli = await createCli();
    for (const input of isReference ? [] : accepted)
      expect(await rejectedBy(cli, operation, input), JSON.stringify(input)).not.toContain(field);
    for (const input of rejected)
      expect(await rejectedBy(cli, operation, input), JSON.stringify(input)).toContain(field);
  });

  test("the command accepts and rejects the documented values", async () => {
    const { run } = await createCli();
    const flags = ["--sandbox", "--dry-run", "--yes"];
    for (const input of accepted) {
      const line = typed(operation, input);
      if (line === undefined) continue;
      const { code, err } = await run([...line.words, ...flags]);
      expect(code, `${line.words.join(" ")}: ${err}`).toBe(0);
    }
    // On a command line, every value is text: a text field cannot get a number.
    for (const input of rejected.filter((one) => !isText || typeof Object(one)[field] === "string")) {
      const line = typed(operation, input);
      if (line === undefined) continue;
      const { code, err } = await run([...line.words, ...flags]);
      expect(code, line.words.join(" ")).toBe(2);
      expect(
        flagsThatSet(line.command, [field]).some((flag) => err.includes(flag)),
        err,
      ).toBe(true);
    }
  });
});

const acrossFields = rows.filter(({ row }) => row.breaks);

test.each(acrossFields)(
  "$name: rules across fields hold in the sandbox and the command",
  async ({ row, operation }) => {
    const cli = await createCli();
    for (const [field, changes] of row.breaks ?? []) {
      const input = { ...row.input, ...changes };
      expect(await rejectedBy(cli, operation, input), JSON.stringify(changes)).toContain(field);
      const line = typed(operation, without(input, "image"));
      if (field === "image" || line === undefined) continue;
      expect((await cli.run([...line.words, "--sandbox", "--dry-run"])).code, line.words.join(" ")).toBe(2);
    }
    for (const changes of row.follows ?? []) {
      const line = typed(operation, { ...row.input, ...changes });
      const { code, err } = await cli.run([...(line?.words ?? []), "--sandbox", "--dry-run"]);
      expect(code, `${line?.words.join(" ")}: ${err}`).toBe(0);
    }
  },
);

test.each(picturePrices)("a picture of $width x $height in $steps steps costs $dollars", async (picture) => {
  const { run } = await createCli();
  const { width, height, steps, dollars } = picture;
  const { out } = await run(`image price --size ${width}x${height} --steps ${steps} -o json`);
  expect(out).toContain(`: ${dollars}`);
});

test.each([
  ["no credential", 401, undefined],
  ["a key that may only read", 403, "readOnly"],
] as const)("a request with %s fails as documented", async (_what, status, key) => {
  const { sandbox } = await createCli();
  const [code, message] = errors[status] ?? [];
  for (const { operation, row } of rows.filter((one) => one.row.failures.includes(status))) {
    if (key && operation.method === "GET") continue;
    const headers = key ? { authorization: `Bearer ${sandbox.keys[key]}` } : undefined;
    const request = new Request(new URL(operation.path, "http://sandbox.localhost"), {
      method: operation.method,
      ...(headers && { headers }),
      ...(operation.in === "body" && { body: JSON.stringify(row.input) }),
    });
    const response = await sandbox.fetch(request);
    expect(response.status, nameOf(operation)).toBe(status);
    // The error of an inference endpoint has more fields, which the service does not document (service section 7).
    const body = { code, message, issues: [] };
    expect(await response.json()).toEqual(
      operation.host === "inference" ? expect.objectContaining(body) : body,
    );
  }
});
