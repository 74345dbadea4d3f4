import { describe, expect, test } from "vitest";
import { type Cli, createCli, type Responder } from "../support/cli.ts";
import { description, descriptionPath, requestLines } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const vm = (label: string) => `rentals create vm --gpus 1 --label ${label} --yes --sandbox`;
const bareMetal = "rentals create bare-metal --gpus 8 --network-type ethernet --label node --yes --sandbox";
const volume = "volumes create --region us-central-1 --label training-data --size-in-gb 1024 --sandbox";

/** A sandbox with the rentals 1001 (trainer) and 1002 (node, bare metal) and the volume 501 (training-data). */
async function prepared(respond?: Responder): Promise<Cli> {
  const cli = await createCli(respond ? { respond } : {});
  for (const line of [vm("trainer"), bareMetal, volume]) {
    expect(await cli.run(line), line).toMatchObject({ code: 0 });
  }
  return cli;
}

const lookup = (word: string) => `GET /v2/on-demand/rental?rentalId=${word}`;

describe("a label in place of an ID", () => {
  test("may contain commas, which separate only numeric IDs", async () => {
    const { run } = await createCli();
    const create = "rentals create bare-metal --gpus 8 --network-type ethernet --yes --sandbox --label";
    for (const label of ["a", "b", "a,b"]) await run([...create.split(" "), label]);
    await run("volumes create --region us-central-1 --label data-1 --size-in-gb 256 --sandbox");
    const attached = async (rentals: string) =>
      JSON.parse((await run(["volumes", "attach", "501", rentals, "-o", "json", "--sandbox"])).out).rentalIds;
    expect(await attached("a,b")).toEqual([1003]);
    expect(await attached("1001,1002")).toEqual([1001, 1002, 1003]);
  });

  test.each([
    ["rentals get trainer -o id", "1001\n"],
    ["rentals wait trainer -o id", "1001\n"],
    ["rentals ssh trainer --wait --print", /^ssh -p \d+ /],
    ["rentals terminate trainer --yes -o id", "1001\n"],
    ["reserve convert trainer --days 30 --expected-price 1296.00 --yes -o id", "1001\n"],
    ["volumes attach training-data node -o json", /"rentalIds": \[\s*1002\s*\]/],
    ["volumes create --region us-central-1 --label more --size-in-gb 256 --rental-ids node -o id", "502\n"],
    [
      "rentals create bare-metal --gpus 8 --network-type ethernet --storage-volume training-data --yes -o id",
      "1003\n",
    ],
  ])("is accepted in %s", async (line, printed) => {
    const { run } = await prepared();
    const { code, out, err } = await run(`${line} --sandbox`);
    expect({ code, out }, err).toEqual({
      code: 0,
      out: printed instanceof RegExp ? expect.stringMatching(printed) : printed,
    });
  });

  test("is printed with the ID by a command that changes something", async () => {
    const { run } = await prepared();
    expect((await run("rentals get trainer --sandbox")).err).toBe("");
    expect((await run("volumes attach training-data node 1001 --sandbox")).err).toContain(
      '"training-data" is volume 501.\n"node" is rental 1002.\n',
    );
    const asked: string[] = [];
    await run("rentals terminate trainer --sandbox", {
      terminal: 80,
      prompts: { confirm: async ({ message }) => asked.push(message) < 0 },
    });
    expect(asked.join()).toContain("Terminate 1001 (trainer)? All data on it is lost.");
    expect((await run("rentals terminate trainer --yes --sandbox")).err).toContain(
      '"trainer" is rental 1001.\n',
    );
  });

  test("cannot be a number, which is always an ID and is looked up with a single request", async () => {
    const { run } = await createCli();
    await run(vm("2024"));
    const { code, requests } = await run("rentals get 2024 --sandbox");
    expect({ code, requests: requestLines(requests) }).toEqual({ code: 5, requests: [lookup("2024")] });
  });

  test("is not looked up if the word is also an ID", async () => {
    const { run } = await prepared(({ query }) =>
      query.rentalId === "trainer" ? Response.json({ id: "trainer", state: "active" }) : undefined,
    );
    const { out, requests } = await run("rentals get trainer -o id --sandbox");
    expect(out).toBe("trainer\n");
    expect(new Set(requestLines(requests))).toEqual(new Set([lookup("trainer")]));
  });
});

