import { expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { commands, declarationOf } from "../support/commands.ts";
import { runShown, speaksProtocol } from "../support/examples.ts";

const listen = async (_sandbox: unknown, { host, port }: { host: string; port: number }) => ({
  url: `http://${host}:${port}`,
  close: async () => {},
});

/** Runs an example with another output format, after the commands that prepare the example. */
async function shown(example: { command: string; after?: readonly string[] }, format: string) {
  const cli = await createCli({ listen });
  for (const line of example.after ?? []) await runShown(cli, line);
  const [command = ""] = example.command.split(" > ");
  const plain = command
    .replace(/ (?:-o|--output) \w+| --quiet/g, "")
    .replace(/ --columns \S+/, (columns) => (format === "json" ? "" : columns));
  return runShown(cli, plain.replace(/(?= -- )|$/, ` -o ${format}`));
}

/** The keys and types of a JSON value. Merges the elements of a list: a key that some elements lack gets a `?`. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [value.map(shapeOf).reduce(merged)];
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}

function merged(one: unknown, other: unknown): unknown {
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other].slice(0, 2).reduce(listOf, []);
  if (isShape(one) && isShape(other)) {
    const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    return Object.fromEntries(
      keys.map((key) => {
        const name = key.replace(/\?$/, "");
        const [left, right] = [one[key] ?? one[`${key}?`], other[key] ?? other[`${key}?`]];
        if (left === undefined || right === undefined) return [`${name}?`, left ?? right];
        return [key, merged(left, right)];
      }),
    );
  }
  return [...new Set([one, other].flatMap((type) => String(type).split(" | ")))].sort().join(" | ");
}

const listOf = (list: readonly unknown[], shape: unknown) => [
  list.length === 0 ? shape : merged(list[0], shape),
];
const isShape = (shape: unknown): shape is Readonly<Record<string, unknown>> =>
  typeof shape === "object" && shape !== null && !Array.isArray(shape);

/** Commands that print a document in a standard format, such as OpenAPI. */
const documents = commands.filter((command) => declarationOf(command).view.kind === "document");

const printing = commands.filter(({ path }) => !speaksProtocol.test(`gpuctl ${path.join(" ")}`));

test.each(printing.filter((spec) => !documents.includes(spec)))(
  "$path has a stable JSON shape and stable CSV columns",
  async ({ examples }) => {
    for (const example of examples) {
      const json = await shown(example, "json");
      expect(json.code, json.err).toBe(0);
      expect({ command: example.command, json: shapeOf(JSON.parse(json.out)) }).toMatchSnapshot();
    }
    // One example is enough: with few exceptions, all examples of a command have the same columns.
    const example = examples.find(({ command }) => !/--dry-run/.test(command));
    if (example === undefined) return;
    const csv = await shown(example, "csv");
    expect(csv.code, csv.err).toBe(0);
    expect(csv.out.split("\r\n")[0]).toMatchSnapshot("columns");
  },
);

test.each(documents)("$path prints one document in every format", async ({ examples: [example] }) => {
  if (example === undefined) throw new Error("it has no example");
  const [json, csv] = [await shown(example, "json"), await shown(example, "csv")];
  expect(csv.out).toBe(json.out);
  expect(Object.keys(JSON.parse(json.out) ?? {})).toMatchSnapshot();
});
