import { describe, expect, test } from "vitest";
import { createCli, firstMoment } from "../support/cli.ts";
import { always, overNetwork } from "../support/service.ts";

const hour = 3_600_000;
const ago = (milliseconds: number) => new Date(firstMoment - milliseconds).toISOString();

const rentals = [
  { id: 9, label: "train-b", createdAt: ago(3 * hour), gpuCount: 8, gpuType: "h100", costPerHourCents: 1600 },
  {
    id: 10,
    label: "train-a",
    createdAt: ago(30 * 24 * hour),
    gpuCount: 10,
    gpuType: "h100",
    costPerHourCents: 90,
  },
  { id: 11, label: "Eval", createdAt: null, gpuCount: 2, gpuType: "h100", costPerHourCents: 400 },
  { id: 12, name: "train.c", startedAt: "2026-11-20 11:59:00+00", gpuCount: 1, gpuType: "b200" },
  { id: 13, createdAt: "0001-01-01T00:00:00Z" },
];

/** The IDs that `rentals list` prints with these flags; `[0]` if it prints none. */
async function idsOf(flags: string | readonly string[], records: readonly unknown[] = rentals) {
  const { run } = await createCli({ respond: always(200, records) });
  const more = typeof flags === "string" ? flags.split(" ") : flags;
  const { code, out, err } = await run(
    ["rentals", "list", "--type", "vm", "-o", "id", ...more.filter(Boolean)],
    overNetwork(),
  );
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out.trim().split("\n").map(Number);
}

describe("rentals list --label", () => {
  test.each([
    ["train-*", [9, 10]],
    ["train-?", [9, 10]],
    ["*a*", [9, 10, 11, 12]],
    ["train.c", [12]],
    ["train?", [0]],
    ["eval", [0]],
    ["[a-z]*", [0]],
    ["*", [9, 10, 11, 12]],
    ["**", [9, 10, 11, 12]],
    ["t*n*-*b", [9]],
    ["train-b*?", [0]],
    ["*in-*", [9, 10]],
  ])("%s is matched against the whole label", async (glob, ids) => {
    expect(await idsOf(["--label", glob])).toEqual(ids);
  });

  test("a pattern with many asterisks does not hang on a long label", async () => {
    const labels = ["a".repeat(200), `${"a".repeat(200)}b`];
    const records = labels.map((label, at) => ({ id: at + 1, label }));
    expect(await idsOf(["--label", `${"*a".repeat(30)}*b`], records)).toEqual([2]);
  });

  test("rejects an empty label, and sends nothing", async () => {
    const { run } = await createCli();
    const outcome = await run(["rentals", "list", "--label", "", "--sandbox"]);
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    expect(outcome.err).toContain(
      "--label must not be empty: give a label or a quoted pattern, such as 'train-*'",
    );
  });
});

describe("rentals list --older-than", () => {
  test.each([
    ["1h", [9, 10]],
    ["3h", [10]],
    ["10s", [9, 10, 12]],
    ["29d", [10]],
    ["31d", [0]],
  ])("%s matches rentals that are older, but no rental whose age is unknown", async (age, ids) => {
    expect(await idsOf(`--older-than ${age}`)).toEqual(ids);
  });

  test("rejects an invalid duration, and sends nothing", async () => {
    const { run } = await createCli();
    const outcome = await run("rentals list --older-than yesterday --sandbox");
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    expect(outcome.err).toContain('--older-than must be a duration such as 30m, 12h or 7d, not "yesterday"');
  });
});

