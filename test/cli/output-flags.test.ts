import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { exit } from "../../src/cli/report/exit.ts";
import { displayWidth } from "../../src/output/display-width.ts";
import { createCli, temporaryFolder } from "../support/cli.ts";

const rentals = [
  { id: 1, label: "日本語", status: "Running", gpuCount: 8, gpuType: "h100", costPerHourCents: 123450 },
  { id: 22, label: "🚀 up", status: "Pending", gpuCount: 16, gpuType: "b200", "a.b": { c: "👨‍👩‍👧" } },
];
const env = { NO_COLOR: "1" };
const listing = "rentals list --type vm --sandbox";
const respondWith = (body: unknown) => () => Response.json(body);
const withRentals = () => createCli({ respond: respondWith(rentals) });

describe("--columns", () => {
  test("accepts titles, names and dotted paths, and keeps their order", async () => {
    const { run } = await withRentals();
    expect((await run(`${listing} --columns status,ID,costperhourcents,gpuCount,a.b.c`)).out).toBe(
      [
        "STATUS   ID        $/H  GPUCOUNT  A.B.C",
        "Running  1   $1,234.50         8  -",
        "Pending  22          -        16  👨‍👩‍👧",
        "",
      ].join("\n"),
    );
    expect((await run(`${listing} --columns state,$/H,gpuCount -o csv`)).out).toBe(
      "state,costPerHourCents,gpuCount\r\nRunning,123450,8\r\nPending,,16\r\n",
    );
  });

  test("shows nested cents as dollars in a table, and unchanged in other formats", async () => {
    const { run } = await createCli({ respond: respondWith([{ id: 1, x: { sumCents: 250 } }]) });
    expect((await run(`${listing} --columns x.sumCents`)).out).toBe("X.SUM\n$2.50\n");
    expect((await run(`${listing} --columns x.sumCents -o tsv`)).out).toBe("x.sumCents\n250\n");
  });

  test("aligns wide characters and emoji, on a terminal too", async () => {
    const { run } = await withRentals();
    for (const options of [{}, { terminal: 60, env }]) {
      const { out } = await run(`${listing} --columns label,id`, options);
      const starts = out
        .trimEnd()
        .split("\n")
        .map((line) => displayWidth(line.replace(/\S+$/, ""), 99));
      expect(starts).toEqual([8, 8, 8]);
    }
  });

  test("chooses the fields of one record", async () => {
    const { run } = await createCli({ respond: respondWith(rentals[0]) });
    expect((await run("rentals get 1 --sandbox --columns gpuType,id")).out).toBe(
      "gpuType:  h100\nID:       1\n",
    );
    expect((await run("rentals get 1 --sandbox --columns gpuType,id -o csv")).out).toBe(
      "gpuType,id\r\nh100,1\r\n",
    );
  });

  test("reports a path that no record has, and lists the columns", async () => {
    const { run } = await withRentals();
    const { code, out, err } = await run(`${listing} --columns id,nmae,label`, { terminal: 60, env });
    expect({ code, out }).toEqual({ code: 0, out: "ID  NMAE  LABEL\n1   -     日本語\n22  -     🚀 up\n" });
    expect(err).toMatch(/^No record has nmae\. Columns: ID, LABEL, .*\$\/H \(costPerHourCents\).*, gpuCount/);
    expect((await run(`${listing} --columns nmae --quiet`)).err).toBe("");
  });

  test("does not report a known column without values, or any column of an empty list", async () => {
    expect((await (await withRentals()).run(`${listing} --columns id,ssh`)).err).toBe("");
    const { run } = await createCli({ respond: respondWith([]) });
    expect((await run(`${listing} --columns nmae`)).err).toBe("No active rentals.\n");
  });

  test.each([
    [`${listing} --columns id,,label`, /--columns.*id,,label/],
    [`${listing} --columns ""`, /--columns/],
    [`${listing} --columns id -o json`, /--columns.*--output is json/],
    [`${listing} --no-header -o id`, /--no-header.*--output is id/],
    [`${listing} --columns id --jq .`, /--jq and --columns/],
    ["api spec --sandbox --columns info", /--columns/],
    ["chat Hi --sandbox --columns id", /--columns.*--output table/],
  ])("is rejected before anything is sent, as is --no-header: %s", async (line, message) => {
    const { code, out, err, requests } = await (await withRentals()).run(line);
    const text = err.startsWith("{") ? JSON.parse(err).error.message : err;
    expect({ code, out, requests }).toEqual({ code: 2, out: "", requests: [] });
    expect(text).toMatch(message);
  });

  test("is rejected with GPUCTL_OUTPUT=yaml, and the error names the variable", async () => {
    const { run } = await withRentals();
    const { code, err } = await run(`${listing} --columns id`, { env: { GPUCTL_OUTPUT: "yaml" } });
    expect(code).toBe(2);
    expect(JSON.parse(err).error.message).toMatch(/GPUCTL_OUTPUT is yaml/);
  });
});