test("a label of two active rentals is an error that lists their IDs, and nothing is changed", async () => {
  const { run } = await prepared();
  await run(vm("trainer"));
  const { code, err, requests } = await run("rentals terminate 1002 trainer --yes --sandbox");
  expect(code).toBe(2);
  expect(err).toBe(
    'Error: RENTAL "trainer" is the label of 2 active rentals: 1001, 1003\nUse the ID of one of them. Nothing was changed.\n',
  );
  expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("the label of a rental that has ended can be used for another rental", async () => {
  const { run } = await prepared();
  await run("rentals terminate trainer --yes --sandbox");
  const missing = await run("rentals get trainer --sandbox");
  expect(missing.code).toBe(5);
  expect(missing.err).toBe(
    'Error: rental "trainer" not found: it is neither an ID nor the label of an active rental\n`gpuctl rentals list --sandbox` shows IDs and labels.\n',
  );
  await run(vm("trainer"));
  expect((await run("rentals get trainer -o id --sandbox")).out).toBe("1003\n");
});

test("a dry run looks up no label, and says so", async () => {
  const { run } = await prepared();
  const { code, err, requests } = await run(
    "reserve convert trainer --days 1 --expected-price 1 --dry-run --sandbox",
  );
  expect({ code, requests }).toEqual({ code: 0, requests: [] });
  expect(err).toContain("A dry run does not look up labels");
});

test("--no-validate sends a label as if it were an ID", async () => {
  const { run } = await prepared();
  const { requests } = await run("rentals get trainer --no-validate --sandbox");
  expect(requestLines(requests)).toEqual([lookup("trainer")]);
});

describe("when one of the two listings of rentals is not available, labels", () => {
  const failing =
    (status: number): Responder =>
    ({ path, query }) => {
      if (path.endsWith("/bare-metal-rentals")) return Response.json({}, { status });
      if (path.endsWith("-rentals")) return Response.json([{ id: 7, name: "trainer" }]);
      return Response.json(query.rentalId === "7" ? { id: 7, state: "active" } : null);
    };

  test.each([403, 404])("are found in the other listing after a response of %i", async (status) => {
    const { run } = await createCli({ respond: failing(status) });
    expect(await run("rentals get trainer -o id", overNetwork())).toMatchObject({ code: 0, out: "7\n" });
  });

  test("cannot be used after a response of 500, because another rental could have the same label", async () => {
    const { run } = await createCli({ respond: failing(500) });
    expect(await run("rentals get trainer -o id --retries 0", overNetwork())).toMatchObject({
      code: 7,
      out: "",
    });
  });
});

test("volumes attach sends a label as if it were an ID if volumes cannot be listed", async () => {
  const { run } = await createCli({
    respond: ({ method }) =>
      Response.json(method === "GET" ? {} : { ok: true }, { status: method === "GET" ? 404 : 200 }),
  });
  const { code, requests } = await run("volumes attach data 7", overNetwork());
  expect({ code, body: requests.at(-1)?.body }).toEqual({
    code: 0,
    body: { storageVolumeId: "data", rentalIds: [7] },
  });
});

describe("a listing", () => {
  const pages: readonly (readonly [string, object])[] = [
    ["a cursor for the next page", { items: [], nextCursor: "abc" }],
    ["hasMore", { rentals: [], hasMore: true }],
    ["a total above the number of items", { data: [], pagination: { total: 30 } }],
    ["no list", {}],
  ];
  const listing = (page: object) =>
    createCli({
      negotiates: true,
      respond: ({ method, path }) => {
        if (method !== "GET") return undefined;
        if (path === descriptionPath) return Response.json(description({ "POST /v2/rentals/terminate": {} }));
        return path.endsWith("/rental") ? Response.json(null) : Response.json(page);
      },
    });

  test.each(pages)("with %s is an error for commands that need the complete list", async (_what, page) => {
    const { run } = await listing(page);
    const create = "rentals create vm --gpus 1 --yes";
    for (const [line, code] of [
      ["rentals get trainer", 7],
      ["volumes attach training-data 1001", 7],
      ["rentals terminate trainer --yes", 7],
      [`${create} --label trainer --if-absent`, 7],
      [`${create} --max-burn 100`, 11],
    ] as const) {
      const outcome = await run(line, overNetwork());
      expect(outcome, line).toMatchObject({ code, out: "" });
      expect(outcome.requests.filter(({ method }) => method !== "GET")).toEqual([]);
      expect(outcome.err).toMatch(/incomplete|not a list/);
    }
  });

  test.each(pages.slice(0, 3))(
    "with %s is printed with a note that there may be more results",
    async (_what, page) => {
      const { run } = await listing(page);
      for (const line of ["rentals list", "volumes list", "rentals history"]) {
        const { code, err } = await run(line, overNetwork());
        expect(code).toBe(0);
        expect(err).toContain("There may be more results: the response is one of several pages.");
      }
    },
  );

  test("is complete if it names no next page", async () => {
    const { run } = await listing({ items: [{ id: 1, label: "x" }], nextCursor: null, total: 1 });
    expect((await run("volumes list", overNetwork())).err).toBe("");
    expect(await run("rentals get trainer", overNetwork())).toMatchObject({ code: 5 });
  });
});
