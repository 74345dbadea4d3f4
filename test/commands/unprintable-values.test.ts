import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isRecord, parseJson } from "../../src/core/json.ts";
import { type Cli, createCli } from "../support/cli.ts";
import { description, descriptionPath, service } from "../support/described.ts";
import { base64, saved, tinyPng } from "../support/pictures.ts";
import { readPngText, readRequest } from "../support/png-text.ts";
import { overNetwork } from "../support/service.ts";
import { thorough } from "../support/thorough.ts";

/** `String` and `Number` throw for this value. */
const unprintable = { toString: null, valueOf: null };

const withField = (value: unknown, name: string): unknown => {
  if (Array.isArray(value)) return value.map((item) => withField(item, name));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === name ? unprintable : withField(inner, name)]),
  );
};

const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.flatMap(namesIn)
    : isRecord(value)
      ? Object.entries(value).flatMap(([key, inner]) => [key, ...namesIn(inner)])
      : [];

/** A CLI for a sandbox. `names` collects the fields of responses; `change` makes the value of one field unprintable. */
async function changing() {
  const names = new Set<string>();
  let hostile: string | undefined;
  const cli: Cli = await createCli({
    respond: async ({ method, path, query, headers, body }) => {
      const url = new URL(path, "http://sandbox.test");
      for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await cli.sandbox.fetch(new Request(url, { method, headers, ...sent }));
      if (path === descriptionPath) return response;
      const value = parseJson(await response.text());
      if (value === undefined) return undefined;
      for (const name of namesIn(value)) names.add(name);
      return Response.json(hostile === undefined ? value : withField(value, hostile), {
        status: response.status,
      });
    },
  });
  return {
    cli,
    names,
    change: (name: string | undefined) => {
      hostile = name;
    },
  };
}

const created = async ({ run }: Cli, flags = "") =>
  (await run(`rentals create vm --gpus 1 ${flags} --wait --yes --sandbox -o id`)).out.trim();

/** Command lines. `ID` stands for the ID of a running rental. */
const lines = [
  "rentals list --older-than 1m --sort age",
  "rentals get ID",
  "rentals wait ID --wait-timeout 1s",
  "rentals terminate ID --yes",
  "rentals terminate --older-than 1m --yes",
  "rentals create vm --gpus 1 --wait --wait-timeout 1s --max-burn 100000 --yes",
  "rentals create vm --gpus 1 --label one --if-absent --lease 1h --yes",
  "reserve convert ID --days 3 --expected-price 1 --yes",
  "reserve extend ID --days 3 --expected-price 1 --yes",
  "rentals guard --once --yes",
];

// A quarter of the fields for each command line, a different one for the next line. All of them in a thorough run.
test.each(lines)("%s never fails because a value of a response cannot be converted to text", async (line) => {
  const { cli, names, change } = await changing();
  const id = await created(cli, "--lease 1d");
  const { code, err } = await cli.run(`${line.replace("ID", id)} --sandbox`);
  expect(code, err).not.toBe(1);
  const share = lines.indexOf(line) % 4;
  for (const name of [...names].filter((_, at) => thorough || at % 4 === share)) {
    change(undefined);
    const next = await created(cli, "--lease 1m");
    cli.advance(120_000);
    change(name);
    const outcome = await cli.run(`${line.replace("ID", next)} --sandbox`);
    expect(outcome.err, name).not.toContain("bug in gpuctl");
    expect(outcome.code, `${name}: ${outcome.err}`).not.toBe(1);
  }
});

