import { describe, expect, test } from "vitest";
import { nouns } from "../../src/cli/generated/tree.ts";
import { createCli } from "../support/cli.ts";
import { always, key, overNetwork } from "../support/service.ts";

const list = "volumes list --retries 0";

describe("exit codes of responses", () => {
  test.each([
    [400, 6],
    [401, 3],
    [403, 4],
    [404, 5],
    [405, 5],
    [408, 9],
    [409, 6],
    [410, 5],
    [422, 6],
    [429, 9],
    [500, 7],
    [501, 5],
    [503, 7],
  ])("a read that gets a %i exits with %i", async (status, code) => {
    const { run } = await createCli({ respond: always(status, { code: "X", message: "no", issues: [] }) });
    const outcome = await run(list, overNetwork());
    expect(outcome).toMatchObject({ code, out: "" });
    expect(outcome.err).toContain(String(status));
  });

  test("a read that gets a response that is not JSON exits with 7", async () => {
    const { run } = await createCli({ respond: always(200, "<html><body>Sign in</body></html>") });
    const { code, out, err } = await run(list, overNetwork());
    expect({ code, out }).toEqual({ code: 7, out: "" });
    expect(err).toContain("Sign in");
  });
});

describe("an error shows what the service sent, whatever its format", () => {
  test.each([
    [
      {
        code: "BAD_REQUEST",
        message: "Invalid input data",
        issues: [{ path: ["label"], message: "is bad" }],
      },
      ["Invalid input data", "BAD_REQUEST", "label is bad"],
    ],
    [
      { object: "error", message: "model missing", type: "invalid", param: "model", code: 404 },
      ["model missing", "404"],
    ],
    [{ error: { message: "too long", type: "limit", param: null, code: "ctx" } }, ["too long", "ctx"]],
    [{ error: { message: "odd", code: null } }, ["odd"]],
    [{ error: "plain words" }, ["plain words"]],
    [
      { detail: [{ loc: ["body", "steps"], msg: "must be an integer", type: "int" }] },
      ["steps must be an integer"],
    ],
    [{ detail: "Not here" }, ["Not here"]],
    ["upstream timed out", ["upstream timed out"]],
    ["<html><title>x</title><h1>Access  denied</h1></html>", ["Access denied"]],
    ["", ["empty response body"]],
  ])("%j", async (body, words) => {
    const { run } = await createCli({ respond: always(400, body) });
    const { code, err } = await run(list, overNetwork());
    expect(code).toBe(6);
    for (const word of [...words, "400", "https://api.example.com/v2/on-demand/storage-volumes"]) {
      expect(err).toContain(word);
    }
  });

  test("the HTML page that a proxy sends with a 403 is truncated, and the exit code is 4", async () => {
    const page = `<html><style>p{}</style><h1>Blocked</h1>${"<p>reason</p>".repeat(500)}</html>`;
    const { run } = await createCli({ respond: always(403, page, { "content-type": "text/html" }) });
    const { code, err } = await run(list, overNetwork());
    expect(code).toBe(4);
    expect(err).toContain("Blocked");
    expect(err).not.toContain("<");
    expect(err.length).toBeLessThan(700);
  });

  test("control sequences from a service never reach a terminal", async () => {
    const { run } = await createCli({
      respond: always(400, { error: "\u001b[31mred\u001b]0;title\u0007\r" }),
    });
    const { err } = await run(list, { ...overNetwork(), terminal: 80 });
    expect(err).toContain("red");
    expect(err).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  test("every kind of line break in a text from a service is shown as a space", async () => {
    const { run } = await createCli({
      respond: always(400, { error: "one\u0085two\u2028three\u2029four\r\nfive\vsix" }),
    });
    const { err } = await run(list, { ...overNetwork(), terminal: 80 });
    expect(err).toContain("one two three four five six");
  });
});

describe("with JSON output, an error is one document on stderr", () => {
  const keys = ["code", "message", "issues", "status", "exitCode", "retryable", "hint", "request"];

  test.each([
    [
      "a refusal",
      always(400, { code: "BAD_REQUEST", message: "no", issues: [{ path: ["x"] }] }),
      "volumes list -o json",
      6,
    ],
    ["a failure", always(503, ""), "volumes list -o json --retries 0", 7],
    ["a bad value", undefined, "rentals create vm --gpus many --output=json", 2],
    ["a missing value", undefined, "rentals get --output json", 2],
    ["a misspelled flag", undefined, "volumes list --lable x -ojson", 2],
    ["a misspelled command", undefined, "-o json rentls list", 2],
    ["no such rental", always(200, "null"), "rentals get 1 -o json", 5],
    ["a cost limit", undefined, "image x --max-cost 0.001 -o json", 11],
  ])("%s", async (_name, respond, line, exitCode) => {
    const { run } = await createCli(respond ? { respond } : {});
    const { code, out, err } = await run(line, overNetwork());
    expect({ code, out }).toEqual({ code: exitCode, out: "" });
    const document = JSON.parse(err);
    expect(Object.keys(document)).toEqual(["error"]);
    expect(Object.keys(document.error)).toEqual(keys);
    expect(document.error).toMatchObject({ exitCode, issues: expect.any(Array) });
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });

  test("it names the request and the status, and says whether a retry can help", async () => {
    const { run } = await createCli({
      respond: always(429, { code: "SLOW", message: "slow down", issues: [] }),
    });
    const { err } = await run(`${list} -o json`, overNetwork());
    expect(JSON.parse(err).error).toEqual({
      code: "SLOW",
      message: "slow down",
      issues: [],
      status: 429,
      exitCode: 9,
      retryable: true,
      hint: expect.any(String),
      request: { method: "GET", url: "https://api.example.com/v2/on-demand/storage-volumes" },
    });
  });

  test("GPUCTL_OUTPUT=json has the same effect as -o json", async () => {
    const { run } = await createCli();
    const { err } = await run("volumes lst", { env: { GPUCTL_OUTPUT: "json" } });
    expect(JSON.parse(err)).toMatchObject({ error: { exitCode: 2 } });
  });

  test("nothing else is on stderr", async () => {
    const { run } = await createCli({
      respond: ({ method }) => (method === "POST" ? new Response("", { status: 422 }) : undefined),
    });
    const { err } = await run('image "a cat" -o json --sandbox');
    expect(JSON.parse(err)).toMatchObject({ error: { status: 422 } });
  });
});

test("a key is never in an error", async () => {
  const { run } = await createCli({ respond: always(401, "") });
  for (const line of [list, `${list} -o json`, `${list} --debug`]) {
    const { code, out, err } = await run(line, overNetwork());
    expect(code).toBe(3);
    expect(out + err).not.toContain(key);
  }
});

test("a read-only key cannot make changes", async () => {
  const { run, sandbox } = await createCli();
  const env = { GPUCTL_API_KEY: sandbox.keys.readOnly };
  expect(await run("rentals list --sandbox", { env })).toMatchObject({ code: 0 });
  expect(await run("rentals create vm --gpus 1 --sandbox", { env })).toMatchObject({ code: 4, out: "" });
});

describe("an error names the flag or argument with the problem", () => {
  test.each([
    ["rentals create vm --gpus 5000", "--gpus (gpuCount) must be a whole number from 1 to 4096"],
    ["rentals create vm --gpu-count 5000", "--gpu-count (gpuCount) must be a whole number from 1 to 4096"],
    ["rentals create vm --gpus 1 --term-type reserved", "--term-period-days (termPeriodDays) must be"],
    [
      "reserve convert 1001 --days 30 --expected-price 12",
      "--expected-price (expectedTotalPriceCents) must be",
    ],
    [
      "reserve convert 4711 --days 30 --expected-price 12",
      "RENTAL (rentalId): no active rental has the id 4711",
    ],
    [
      "rentals create bare-metal --gpus 8 --network-type ethernet --storage-volume 4711",
      "--storage-volume (storageVolume): no volume has the id 4711",
    ],
  ])("and the field of the request, if the service rejects the value: %s", async (line, text) => {
    const { run } = await createCli();
    await run("rentals create vm --gpus 1 --sandbox");
    const { code, err } = await run(`${line} --sandbox`);
    expect(code).toBe(6);
    expect(err).toContain(`\n  ${text}`);
  });

  test("in JSON too", async () => {
    const { run } = await createCli();
    const { err } = await run("rentals create vm --gpus 5000 --sandbox -o json");
    expect(JSON.parse(err).error.issues).toEqual([
      { path: ["gpuCount"], message: "must be a whole number from 1 to 4096", flag: "--gpus" },
    ]);
  });

  test("or only the field, if the field has no flag: api call", async () => {
    const { run } = await createCli({ negotiates: true });
    const { err } = await run(
      "api call createVirtualMachineRental -F gpuCount=5000 --sandbox --yes --no-validate",
    );
    expect(err).toContain("\n  gpuCount must be a whole number from 1 to 4096");
  });

  test.each([
    ["tts --file notes.txt", "--file notes.txt: no such file"],
    ["image x --image cat.png", "--image cat.png: no such file"],
    ["image x --image .", "--image .: it is a folder"],
    ["chat hi --system @notes.txt", "--system notes.txt: no such file"],
    ["api call getActiveRentalSummary --input body.json", "--input body.json: no such file"],
    ["api call getActiveRentalSummary -F label=@body.json", "-F label body.json: no such file"],
    ["sandbox seed data.yaml", "FILE data.yaml: no such file"],
    ["rentals list --watch fast", '--watch must be a duration such as 30s, 2m or 1h30m, not "fast"'],
  ])("if gpuctl cannot use the value: %s", async (line, text) => {
    const { run } = await createCli();
    expect(await run(line, { env: { GPUCTL_SANDBOX: "1" } })).toMatchObject({
      code: 2,
      requests: [],
      err: `Error: ${text}\n`,
    });
  });
});

describe("missing input is reported once", () => {
  test("if one value is missing", async () => {
    const { run } = await createCli();
    const { err } = await run("rentals get --sandbox");
    expect(err).toBe("Error: missing required input: RENTAL (ID of a rental, or label of an active one)\n");
  });

  test("if several values are missing", async () => {
    const { run } = await createCli();
    const { err } = await run("rentals create bare-metal --sandbox");
    expect(err).toBe(
      "Error: missing required input: --network-type, --gpu-count\n  --network-type: one of infiniband, ethernet\n  --gpu-count: Number of GPUs, 8 per machine\n",
    );
  });
});

const needy = nouns
  .flatMap(({ commands }) => commands)
  .filter(({ args, flags }) => [...args, ...flags].some(({ required }) => required));

test.each(needy.map(({ path }) => path.join(" ")))("%s says once what is missing", async (line) => {
  const { run } = await createCli();
  const { code, err } = await run(`${line} --sandbox`);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/missing|required/) });
  // "--label: Label: letters and digits" and "NAME (Name: letters and digits)" would name the input twice.
  expect(err).not.toMatch(/(\w+)\W+\1:/i);
});

test("volumes create takes --size", async () => {
  const { run } = await createCli();
  const line = "volumes create --region us-central-1 --label data --sandbox";
  const { requests } = await run(`${line} --size 1024`);
  expect(requests.at(-1)?.method).toBe("POST");
  expect(requests.at(-1)?.body).toMatchObject({ sizeInGb: 1024 });
  expect((await run(`${line} --size 1000`)).err).toContain(
    "Error: --size must be a multiple of 256, not 1000",
  );
});
