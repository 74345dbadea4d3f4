import { describe, expect, test } from "vitest";
import { nouns } from "../../src/cli/generated/tree.ts";
import { createCli } from "../support/cli.ts";

const readsText = nouns
  .flatMap(({ commands }) => commands)
  .filter(({ args }) => args.some(({ stdin }) => stdin !== undefined))
  .map(({ path }) => path.join(" "));

/** Command lines that read stdin, one for each way of doing so. */
const lines = [
  ...readsText.map((path) => `${path} --sandbox`),
  "chat Hello --sandbox",
  "chat Hello --no-stdin --system @- --sandbox",
  "image cat --image - --sandbox",
  "image --from - --sandbox",
  "image --from old.png --sandbox",
  "tts --file - --sandbox",
  "api call createVirtualMachineRental --input - --sandbox",
  "api call POST /v2/x -F label=- --sandbox",
  "auth login --with-token --base-url https://api.example.com",
  "sandbox seed - --yes",
  "sandbox restore - --yes",
];

test("chat, image and tts read a text from stdin", () => {
  expect(readsText).toEqual(["image", "chat", "tts"]);
});

describe("Ctrl-C while reading stdin", () => {
  test.each(lines)("ends %s at once, and nothing is sent", async (line) => {
    const controller = new AbortController();
    const stdin = { onWait: () => controller.abort() };
    const { run } = await createCli();
    const { code, out, err, requests } = await run(line, { stdin, signal: controller.signal });
    expect({ code, out, requests }).toEqual({ code: 130, out: "", requests: [] });
    expect(err).toMatch(/^Reading stdin until it ends.*\.\nError: interrupted\n$/);
  });

  test.each(lines)("ends %s even if Ctrl-C also ends the input, and nothing is sent", async (line) => {
    const controller = new AbortController();
    const stdin = { onWait: () => controller.abort(), ends: "part of a tex" };
    const { run } = await createCli();
    const { code, out, requests } = await run(line, { stdin, signal: controller.signal });
    expect({ code, out, requests }).toEqual({ code: 130, out: "", requests: [] });
  });
});

describe("a pipe that stays open", () => {
  const stdin = { ends: "from the pipe" };
  const note = "Reading stdin until it ends; --no-stdin skips it.\n";

  test("is reported on stderr, with the flag that makes gpuctl ignore the pipe", async () => {
    const { run } = await createCli();
    const { code, err, requests } = await run("chat Hello --sandbox", { stdin });
    expect({ code, err }).toEqual({ code: 0, err: note });
    expect(requests[0]?.body).toMatchObject({ messages: [{ content: "from the pipe\n\nHello" }] });
  });

  test("is not reported with --quiet", async () => {
    const { run } = await createCli();
    expect(await run("chat Hello --quiet --sandbox", { stdin })).toMatchObject({ code: 0, err: "" });
  });

  test("is reported with a machine-readable format only on a terminal", async () => {
    const { run } = await createCli();
    const line = "chat Hello -o json --sandbox";
    expect((await run(line, { stdin })).err).toBe("");
    expect((await run(line, { stdin, terminal: 80 })).err).toContain(note.trim());
  });

  test("is reported without a mention of --no-stdin if the user named stdin as the input", async () => {
    const { run } = await createCli();
    const { err } = await run("tts --file - --sandbox", { stdin });
    expect(err).toMatch(/^Reading stdin until it ends\.\n/);
  });
});

describe("--no-stdin", () => {
  test.each([
    ["chat Hello", { messages: [{ role: "user", content: "Hello" }] }],
    ["image cat", { prompt: "cat" }],
    ["tts Hello", { text: "Hello" }],
  ])("leaves stdin unread: %s", async (line, body) => {
    const { run } = await createCli();
    const { code, requests } = await run(`${line} --no-stdin --sandbox`, { stdin: "the next line\n" });
    expect(code).toBe(0);
    expect(requests[0]?.body).toMatchObject(body);
  });

  test.each([
    ["image", "PROMPT (What the image shows)"],
    ["chat", "MESSAGE (Message to send)"],
    ["tts", "TEXT (Text to speak)"],
  ])("makes %s report that its argument is missing", async (path, argument) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(`${path} --no-stdin --sandbox`, { stdin: "a text" });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toBe(`Error: missing required input: ${argument}\n`);
  });

  test("is shown in an example of a loop in the help of chat", async () => {
    const { run } = await createCli();
    expect((await run("chat --help")).out).toContain(
      '\n  seq 3 | while read -r line; do gpuctl chat "$line" --no-stdin --sandbox; done\n',
    );
  });
});
