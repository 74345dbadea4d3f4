import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { always, overNetwork } from "../support/service.ts";

async function withTwoRentals() {
  const cli = await createCli();
  await cli.run("rentals create vm --gpus 2 --gpu h200 --label trainer --sandbox --yes");
  await cli.run("rentals create bare-metal --gpus 8 --network-type infiniband --sandbox --yes");
  return cli;
}

describe("rentals list", () => {
  test("shows both types in one list, and shortens no column in a pipe", async () => {
    const { run, advance } = await withTwoRentals();
    advance(60_000);
    const { code, out, err, requests } = await run("rentals list --sandbox");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(requests.map(({ path }) => path)).toEqual([
      "/v2/on-demand/virtual-machine-rentals",
      "/v2/on-demand/bare-metal-rentals",
    ]);
    expect(out).toMatchInlineSnapshot(`
      "ID    LABEL    STATE    TYPE        GPU      REGION        TERM          $/H  SSH                 AGE
      1001  trainer  Running  vm          2x h200  us-central-1  on-demand   $5.20  ubuntu@192.0.2.240  2026-11-20T12:00:00.000Z
      1002  bm-1002  Running  bare-metal  8x h100  us-central-1  on-demand  $16.00  ubuntu@192.0.2.241  2026-11-20T12:00:00.000Z
      "
    `);
  });

  test.each([80, 100])(
    "fits a terminal of %i columns, and says which columns it leaves out",
    async (terminal) => {
      const { run, advance } = await withTwoRentals();
      advance(60_000);
      const { out, err } = await run("rentals list --sandbox --color never", { terminal });
      for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(terminal);
      expect(out).toMatch(/^1001 +trainer +Running +vm +2x h200 .*\$5\.20 /m);
      expect(out).toMatch(/^1002 +bm-1002 +Running +bare-metal +8x h100 .*\$16\.00 /m);
      expect(err).toMatch(
        terminal === 80
          ? /^Columns left out to fit: REGION, TERM\. See --columns id,region,term or -o json\.$/m
          : /^Columns left out to fit: TERM\. See --columns id,term or -o json\.$/m,
      );
      expect(out + err).toMatchSnapshot();
    },
  );

  test("leaves out the column TYPE and keeps REGION if all rentals are virtual machines", async () => {
    const { run, advance } = await createCli();
    await run("rentals create vm --gpus 2 --gpu h200 --sandbox --yes");
    advance(60_000);
    const { out, err } = await run("rentals list --sandbox --color never", { terminal: 80 });
    expect(`${out}${err}`).toMatchInlineSnapshot(`
      "ID    LABEL    STATE    GPU      REGION          $/H  SSH                 AGE
      1001  vm-1001  Running  2x h200  us-central-1  $5.20  ubuntu@192.0.2.240  1m ago
      Columns left out to fit: TYPE, TERM. See --columns id,type,term or -o json.
      "
    `);
    const chosen = await run("rentals list --sandbox --columns id,type,term", { terminal: 80 });
    expect(chosen.out).toMatch(/1001 +vm +on-demand/);
    expect(chosen.err).toBe("");
  });

  test("does not report omitted columns with --quiet or when stdout is not a terminal", async () => {
    const { run } = await withTwoRentals();
    expect((await run("rentals list --sandbox --quiet", { terminal: 60 })).err).toBe("");
    expect((await run("rentals list --sandbox")).err).toBe("");
  });

  test.each([
    ["vm", "1001\n", "/v2/on-demand/virtual-machine-rentals"],
    ["bare-metal", "1002\n", "/v2/on-demand/bare-metal-rentals"],
  ])("--type %s requests only that type", async (type, ids, path) => {
    const { run } = await withTwoRentals();
    const { out, requests } = await run(`rentals list --type ${type} -o id --sandbox`);
    expect(out).toBe(ids);
    expect(requests.map((request) => request.path)).toEqual([path]);
  });

  test("prints JSON as the service sent it", async () => {
    const record = { id: 7, status: "Frozen", news: [null, { x: 1 }] };
    const { run } = await createCli({ respond: always(200, [record]) });
    const { out } = await run("rentals list --type vm -o json", overNetwork());
    expect(JSON.parse(out)).toEqual([record]);
  });

  test("prints an empty list as [] in JSON, and as a message on stderr in a table", async () => {
    const { run } = await createCli();
    expect(await run("rentals list -o json --sandbox")).toMatchObject({ code: 0, out: "[]\n", err: "" });
    expect(await run("rentals list --sandbox")).toMatchObject({
      code: 0,
      out: "",
      err: "No active rentals.\n",
    });
    expect(await run("rentals list --sandbox --quiet")).toMatchObject({ code: 0, out: "", err: "" });
  });

  test("sends --include-cluster-pools only for virtual machines", async () => {
    const { run } = await createCli();
    const { requests } = await run("rentals list --include-cluster-pools --sandbox");
    expect(requests.map(({ query }) => query)).toEqual([{ includeClusterPools: "true" }, {}]);
    const wrong = await run("rentals list --include-cluster-pools --type bare-metal --sandbox");
    expect(wrong).toMatchObject({ code: 2, out: "", requests: [] });
  });

  test("accepts a page object, null values and missing fields", async () => {
    const { run } = await createCli({ respond: always(200, { items: [{ id: "r-1", status: null }, {}] }) });
    const { code, out } = await run("rentals list --type vm", overNetwork());
    expect(code).toBe(0);
    expect(out.split("\n")[1]).toContain("r-1");
  });
});

test("rentals history prints a message if no rental has ended", async () => {
  const { run } = await createCli();
  expect(await run("rentals history --sandbox")).toMatchObject({
    code: 0,
    out: "",
    err: "No past rentals.\n",
  });
});

test("rentals history shows ended rentals", async () => {
  const { run, advance } = await createCli();
  await run(
    "rentals create vm --gpus 1 --term-type reserved --days 1 --no-convert-to-on-demand-on-expiry --sandbox --yes",
  );
  advance(2 * 86_400_000);
  const { out } = await run("rentals history --sandbox");
  expect(out).toMatchInlineSnapshot(`
    "ID    LABEL    STATE       TYPE  GPU      REGION        TERM        $/H  STARTED                   ENDED
    1001  vm-1001  Terminated  vm    1x h100  us-central-1  reserved  $2.00  2026-11-20T12:00:02.000Z  2026-11-21T12:00:02.000Z
    "
  `);
});

test("in tables and TSV, rentals list spells known types as --type does; in JSON, it prints every type as the service sent it", async () => {
  const types = ["virtual-machine", "VM", "bare-metal", "BareMetal", "pod"];
  const { run } = await createCli({
    respond: ({ path }) =>
      Response.json(path.includes("bare") ? [] : types.map((rentalType, id) => ({ id, rentalType }))),
  });
  const shown = async (flags: string) => (await run(`rentals list ${flags}`, overNetwork())).out;
  expect((await shown("--columns type --no-header")).split("\n")).toEqual([
    "vm",
    "vm",
    "bare-metal",
    "bare-metal",
    "pod",
    "",
  ]);
  expect(await shown("--columns type --no-header -o tsv")).toBe("vm\nvm\nbare-metal\nbare-metal\npod\n");
  expect(
    JSON.parse(await shown("-o json")).map(({ rentalType }: { rentalType: string }) => rentalType),
  ).toEqual(types);
});