describe("--no-header", () => {
  test.each([
    ["table", "1   8\n22  16\n"],
    ["csv", "1,8\r\n22,16\r\n"],
    ["tsv", "1\t8\n22\t16\n"],
  ])("omits the header of %s", async (format, out) => {
    const { run } = await withRentals();
    const unpadded = (text: string) =>
      text.replace(/^(\d+) +(\d+)$/gm, (_, id: string, count: string) => `${id.padEnd(4)}${count}`);
    expect(unpadded((await run(`${listing} --columns id,gpuCount --no-header -o ${format}`)).out)).toBe(out);
  });
});

describe("--jq", () => {
  test("says why `input` or `error` fails", async () => {
    const { run } = await withRentals();
    const failed = async (filter: string) => {
      const { code, err } = await run([...listing.split(" "), "--jq", filter]);
      return { code, message: JSON.parse(err).error.message };
    };
    expect(await failed("input")).toEqual({
      code: 7,
      message: "--jq failed on the result: `input` finds no further value: the result is the only input",
    });
    expect(await failed('error("break")')).toEqual({
      code: 7,
      message: "--jq failed on the result: break",
    });
  });

  test("prints strings as they are, and any other value as one line of JSON", async () => {
    const { run } = await withRentals();
    expect((await run([...listing.split(" "), "--jq", '.[] | .label, .id, {gpuType}, ""'])).out).toBe(
      '日本語\n1\n{"gpuType":"h100"}\n\n🚀 up\n22\n{"gpuType":"b200"}\n\n',
    );
    expect(await run([...listing.split(" "), "--jq", "empty"])).toMatchObject({ code: 0, out: "", err: "" });
    expect((await run([...listing.split(" "), "--jq", "-1"])).out).toBe("-1\n");
  });

  test("filters what -o json prints, streamed or not", async () => {
    const { run } = await createCli();
    await run("rentals create vm --gpus 1 --sandbox --yes");
    expect((await run([..."rentals history --sandbox --jq".split(" "), "length"])).out).toBe("0\n");
    expect(
      (await run([..."rentals create vm --gpus 1 --dry-run --sandbox --jq".split(" "), ".request.body"])).out,
    ).toBe('{"gpuCount":1}\n');
    expect((await run([..."chat Hi --sandbox --jq".split(" "), ".choices[0].message.role"])).out).toBe(
      "assistant\n",
    );
  });

  test("sends nothing if the filter does not compile, and the error says why", async () => {
    const { run } = await withRentals();
    const { code, out, err, requests } = await run([...listing.split(" "), "--jq", ".[] | fooo("]);
    expect({ code, out, requests }).toEqual({ code: 2, out: "", requests: [] });
    expect(JSON.parse(err).error).toMatchObject({
      code: "USAGE",
      message: expect.stringMatching(/^invalid --jq expression: syntax error.*line 1/),
      retryable: false,
    });
  });

  test("prints nothing if the filter fails, and the error is not retryable", async () => {
    const { run, sandbox } = await createCli();
    const { code, out, err, requests } = await run([
      ..."rentals create vm --gpus 1 --sandbox --yes --jq".split(" "),
      ".id, .id.x",
    ]);
    expect({ code, out }).toEqual({ code: 7, out: "" });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(sandbox.status()).toBeDefined();
    const { error } = JSON.parse(err);
    expect(error).toMatchObject({ code: "FILTER_FAILED", retryable: false });
    expect(error.message).toMatch(/^--jq failed on the result: Cannot index/);
    expect(error.hint).toMatch(/was created.*Do not create it again/);
  });

  test.each([
    {
      what: "of terminations of which one is refused",
      fault: "terminateVirtualMachineRental --status 403 --after 1",
      line: "rentals terminate 1001 1002 1003 --yes",
      filter: ".[].rental.id | ascii_upcase",
      error: { code: exit.someFailed, name: "1002", context: "Terminated: 1001, 1003." },
    },
    {
      what: "of rentals of which one has an unknown outcome",
      fault: "createVirtualMachineRental --status 500 --applied --after 1",
      line: "rentals create vm --gpus 1 --label b --count 3 --yes",
      filter: ".[].createdAt | keys",
      error: { code: exit.unknownOutcome, name: "b-2", context: "New in the listing: 1005" },
    },
    {
      what: "of pictures of which one cannot be read",
      fault: "generateImage --garbage --applied --after 1",
      line: 'image "a cat" -n 2 --concurrency 1',
      filter: ".[].path | keys",
      error: { code: exit.unknownOutcome, name: "2", context: "The response was saved to" },
    },
  ])("does not hide a failure if the filter fails on the result $what", async (failing) => {
    const { run } = await createCli();
    await run("rentals create vm --gpus 1 --label a --count 3 --yes --sandbox");
    await run(`sandbox fault add --operation ${failing.fault}`);
    const words = failing.line.split(/ (?=(?:[^"]*"[^"]*")*[^"]*$)/).map((word) => word.replaceAll('"', ""));
    const { code, err } = await run([...words, "--sandbox", "--jq", failing.filter]);
    const { error } = JSON.parse(err);
    expect(code).toBe(failing.error.code);
    expect(error.code).not.toBe("FILTER_FAILED");
    expect(JSON.stringify(error)).toContain(failing.error.name);
    expect(JSON.stringify(error)).toContain(failing.error.context);
    expect(error.hint).toContain("--jq failed on the result");
    expect(error.hint).not.toContain("The request succeeded");
  });

  test("conflicts with --output csv, but accepts --output jsonl and overrides GPUCTL_OUTPUT", async () => {
    const { run } = await withRentals();
    const rejected = await run(`${listing} --jq . -o csv`);
    expect({ code: rejected.code, requests: rejected.requests }).toEqual({ code: 2, requests: [] });
    expect(JSON.parse(rejected.err).error.message).toMatch(/--jq and --output csv cannot be used together/);
    expect((await run(`${listing} --jq length`, { env: { GPUCTL_OUTPUT: "csv" } })).out).toBe("2\n");
    expect((await run(`${listing} --jq length -o jsonl`)).out).toBe("2\n");
  });

  test("removes control sequences on a terminal", async () => {
    const { run } = await createCli({ respond: respondWith(["a\x1b[2Jb\x9b1m", { k: "\x9b\u202e" }]) });
    expect((await run(`${listing} --jq .[]`, { terminal: 80 })).out).toBe('ab\n{"k":"\\u009b\\u202e"}\n');
  });

  test("prints the filter's debug output on stderr", async () => {
    const { out, err } = await (await withRentals()).run(`${listing} --jq length|debug`);
    expect({ out, err }).toEqual({ out: "2\n", err: '["DEBUG:",2]\n' });
  });
});

describe("an error", () => {
  const failures = [
    ["rentals get 999 --sandbox", 5],
    ["rentals list --base-url https://api.example.com", 3],
    ["rentals create vm --gpus 0 --sandbox", 6],
    ["rentals create vm --gpus many --sandbox", 2],
    ["rentals lst", 2],
    ["image hi --steps 0 --sandbox", 2],
  ] as const;
  const formats = ["-o json", "-o jsonl", "-o yaml", "-o csv", "-o tsv", "--jq ."];

  test.each(failures.flatMap(([line, code]) => formats.map((format) => [line, format, code] as const)))(
    "is one JSON document with a machine-readable format: %s %s",
    async (line, format, exitCode) => {
      const { code, out, err } = await (await createCli()).run(`${line} ${format}`);
      expect({ code, out }).toEqual({ code: exitCode, out: "" });
      expect(JSON.parse(err).error).toMatchObject({ exitCode });
    },
  );

  test.each(["-o table", "-o id"])("is plain text with %s", async (format) => {
    const { err } = await (await createCli()).run(`rentals get 999 --sandbox ${format}`);
    expect(err).toMatch(/^Error: /);
  });
});

describe("history", () => {
  const history = (body: string) =>
    createCli({ respond: ({ path }) => (/history/.test(path) ? new Response(body) : undefined) });

  test("-o json and -o yaml print the whole body", async () => {
    for (const body of [rentals, [], { items: rentals, next: "x" }, [1, [2], null]]) {
      const { run } = await history(` \n${JSON.stringify(body)}\n`);
      const { code, out } = await run("rentals history --sandbox -o json");
      expect({ code, out }).toEqual({ code: 0, out: `${JSON.stringify(body, null, 2)}\n` });
      expect(
        parseYaml((await (await history(JSON.stringify(body))).run("rentals history --sandbox -o yaml")).out),
      ).toEqual(body ?? []);
    }
  });

  test.each(["json", "yaml"])(
    "prints no partial %s document when the response is truncated",
    async (format) => {
      const long = JSON.stringify(Array.from({ length: 5000 }, (_, id) => ({ id, pad: "x".repeat(200) })));
      const { run, folder } = await history(long.slice(0, -10));
      const { code, out, err } = await run(`rentals history --sandbox -o ${format}`);
      expect({ code, out }).toEqual({ code: 7, out: "" });
      expect(JSON.parse(err).error).toMatchObject({ code: "UNREADABLE_ANSWER", retryable: true });
      expect(await readdir(temporaryFolder(folder))).toEqual([]);
    },
  );

  test("prints the records before the invalid JSON, and says at which byte it starts", async () => {
    const { run } = await history('[{"id":1},{"id":2}, oops]');
    const { code, out, err } = await run("rentals history --sandbox -o id");
    expect({ code, out }).toEqual({ code: 7, out: "1\n2\n" });
    expect(err).toMatch(/is not valid JSON at byte 20/);
  });

  test("prints a long table in parts, which all have the column widths of the first part", async () => {
    const many = Array.from({ length: 1200 }, (_, id) => ({
      id,
      label: id === 1100 ? "x".repeat(90) : `r${id}`,
    }));
    const { run } = await history(JSON.stringify(many));
    const piped = (await run("rentals history --sandbox --columns id,label")).out.trimEnd().split("\n");
    expect(piped).toHaveLength(1201);
    expect(piped.slice(0, 2)).toEqual(["ID   LABEL", "0    r0"]);
    expect(piped[1101]).toBe(`1100  ${"x".repeat(90)}`);
    const seen = (
      await (
        await history(JSON.stringify(many))
      ).run("rentals history --sandbox --columns label,id", { terminal: 30, env })
    ).out;
    expect(seen.split("\n")[1101]).toBe("xxxx…  11…");
  });

  test("reports an empty history", async () => {
    const { run } = await history("[]");
    expect(await run("rentals history --sandbox")).toMatchObject({
      code: 0,
      out: "",
      err: "No past rentals.\n",
    });
  });
});

describe("chat", () => {
  const events = [
    '{"choices":[{"delta":{"content":"Hi"}}],"x":1}',
    '{"choices":[{"delta":{},"finish_reason":"stop"}]}',
  ];
  const streaming = (lines: readonly string[]) => () =>
    new Response(lines.map((line) => `data: ${line}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });

  test("-o jsonl prints each event as it was received", async () => {
    const { run } = await createCli({ respond: streaming([...events, "[DONE]"]) });
    const { out, requests } = await run("chat Hello --sandbox -o jsonl");
    expect(out).toBe(events.map((event) => `${event}\n`).join(""));
    expect(requests[0]?.body).toMatchObject({ stream: true });
  });

  test("-o jsonl prints the partial output of a truncated stream, and fails", async () => {
    const { run } = await createCli({ respond: streaming(events.slice(0, 1)) });
    const { code, out, err } = await run("chat Hello --sandbox -o jsonl");
    expect({ code, out }).toEqual({ code: 9, out: `${events[0]}\n` });
    expect(JSON.parse(err).error.code).toBe("ANSWER_CUT");
  });

  test.each(["yaml", "csv", "tsv", "json"])("-o %s prints the whole response", async (format) => {
    const { code, out, requests } = await (await createCli()).run(`chat Hello --sandbox -o ${format}`);
    expect(code).toBe(0);
    expect(out).toMatch(/choices/);
    expect(out).toMatch(/finish_reason/);
    expect(requests[0]?.body).not.toHaveProperty("stream");
  });
});

test("--dry-run uses the selected format, and JSON instead of CSV", async () => {
  const { run } = await createCli();
  const line = "rentals create vm --gpus 1 --dry-run --sandbox";
  const document = JSON.parse((await run(`${line} -o json`)).out);
  expect(document).toMatchObject({ dry_run: true, request: { method: "POST" } });
  expect(parseYaml((await run(`${line} -o yaml`)).out)).toEqual(document);
  expect((await run(`${line} -o jsonl`)).out).toBe(`${JSON.stringify(document)}\n`);
  expect(JSON.parse((await run(`${line} -o csv`)).out)).toEqual(document);
  expect((await run(line)).out).toMatch(/^POST /);
});

test("api spec prints its JSON in every format except YAML", async () => {
  const { run } = await createCli();
  const document = JSON.parse((await run("api spec --sandbox")).out);
  for (const format of ["csv", "tsv", "id", "table", "json", "jsonl"]) {
    expect(JSON.parse((await run(`api spec --sandbox -o ${format}`)).out)).toEqual(document);
  }
  expect(parseYaml((await run("api spec --sandbox -o yaml")).out)).toEqual(document);
});

test("a success with a machine-readable format prints its notes on stderr", async () => {
  const { run } = await createCli();
  const { out, err } = await run("image price --size 8x8 -o csv");
  expect(out).toMatch(/^width,height,steps,count,dollarsEach,dollars,cost\r\n8,8,/);
  expect(err).toMatch(/not a supported resolution/);
});
