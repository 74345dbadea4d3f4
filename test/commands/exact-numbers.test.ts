import { describe, expect, test } from "vitest";
import { createCli, type RunOptions } from "../support/cli.ts";
import { description, descriptionPath, service } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const record =
  '{"id":12345678901234567891,"label":"say: 1.50, \\"2.0\\" ","price":1.50,"huge":1e400,"zero":-0,"sizes":[2.0,3,0.1],"rack":{"at":10.10},"n":7}';

/**
 * Runs a command line against a service that responds with this text. Expects that the run succeeds and writes nothing
 * to stderr. Returns the output and the requests.
 */
async function printed(text: string, line: string, options: RunOptions = {}) {
  const { run } = await createCli({
    respond: () => new Response(text, { headers: { "content-type": "application/json" } }),
  });
  const { code, out, err, requests } = await run(line, { ...overNetwork(), ...options });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return { out, requests };
}

const list = "rentals list --type vm";
const sources: readonly (readonly [string, string])[] = [
  ["a list", list],
  ["a list that is read as it arrives", "rentals history"],
];

describe.each(sources)("numbers of %s are printed with all their digits", (_name, line) => {
  test("in JSON and JSON Lines", async () => {
    const { out } = await printed(`[${record}]`, `${line} -o json`);
    expect(out.replace(/\s+(?=(?:[^"\\]|\\.|"(?:[^"\\]|\\.)*")*$)/g, "")).toBe(`[${record}]`);
    expect((await printed(`[${record}]`, `${line} -o jsonl`)).out).toBe(`${record}\n`);
  });

  test("in YAML", async () => {
    const { out } = await printed(`[${record}]`, `${line} -o yaml`);
    for (const text of [
      "id: 12345678901234567891\n",
      "price: 1.50\n",
      "huge: 1e400\n",
      "- 2.0\n",
      "at: 10.10\n",
    ]) {
      expect(out).toContain(text);
    }
    expect(out).toContain("say: 1.50, ");
  });

  test("in CSV, TSV, tables and IDs", async () => {
    const columns = "--columns id,price,huge,zero,sizes,rack.at,n";
    expect((await printed(`[${record}]`, `${line} ${columns} --no-header -o csv`)).out).toBe(
      '12345678901234567891,1.50,1e400,-0,"2.0, 3, 0.1",10.10,7\r\n',
    );
    expect((await printed(`[${record}]`, `${line} ${columns} --no-header -o tsv`)).out).toBe(
      "12345678901234567891\t1.50\t1e400\t-0\t2.0, 3, 0.1\t10.10\t7\n",
    );
    const { out } = await printed(`[${record}]`, `${line} ${columns} --no-header`);
    expect(out.trim().split(/ {2,}/)).toEqual([
      "12345678901234567891",
      "1.50",
      "1e400",
      "-0",
      "2.0, 3, 0.1",
      "10.10",
      "7",
    ]);
    expect((await printed(`[${record}]`, `${line} -o id`)).out).toBe("12345678901234567891\n");
  });
});

test("an ID beyond 2^53 from a list can be used in the next command with the same digits", async () => {
  const { out } = await printed(`[${record}]`, `${list} -o id`);
  const { requests } = await printed(record, `rentals get ${out.trim()} -o json`);
  expect(requests[0]?.query).toEqual({ rentalId: "12345678901234567891" });
});

test("a single record and the response of api call keep all digits, too", async () => {
  expect((await printed(record, "rentals get 12345678901234567891 -o jsonl")).out).toBe(`${record}\n`);
  const { out } = await printed(record, "api call GET /v2/anything --quiet -o jsonl");
  expect(out).toBe(`${record}\n`);
});

test.each([
  ["api call GET /v2/storage/storage-volumes -o jsonl", "1.50]]]"],
  ["rentals list --type vm -o id", "7\n"],
])("numbers that are nested more deeply than the stack allows do not stop %s", async (line, part) => {
  const deep = `${"[".repeat(300_000)}1.50${"]".repeat(300_000)}`;
  const text = `[{"id":7,"x":${deep}},{"pad":"${"-".repeat(1_100_000)}"}]`;
  const { run } = await createCli({
    respond: () => new Response(text, { headers: { "content-type": "application/json" } }),
  });
  const { code, out } = await run(line, overNetwork());
  expect(code).toBe(0);
  expect(out.includes(part)).toBe(true);
});

test("amounts are still read and formatted as numbers", async () => {
  const { out } = await printed('[{"id":1,"costPerHourCents":150.00,"gpuCount":8.0,"gpuType":"h100"}]', list);
  expect(out).toContain("$1.50");
});

test("amounts beyond 2^53 cents are shown to the cent", async () => {
  const { run } = await createCli({
    negotiates: true,
    respond: service({
      [`GET ${descriptionPath}`]: () =>
        Response.json(description({ "GET /v2/billing/balance": {}, "GET /v2/billing/invoices": {} })),
      "GET /v2/billing/balance": () =>
        new Response('{"balanceCents":9007199254740993,"debtCents":-12345678901234567891}'),
      "GET /v2/billing/invoices": () => new Response('[{"id":1,"totalCents":9007199254740993}]'),
    }),
  });
  expect((await run("billing balance", overNetwork())).out).toBe(
    ["balance:  $90,071,992,547,409.93", "debt:     -$123,456,789,012,345,678.91", ""].join("\n"),
  );
  expect((await run("billing invoices", overNetwork())).out).toContain("$90,071,992,547,409.93");
});

test.each(["[01]", "[1.]", '[{"id":1.50,}]', "[--1.50]", "[1.5.0]"])(
  "the response %s is rejected, because it is not valid JSON",
  async (text) => {
    const { run } = await createCli({ respond: () => new Response(text) });
    expect(await run(`${list} -o json`, overNetwork())).toMatchObject({ code: 7, out: "" });
  },
);

test("strings that look like numbers, and keys of objects, are printed unchanged", async () => {
  const text = '[{"id":"1.50","a: 2.0":3.00,"b":"x,1.50,y","c":"\\\\","d":", 1.50, "}]';
  expect((await printed(text, `${list} -o jsonl`)).out).toBe(`${text.slice(1, -1)}\n`);
});