describe("after a write with an unknown outcome, a lookup never hides that outcome", () => {
  const failed = () => Response.json({ code: "X", message: "failed", issues: [] }, { status: 500 });

  test("if it finds a reserved term that cannot be converted to text", async () => {
    const { run } = await createCli({
      respond: service({
        "POST /v2/on-demand/convert-to-reserved": failed,
        "GET /v2/on-demand/rental": () =>
          Response.json({ id: 7, termType: unprintable, reservedUntil: unprintable }),
      }),
    });
    const { code, err } = await run("reserve convert 7 --days 3 --expected-price 1 --yes", overNetwork());
    expect(code, err).toBe(10);
    expect(err).toContain(`The rental's term is now: {"toString":null,"valueOf":null}`);
  });

  test("if it finds a volume whose attachments cannot be converted to text", async () => {
    const { run } = await createCli({
      respond: service({
        "POST /v2/on-demand/storage-volumes/attach": failed,
        "GET /v2/on-demand/storage-volumes": () => Response.json([{ id: 5, rentalIds: [unprintable] }]),
      }),
    });
    const { code, err } = await run("volumes attach 5 7", overNetwork());
    expect(code, err).toBe(10);
    expect(err).toContain(`The volume is attached to: {"toString":null,"valueOf":null}`);
  });
});

test.each([
  ["an object without toString", unprintable],
  ["a deeply nested list", JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)],
])("image saves a picture whose seed is %s", async (_, seed) => {
  const nested = (value: unknown): string =>
    Array.isArray(value) ? `${"[".repeat(20_000)}${"]".repeat(20_000)}` : JSON.stringify(value);
  const cli = await createCli({
    respond: () =>
      new Response(`{"images":[{"image":"${base64(tinyPng())}","random_seed":${nested(seed)}}]}`),
  });
  const { code, err } = await cli.run("image cat --out cat.png", overNetwork());
  expect(code, err).toBe(0);
  expect(await saved(cli)).toEqual(["cat.png"]);
});

test.each(["prompt", "negative_prompt", "width", "height", "lora", "steps", "sampler", "model_name", "seed"])(
  "batch run --no-validate saves a picture although %s in its request is or contains an object without toString",
  async (field) => {
    const cli = await createCli({ respond: () => Response.json({ images: [{ image: base64(tinyPng()) }] }) });
    const body = {
      model_name: "SDXL1.0-base",
      prompt: "a cat",
      width: 64,
      height: 64,
      [field]: field === "lora" ? { one: unprintable } : unprintable,
    };
    const sent = { custom_id: "1", method: "POST", url: "/v1/image/generation", body };
    await writeFile(join(cli.folder, "in.jsonl"), `${JSON.stringify(sent)}\n`);
    const { code, err } = await cli.run("batch run in.jsonl --out out.jsonl --no-validate", overNetwork());
    expect(code, err).toBe(0);
    const { response } = JSON.parse(await readFile(join(cli.folder, "out.jsonl"), "utf8"));
    const png = await readFile(join(cli.folder, response.body.images[0].path));
    expect(readRequest(png)).toEqual(body);
  },
);

test("batch run --no-validate keeps a chat whose model is an object without toString", async () => {
  const cli = await createCli({
    respond: () => Response.json({ choices: [{ message: { content: "Hi" } }] }),
  });
  await cli.run("config set chat.prices m=1/2");
  const sent = { custom_id: "1", method: "POST", url: "/v1/chat/completions" };
  const body = { model: unprintable, messages: [{ role: "user", content: "Hello" }] };
  await writeFile(join(cli.folder, "in.jsonl"), `${JSON.stringify({ ...sent, body })}\n`);
  const { code, err } = await cli.run("batch run in.jsonl --out out.jsonl --no-validate", overNetwork());
  expect(code, err).toBe(0);
  expect(await readFile(join(cli.folder, "out.jsonl"), "utf8")).toContain('"content":"Hi"');
});

