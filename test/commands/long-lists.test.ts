import { describe, expect, test } from "vitest";
import { ConnectionFailed } from "../../src/core/service-errors.ts";
import { createCli, type Responder } from "../support/cli.ts";
import { key, overNetwork } from "../support/service.ts";

const json = { headers: { "Content-Type": "application/json" } };
/** With this limit in bytes, every list here counts as long, so gpuctl prints it while it arrives. */
const streamed = { shortList: 10 };

const machine = (id: number) => ({
  id,
  label: `${id % 2 === 0 ? "train" : "serve"}-${id}`,
  status: "Running",
  costPerHourCents: 100 * (id % 7),
  createdAt: "2026-09-12T13:59:00Z",
});
const machines = Array.from({ length: 40 }, (_, id) => machine(id));
const metal = Array.from({ length: 3 }, (_, id) => ({ ...machine(100 + id), gpuCount: 8 }));
/** Replaces a number with one whose digits JavaScript would change. */
const exact = (text: string) => text.replaceAll('"costPerHourCents":100,', '"costPerHourCents":100.50,');

/** A response in pieces that end in the middle of records. The connection breaks after `pieces` pieces. */
function inPieces(records: readonly unknown[], pieces = Number.POSITIVE_INFINITY): Response {
  const all = exact(JSON.stringify(records)).match(/.{1,150}/gs) ?? [];
  let sent = 0;
  const body = new ReadableStream({
    pull: (controller) => {
      if (sent === pieces) return controller.error(broken);
      if (sent === all.length) return controller.close();
      controller.enqueue(Buffer.from(all[sent] ?? ""));
      sent += 1;
    },
  });
  return new Response(body, json);
}

const broken = new ConnectionFailed("the connection broke", { code: "ECONNRESET", sent: true });
const isMetal = (path: string) => path.includes("bare-metal");
const both: Responder = ({ path }) => inPieces(isMetal(path) ? metal : machines);

async function output(line: string, respond: Responder, limits?: { readonly shortList: number }) {
  const { run } = await createCli({ respond, ...(limits && { limits }) });
  return run(`${line} --retries 0`, overNetwork());
}

describe("a long list is printed like a short one", () => {
  const formats = ["table", "json", "jsonl", "yaml", "csv", "tsv", "id"].map((format) => `-o ${format}`);
  const flags = [
    "--label train-*",
    "--older-than 1s -o id",
    "--sort costPerHourCents:desc --limit 5",
    "--limit 41 -o id",
    "--columns id,label,costPerHourCents --no-header",
    "--type bare-metal",
    "--jq length",
    "--jq .[].id",
  ];
  test.each([...formats, ...flags])("rentals list %s", async (words) => {
    const long = await output(`rentals list ${words}`, both, streamed);
    expect(long).toMatchObject({ code: 0, err: "" });
    expect(long.out).toBe((await output(`rentals list ${words}`, both)).out);
    expect(long.out).not.toBe("");
  });

  test.each(["-o table", "-o json"])("volumes list %s", async (words) => {
    const long = await output(`volumes list ${words}`, both, streamed);
    expect(long.out).toBe((await output(`volumes list ${words}`, both)).out);
  });

  test.each(["", "-o table", "-o yaml", "-o csv", "-o id"])("api call %s", async (words) => {
    const line = `api call GET /v2/on-demand/virtual-machine-rentals ${words}`;
    const long = await output(line, both, streamed);
    expect(long.out).toContain("39");
    expect(long.out).toBe((await output(line, both)).out);
  });

  test("with all digits of numbers", async () => {
    const { out } = await output("rentals list -o jsonl", both, streamed);
    expect(out.split("\n")[1]).toBe(exact(JSON.stringify(machine(1))));
  });
});

test("a filtered list that does not fit in memory cannot control the terminal or show the key", async () => {
  // The filter joins the halves of the key.
  const label = `\u001b]0;title\u0007${"long label ".repeat(20)}${key.slice(0, 9)}`;
  const labeled = Array.from({ length: 2000 }, (_, id) => ({ ...machine(id), label, rest: key.slice(9) }));
  const { run } = await createCli({ respond: ({ path }) => inPieces(isMetal(path) ? [] : labeled) });
  const line = 'rentals list --jq ".[] | .label + .rest"';
  const { code, out, err } = await run(line, { ...overNetwork(), terminal: 80 });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.split("\n")).toHaveLength(2001);
  expect(out).not.toContain(key);
  expect(out).not.toContain("\u001b");
});

test.each(["rentals list --type vm", "volumes list", "api call GET /v2/on-demand/storage-volumes"])(
  "%s prints a long list while it arrives",
  async (line) => {
    let finish = () => {};
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(Buffer.from(`[${Array.from({ length: 2000 }, () => '{"id":1}')},`));
        finish = () => {
          finish = () => {};
          controller.enqueue(Buffer.from('{"id":2}]'));
          controller.close();
        };
      },
    });
    const { run } = await createCli({
      limits: streamed,
      respond: ({ path }) => (path.includes("on-demand") ? new Response(body, json) : undefined),
    });
    const messages = {
      read: (async function* () {})(),
      write: (text: string) => {
        if (text.startsWith("1\n")) finish();
      },
    };
    const { code } = await run(`${line} -o id`, { ...overNetwork(), messages });
    expect(code).toBe(0);
  },
);

