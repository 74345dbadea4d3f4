import { afterEach, expect, test, vi } from "vitest";
import { openSandbox } from "./harness.ts";

const loadYaml = vi.hoisted(() => vi.fn());
vi.mock("yaml", (original) => {
  loadYaml();
  return original();
});

/** Every document in this file is JSON, so the YAML parser, which takes long to load, must not be loaded. */
afterEach(() => expect(loadYaml).not.toHaveBeenCalled());

/** The message for a seed that is refused. */
async function refusal(seed: string): Promise<string> {
  const sandbox = await openSandbox();
  return sandbox.seed(seed).then(
    () => "the seed was accepted",
    (error: unknown) => String(error),
  );
}

const rental = { rentalType: "virtual-machine", gpuCount: 1 };

test("a seed and a chat script in JSON are accepted", async () => {
  const sandbox = await openSandbox();
  await sandbox.seed(JSON.stringify({ rentals: [rental] }));
  await sandbox.chatScript.load(JSON.stringify([{ text: "Hello" }]));
  expect(sandbox.status().rentals.active).toBe(1);
});

test("a chat script of one reply on several lines may begin with a byte order mark", async () => {
  const sandbox = await openSandbox();
  await sandbox.chatScript.load('\ufeff{\n"text":\n"Hello"\n}\n');
  expect(sandbox.chatScript.show()).toHaveLength(1);
});

test.each([
  ["a value", '{\n"user":\n{"name": 1}}', "user.name must be a string (line 3)"],
  [
    "a value after a text with quotes",
    '{"user":{"name":"a\\"}\\n"},\n"x":1}',
    "x is not a field of a seed (line 2)",
  ],
  ["a key with an escape", '{\n"rent\\u0061ls":\n[\n1]}', "rentals.0 must be an object (line 4)"],
  ["a list in a list", '{"rentals": [\n{},\n[[],[\n]]]}', "rentals.1 must be an object (line 3)"],
  ["a required field that is missing", '{"rentals": [ ],\n"volumes": [\n{}]}', "(line 3)"],
  [
    "a field that does not fit the others",
    `{"rentals":[${JSON.stringify(rental)},\n{"rentalType":"virtual-machine",\n"gpuCount":0}]}`,
    "(line 3)",
  ],
])("the error for a seed in JSON names the line of %s", async (_, seed, message) => {
  expect(await refusal(seed)).toContain(message);
});

test("the error for a large seed in JSON names the line, too", async () => {
  const rentals = [...Array.from({ length: 6000 }, () => rental), { ...rental, gpuCount: "two" }];
  expect(await refusal(JSON.stringify({ rentals }, null, 2))).toMatch(
    /rentals\.6000\.gpuCount .* \(line 24005\)$/,
  );
});