describe("a seed that JavaScript would round", () => {
  const seed = "12345678901234567890";
  const service = () =>
    createCli({
      respond: () => new Response(`{"images":[{"image":"${base64(tinyPng())}","random_seed":${seed}}]}`),
    });

  test("is in the output, the name and the settings of a picture as it was received", async () => {
    const cli = await service();
    const { code, out } = await cli.run("image cat --out {slug}-{seed}.{ext} -o json", overNetwork());
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ seed }]);
    expect(await saved(cli)).toEqual([`cat-${seed}.png`]);
    const png = await readFile(join(cli.folder, `cat-${seed}.png`));
    expect(readRequest(png)).toMatchObject({ seed });
    expect(readPngText(png).parameters).toContain(`Seed: ${seed},`);
  });

  test("is in the output and the pictures of a batch as it was received", async () => {
    const cli = await service();
    const body = { model_name: "SDXL1.0-base", prompt: "a cat" };
    const sent = { custom_id: "1", method: "POST", url: "/v1/image/generation", body };
    await writeFile(join(cli.folder, "in.jsonl"), `${JSON.stringify(sent)}\n`);
    expect(await cli.run("batch run in.jsonl --out out.jsonl", overNetwork())).toMatchObject({ code: 0 });
    const line = await readFile(join(cli.folder, "out.jsonl"), "utf8");
    expect(line).toContain(`"random_seed":${seed},`);
    const png = await readFile(join(cli.folder, JSON.parse(line).response.body.images[0].path));
    expect(readPngText(png).parameters).toContain(`Seed: ${seed},`);
  });
});

describe("a response that is not an object", () => {
  const unusable = [[], "x", 5, true];

  test.each(["rentals get 7", "rentals summary"])("is an error for %s", async (line) => {
    for (const body of unusable) {
      const { run } = await createCli({ respond: () => Response.json(body) });
      const { code, out, err } = await run(line, overNetwork());
      expect({ code, out }, JSON.stringify(body)).toEqual({ code: 7, out: "" });
      expect(err).toContain("the response is not an object");
    }
  });

  test.each(["user delete --yes", "user update --name Ada"])(
    "leaves the outcome of %s unknown",
    async (line) => {
      for (const body of unusable) {
        const { run } = await createCli({ respond: () => Response.json(body) });
        const { code, out, err } = await run(line, overNetwork());
        expect({ code, out }, JSON.stringify(body)).toEqual({ code: 10, out: "" });
        expect(err).toContain("the response is not an object");
      }
    },
  );
});

test.each(["minimum", "exclusiveMinimum", "multipleOf", "minLength", "minItems", "format"])(
  "api describe shows an operation even if %s in its schema is an object without toString",
  async (name) => {
    const schema = (type: string) => ({ type, items: {}, [name]: unprintable });
    const properties = { n: schema("integer"), s: schema("string"), l: schema("array") };
    const body = {
      required: true,
      content: { "application/json": { schema: { properties, required: ["n", "s", "l"] } } },
    };
    const { run } = await createCli({
      negotiates: true,
      respond: () =>
        Response.json(description({ "POST /v2/things": { operationId: "make", requestBody: body } })),
    });
    const { code, out, err } = await run("api describe make", overNetwork());
    expect(code, err).toBe(0);
    expect(out).toContain("gpuctl api call make -F n=1 -f s=text");
  },
);

test("a Date header outside the years 1970 to 9999 is ignored", async () => {
  const usage = [{ rentalId: 1, amountCents: 5, from: "2026-11-20T00:00:00Z" }];
  const date = { Date: "Sat, 13 Sep 275760 00:00:00 GMT" };
  const cli = await createCli({
    negotiates: true,
    respond: service({
      [`GET ${descriptionPath}`]: () =>
        Response.json(description({ "GET /v2/billing/usage": {} }), { headers: date }),
      "GET /v2/billing/usage": () => Response.json(usage, { headers: date }),
      "POST /v1/image/generation": () =>
        Response.json({ images: [{ image: base64(tinyPng()) }] }, { headers: date }),
    }),
  });
  const plot = await cli.run("billing usage --plot -o csv", overNetwork());
  expect(plot.out, plot.err).toBe("date,amountCents\r\n2026-11-20,5\r\n");
  await cli.run("image cat", overNetwork());
  expect(await saved(cli)).toContainEqual(expect.stringMatching(/^2026-11-20-\d{6}-cat/));
});