describe("rentals list --sort", () => {
  test.each([
    ["id:desc", [13, 12, 11, 10, 9]],
    ["label", [11, 10, 9, 12, 13]],
    ["GPU", [12, 11, 9, 10, 13]],
    ["costPerHourCents", [10, 11, 9, 12, 13]],
    ["$/h:desc", [9, 11, 10, 12, 13]],
    ["age", [12, 9, 10, 11, 13]],
    ["age:desc", [10, 9, 12, 11, 13]],
    ["created", [10, 9, 12, 11, 13]],
    ["created:asc", [10, 9, 12, 11, 13]],
  ])("%s sorts numbers and times by value, and puts rentals without a value last", async (column, ids) => {
    expect(await idsOf(["--sort", column])).toEqual(ids);
  });

  test("accepts a path that --columns also accepts", async () => {
    const records = [
      { id: 1, rack: { at: 20 } },
      { id: 2, rack: { at: 3 } },
    ];
    const { run } = await createCli({ respond: always(200, records) });
    const { out } = await run(
      "rentals list --type vm --columns rack.at --sort rack.at --no-header",
      overNetwork(),
    );
    expect(out.trim().split(/\s+/)).toEqual(["3", "20"]);
  });

  test.each(["shape", "label:up", ":desc", ""])("%j is rejected, and nothing is sent", async (column) => {
    const { run } = await createCli();
    const outcome = await run(["rentals", "list", "--sort", column, "--sandbox"]);
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    expect(outcome.err).toMatch(/--sort must be a column[\s\S]*Columns: id, label, state, type, gpu, /);
  });
});

describe("rentals list --limit", () => {
  test("is applied after filtering and sorting, in every format", async () => {
    expect(await idsOf("--label *a* --sort age --limit 2")).toEqual([12, 9]);
    const { run } = await createCli({ respond: always(200, rentals) });
    const { out } = await run("rentals list --type vm -o json --sort id:desc --limit 1", overNetwork());
    expect(JSON.parse(out)).toEqual([rentals[4]]);
  });

  test("keeps the order of the service without --sort", async () => {
    const { run } = await createCli({ respond: always(200, rentals) });
    const { out } = await run("rentals list --type vm -o json --limit 2", overNetwork());
    expect(JSON.parse(out)).toEqual(rentals.slice(0, 2));
  });

  test.each(["0", "-1", "1.5", "many"])("%s is rejected", async (limit) => {
    const { run } = await createCli();
    expect(await run(`rentals list --limit=${limit} --sandbox`)).toMatchObject({ code: 2, requests: [] });
  });
});

test("rentals list says that no rental matches", async () => {
  const { run } = await createCli({ respond: always(200, rentals) });
  expect(await run("rentals list --label nothing", overNetwork())).toMatchObject({
    code: 0,
    out: "",
    err: "No active rentals match.\n",
  });
});

test("rentals list --watch filters, sorts and limits, and does not count a rental beyond the limit as ended", async () => {
  const controller = new AbortController();
  const listings = [rentals, rentals.filter(({ id }) => id !== 9)];
  const { run } = await createCli({
    respond: () => {
      const next = listings.shift();
      if (next) return Response.json(next);
      controller.abort();
      return new Promise<Response>(() => {});
    },
  });
  const { out } = await run("rentals list --type vm --watch --label train* --sort id --limit 1", {
    ...overNetwork(),
    signal: controller.signal,
  });
  expect(out.match(/^\d+ /gm)).toEqual(["9 ", "10 "]);
  expect(out.match(/no longer listed/g)).toHaveLength(1);
});

describe("rentals history --limit", () => {
  const records = [{ id: 1 }, { id: 2 }, { id: 3 }];

  test("stops reading a long response", async () => {
    let read = 0;
    const body = new ReadableStream({
      pull(controller) {
        const text = read === 0 ? "[" : ",";
        controller.enqueue(new TextEncoder().encode(`${text}{"id":${++read}}`));
      },
    });
    const { run } = await createCli({ respond: () => new Response(body) });
    const { code, out } = await run("rentals history --limit 3 -o json", overNetwork());
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 0, out: records });
    expect(read).toBeLessThan(100);
  });

  test("also limits a response that is a page object", async () => {
    const { run } = await createCli({ respond: always(200, { items: records }) });
    const { out } = await run("rentals history --limit 2 -o id", overNetwork());
    expect(out).toBe("1\n2\n");
  });

  test("requests no more pages than it needs", async () => {
    let page = 0;
    const { run } = await createCli({
      negotiates: true,
      only: "replacements",
      respond: ({ path }) => {
        if (path !== "/v2/on-demand/rentals/history") return undefined;
        page += 1;
        return Response.json({ rentals: [{ id: page * 2 - 1 }, { id: page * 2 }], nextCursor: `${page}` });
      },
    });
    const { out } = await run("rentals history --limit 4 -o id", overNetwork());
    expect({ out, page }).toEqual({ out: "1\n2\n3\n4\n", page: 2 });
  });
});
