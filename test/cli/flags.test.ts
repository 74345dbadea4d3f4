import { describe, expect, test } from "vitest";
import { parse } from "../../src/cli/parse/program.ts";
import { valuesOf } from "../../src/cli/parse/values.ts";
import type { CommandNode } from "../../src/command-kit/tree.ts";
import { routes } from "../../src/contract/generated/routes.ts";
import type { Field } from "../../src/contract/plain/field.ts";
import { quoted } from "../../src/core/text.ts";
import { createCli } from "../support/cli.ts";
import { commands } from "../support/commands.ts";
import { anyCharacter, fc } from "../support/property.ts";
import { typedAs } from "../support/typed.ts";
import { words } from "../support/words.ts";

/** A string that does not start like a flag. */
const word = fc.string({ unit: anyCharacter }).filter((text) => !text.startsWith("-"));
const name = fc.stringMatching(/^[A-Za-z][\w.-]{0,20}$/);
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })
  .map((value) => value + 0);

/** Values that a flag can express, whether or not the contract's limits allow them. */
function values({ kind, choices, item }: Pick<Field, "kind" | "choices" | "item">): fc.Arbitrary<unknown> {
  if (choices) return fc.constantFrom(...choices);
  switch (kind) {
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.maxSafeInteger();
    case "number":
      return number;
    case "id":
      return fc.oneof(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), name);
    case "list":
      return fc.array(values(item ?? { kind: "string" }), { minLength: 1, maxLength: 5 });
    case "map":
      return fc.dictionary(name, values(item ?? { kind: "string" }), { minKeys: 1, noNullPrototype: true });
    default:
      return word;
  }
}

const computedFields = ({ flags, args }: CommandNode) => [
  ...flags.flatMap(({ setsFields = [] }) => setsFields.map((path) => path.split(".")[0])),
  ...args.map(({ derivedField }) => derivedField),
];

/** Fields that can take their value unchanged from a flag or argument; the command computes the others. */
const plainFields = (spec: CommandNode) =>
  (spec.operation === undefined ? [] : routes[spec.operation].fields).filter(
    (field) => !computedFields(spec).includes(field.name) || !["shapes", "list"].includes(field.kind),
  );

const commandsWithPlainFields = commands.filter((spec) => plainFields(spec).length > 0 && !spec.defaulted);

test.each(commandsWithPlainFields)("the values that a user types for $path arrive unchanged", (spec) => {
  const positional = (field: string) => spec.args.some((one) => one.field === field);
  const record = Object.fromEntries(plainFields(spec).map((field) => [field.name, values(field)]));
  const requiredKeys = Object.keys(record).filter(positional);
  fc.assert(
    fc.property(fc.record(record, { requiredKeys }), (input) => {
      const argv = typedAs(spec, input, "picture.png") ?? [];
      const parsed = parse(argv, "0.0.0");
      if (!("command" in parsed)) throw new Error("no command");
      expect(valuesOf(parsed).input).toEqual(input);
    }),
  );
});

test("an argument without quotes or backslashes is unchanged after it is quoted and parsed as a shell parses it", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ minLength: 1 }).filter((text) => !/["\\']/.test(text)),
        { minLength: 1 },
      ),
      (line) => {
        expect(words(line.map(quoted).join(" "))).toEqual(line);
      },
    ),
  );
});

describe("a name that is special in JavaScript", () => {
  test.each(["", " --lora Add_Detail:0.5"])("cannot name a LoRA: --lora __proto__:5%s", async (more) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(`image cat --lora __proto__:5${more} --sandbox`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain('--lora cannot contain the name "__proto__"');
    expect(await run("image cat --lora constructor:1 --sandbox")).toMatchObject({ code: 2, requests: [] });
  });

  test.each([
    ["chat hi -o json --param __proto__=1", 1],
    [`chat hi -o json --param '__proto__={"polluted":1}'`, { polluted: 1 }],
    ["api call POST /v1/chat/completions -f __proto__=1 --no-validate", "1"],
    ["api call POST /v1/chat/completions -f __proto__[polluted]=1 --no-validate", { polluted: "1" }],
  ])("is sent unchanged: %s", async (line, value) => {
    const { run } = await createCli();
    const { requests } = await run(line, { env: { GPUCTL_SANDBOX: "1" } });
    const body = Object(requests.at(-1)?.body);
    expect(Object.getOwnPropertyDescriptor(body, "__proto__")?.value).toEqual(value);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});