describe("a long listing that breaks off", () => {
  const breaking: Responder = ({ path }) => (isMetal(path) ? inPieces(metal) : inPieces(machines, 20));

  test.each(["-o id", "--jq .[].id"])(
    "is printed as far as it arrived, and the complete listing of bare metal follows: %s",
    async (words) => {
      const { code, out, err } = await output(`rentals list ${words}`, breaking, streamed);
      const ids = out.trimEnd().split("\n").map(Number);
      expect(code).toBe(9);
      expect(ids.slice(-4)).toEqual([ids.length - 4, 100, 101, 102]);
      expect(ids.length).toBeGreaterThan(10);
      expect(err).toContain("The list of virtual machines broke off; there may be more of them.");
    },
  );

  test.each(["table", "jsonl", "csv", "id"])(
    "is printed as far as it arrived, also if there is no other listing: -o %s",
    async (format) => {
      const { code, out } = await output(`volumes list -o ${format}`, () => inPieces(machines, 20), streamed);
      expect(code).toBe(9);
      expect(out.trimEnd().split("\n").length).toBeGreaterThan(10);
    },
  );

  test("leaves the output of -o json a valid document, which ends with the complete listing of bare metal", async () => {
    const { code, out } = await output("rentals list -o json", breaking, streamed);
    expect(code).toBe(9);
    expect(JSON.parse(out).at(-1)).toMatchObject({ id: 102 });
  });

  test.each(["json", "yaml"])("is not printed as %s if no other listing is complete", async (format) => {
    const alone = await output(`rentals list --type vm -o ${format}`, breaking, streamed);
    expect(alone).toMatchObject({ code: 9, out: "" });
    const neither = await output(`rentals list -o ${format}`, () => inPieces(machines, 20), streamed);
    expect(neither).toMatchObject({ code: 9, out: "" });
  });

  test("is requested again, and not printed in part, if the received part is short", async () => {
    let attempts = 0;
    const { run } = await createCli({
      respond: ({ path }) => {
        if (isMetal(path)) return inPieces(metal);
        attempts += 1;
        return attempts === 1 ? inPieces(machines, 20) : inPieces(machines);
      },
    });
    const { code, out } = await run("rentals list -o id --retries 1", overNetwork());
    expect({ code, count: out.trimEnd().split("\n").length }).toEqual({ code: 0, count: 43 });
    const short = await output("rentals list -o id", breaking);
    expect(short).toMatchObject({ code: 9, out: "100\n101\n102\n" });
  });
});

test("--sort with --limit keeps the right records of a much longer list", async () => {
  const many = Array.from({ length: 25_000 }, (_, id) => ({ id, costPerHourCents: (id * 7919) % 25_000 }));
  const { run } = await createCli({ respond: () => Response.json(many) });
  const line = "rentals list --type vm --sort costPerHourCents --limit 3 --jq .[].costPerHourCents";
  expect((await run(line, overNetwork())).out).toBe("0\n1\n2\n");
});

describe("--jq on a long list, which is filtered in parts", () => {
  const large = Array.from({ length: 15 }, (_, id) => ({ id, pad: "x".repeat(100_000) }));
  const filtered = async (filter: string) => {
    const { run } = await createCli({ respond: () => Response.json(large) });
    return run(["rentals", "list", "--type", "vm", "--jq", filter], overNetwork());
  };

  test.each([".[].id", " .[]?|select(.id >= 0) | .id"])("applies %s to each record", async (filter) => {
    expect((await filtered(filter)).out).toBe(large.map(({ id }) => `${id}\n`).join(""));
  });

  test.each([
    ["length", "15\n"],
    [".[0].id, .[-1].id", "0\n14\n"],
    [".[].id |= 7 | map(.id) | add", "105\n"],
    ["[.[] | .id] | max", "14\n"],
    [".[] | .id, halt", "0\n"],
  ])("applies %s to the whole list", async (filter, printed) => {
    expect((await filtered(filter)).out).toBe(printed);
  });

  test("keeps the results of later parts correct if a part must be filtered again", async () => {
    const { code, out } = await filtered(
      '.[] | .id, (select(.id == 0) | ("x" * 500) as $x | range(40000) | $x)',
    );
    expect(code).toBe(0);
    const ids = out.split("\n").filter((line) => line !== "x".repeat(500));
    expect(ids.join("\n")).toBe(large.map(({ id }) => `${id}\n`).join(""));
  });

  test("prints nothing if it fails on the last record", async () => {
    const { code, out, err } = await filtered(".[] | if .id == 14 then error else .id end");
    expect({ code, out }).toEqual({ code: 7, out: "" });
    expect(JSON.parse(err).error.message).toContain("--jq failed on the result");
  });
});
