import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type CommandNode, type Example, flagsThatSet } from "../../src/command-kit/tree.ts";
import { check } from "../../src/contract/check/check.ts";
import { type OperationId, operations } from "../../src/contract/index.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { handlers } from "../../src/sandbox/handlers/index.ts";
import { type Cli, createCli, type Responder, type SeenRequest } from "../support/cli.ts";
import { commands, isCallOf, operationsOf } from "../support/commands.ts";
import { runShown } from "../support/examples.ts";
import { type NegativeInput, negativeInputs } from "../support/negative.ts";
import { tinyPng } from "../support/pictures.ts";
import { thorough } from "../support/thorough.ts";
import { typedAs } from "../support/typed.ts";

const ids = Object.keys(operations) as OperationId[];
const callers = (id: OperationId) => commands.filter((spec) => operationsOf(spec).includes(id));

/** The command whose flags set the fields of the operation. */
function mainCaller(id: OperationId): CommandNode {
  const spec = commands.find(({ operation }) => operation === id);
  if (spec === undefined) throw new Error(`No command has ${id} as its operation`);
  return spec;
}

test.each(ids)("%s has a command and a handler in the sandbox", (id) => {
  expect(callers(id).map(({ path }) => path.join(" "))).not.toEqual([]);
  expect(handlers[id]).toBeTypeOf("function");
});

/** The requests of an example. The example is run without `--dry-run`, so that the requests are sent. */
async function requestsOf(
  { command, after = [] }: Example,
  respond?: Responder,
): Promise<readonly SeenRequest[]> {
  const cli = await createCli({ ...(respond && { respond }) });
  for (const line of after) await runShown(cli, line);
  return (await runShown(cli, command.replace(" --dry-run", ""))).requests;
}

/** The requests of each example that was already run. An example can be checked for several operations. */
const known = new Map<Example, Promise<readonly SeenRequest[]>>();

function requestsOnce(example: Example): Promise<readonly SeenRequest[]> {
  const requests = known.get(example) ?? requestsOf(example);
  known.set(example, requests);
  return requests;
}

test.each(ids)("a command that declares %s has an example that calls the operation", async (id) => {
  const operation: Operation = operations[id];
  const { replacedBy } = operation;
  const replacementIsMissing: Responder = ({ path, method }) =>
    replacedBy?.path === path && replacedBy.method === method
      ? Response.json({ code: "NOT_FOUND", message: "Not found", issues: [] }, { status: 404 })
      : undefined;
  const reaching: Example[] = [];
  for (const example of callers(id).flatMap(({ examples }) => examples)) {
    const requests = await (operation.sunset
      ? requestsOf(example, replacementIsMissing)
      : requestsOnce(example));
    if (requests.some(({ method, path }) => isCallOf(operation, method, path))) {
      reaching.push(example);
      break;
    }
  }
  expect(reaching).not.toEqual([]);
});

async function cliWithPicture(): Promise<Cli & { picture: string }> {
  const cli = await createCli();
  const picture = "reference.png";
  await writeFile(join(cli.folder, picture), tinyPng());
  return { ...cli, picture };
}

/** The status of the response if this input is sent directly to the sandbox, without a command. */
async function statusOf(cli: Cli, { operation, input }: NegativeInput): Promise<number> {
  const { method, path, in: place }: Operation = operations[operation];
  const url = new URL(path, "http://sandbox.localhost");
  if (place === "query")
    for (const [name, value] of Object.entries(input)) url.searchParams.set(name, String(value));
  const headers = { authorization: `Bearer ${cli.sandbox.keys.full}`, "content-type": "application/json" };
  const init = place === "body" ? { method, headers, body: JSON.stringify(input) } : { method, headers };
  return (await cli.sandbox.fetch(new Request(url, init))).status;
}

/** For each issue of an input, the flags and arguments that could have caused the issue. */
function flagsAtFault(
  spec: CommandNode,
  { operation, input }: NegativeInput,
): readonly (readonly string[])[] {
  const result = check(operations[operation] as Operation, input);
  return result.ok ? [] : result.issues.map(({ path }) => flagsThatSet(spec, path));
}

const negatives = ids.flatMap((id) => negativeInputs(id));

describe.each(negatives.map((negative, position) => ({ ...negative, negative, position })))(
  "the operation $operation with an invalid value at $path (limit: $limit)",
  ({ negative, position }) => {
    const spec = mainCaller(negative.operation);
    const typed = typedAs(spec, negative.input, "reference.png");

    test("is rejected by the service, and the command names the flag and sends nothing", async () => {
      const cli = await cliWithPicture();
      expect(await statusOf(cli, negative)).toBe(400);
      if (typed === undefined) return;
      const { code, out, err, requests } = await cli.run([...typed, "--sandbox"]);
      expect({ code, out, requests }).toEqual({ code: 2, out: "", requests: [] });
      for (const names of flagsAtFault(spec, negative)) {
        expect(
          names.some((name) => err.includes(name)),
          `${names} in ${err}`,
        ).toBe(true);
      }
    });

    // The test above shows that the service rejects each input, so the next test sends only every fourth input through
    // a command, or every input in a thorough run.
    if (typed === undefined || (position % 4 > 0 && !thorough)) return;
    // Without a value for the parameter in its path, the operation has no URL to which a request could be sent.
    if (operations[negative.operation].path.includes(`{${negative.path[0]}}`)) return;

    test("is rejected by the service if the command is run with --no-validate", async () => {
      const { run } = await cliWithPicture();
      const { code, out, err } = await run([...typed, "--sandbox", "--no-validate"]);
      expect({ code, out }).toEqual({ code: 6, out: "" });
      expect(err).toContain("400 BAD_REQUEST");
    });
  },
);

const valueAt = (input: unknown, path: NegativeInput["path"]): unknown =>
  path.reduce((inside, step) => Object(inside)[step], input);

/** The reason why no command line can express this invalid input. Undefined if no reason is known. */
function reason({ path, limit, input, operation }: NegativeInput): string | undefined {
  const value = valueAt(input, path);
  if (Array.isArray(value) && value.length === 0) return "a missing flag is not an empty list";
  if (limit === "boolean" || limit === "constant") return "a switch is on or off";
  if (typeof value === "number" && limit.startsWith("id "))
    return "digits that are not a valid numeric ID are sent as a string ID";
  if (value === undefined && path.length > 1) return "a flag sets an object with all its fields";
  if (String(path[0]) in (mainCaller(operation).defaulted ?? {})) return "the command has a default";
  return undefined;
}

test("an invalid input that no command line can express has a known reason", () => {
  const untypable = negatives.filter(
    ({ operation, input }) => typedAs(mainCaller(operation), input, "reference.png") === undefined,
  );
  expect(untypable.filter((negative) => reason(negative) === undefined)).toEqual([]);
  expect(untypable.length).toBeLessThan(negatives.length / 3);
});
