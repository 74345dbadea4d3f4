import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { asked, description, descriptionPath, notFound, service } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const vm = "rentals create vm --gpus 1 --label trial --yes --sandbox";
const bareMetal = "rentals create bare-metal --gpus 8 --network-type ethernet --yes --sandbox";

describe("rentals terminate", () => {
  test("ends each rental by the operation of its type", async () => {
    const { run } = await createCli();
    await run(vm);
    await run(bareMetal);
    const { code, out, requests } = await run("rentals terminate 1001 1002 1001 --yes --sandbox");
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "ID    LABEL    MESSAGE
      1001  trial    Rental 1001 was ended.
      1002  bm-1002  Rental 1002 was ended.
      "
    `);
    expect(asked(requests).filter((line) => line.startsWith("POST"))).toEqual([
      "POST /v2/on-demand/virtual-machine-rentals/terminate",
      "POST /v2/on-demand/bare-metal-rentals/terminate",
    ]);
    expect(JSON.parse((await run("rentals list -o json --sandbox")).out)).toEqual([]);
  });

  test("passes the answers through", async () => {
    const { run } = await createCli();
    await run(vm);
    const { out } = await run("rentals terminate 1001 --yes -o json --sandbox");
    expect(JSON.parse(out)).toEqual([{ message: "Rental 1001 was ended.", rentalId: 1001 }]);
  });

  test("names each rental and its label before it does", async () => {
    const { run } = await createCli();
    await run(vm);
    await run(vm);
    const asked: string[] = [];
    const confirm = async ({ message }: { message: string }) => {
      asked.push(message);
      return false;
    };
    const refused = await run("rentals terminate 1001 1002 --sandbox", {
      terminal: 80,
      prompts: { confirm },
    });
    expect(refused.code).toBe(130);
    expect(asked.join()).toContain("End 1001 (trial), 1002 (trial)?");
    expect(refused.requests.filter(({ method }) => method === "POST")).toEqual([]);
    expect(await run("rentals terminate 1001 --sandbox")).toMatchObject({ code: 2, out: "" });
  });

  test("ends nothing when one of them is not there", async () => {
    const { run } = await createCli();
    await run(vm);
    const { code, err, requests } = await run("rentals terminate 1001 999 --yes --sandbox");
    expect(code).toBe(5);
    expect(err).toContain("999");
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  test("shows its requests in a dry run, and asks nobody", async () => {
    const { run } = await createCli();
    const { code, out, requests } = await run("rentals terminate 1001 --dry-run --sandbox");
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(out).toContain("/terminate");
  });

  test("of one that ended already tells so, and ends the others", async () => {
    const { run } = await createCli();
    for (const line of [vm, vm, "rentals terminate 1001 --yes --sandbox"]) await run(line);
    const { code, out, err } = await run("rentals terminate 1001 1002 --yes --sandbox -o json");
    expect({ code, out }).toEqual({ code: 6, out: "" });
    expect(JSON.parse(err).error.hint).toMatch(/Ended: 1002\. Failed: 1001/);
    expect((await run("rentals list -o id --sandbox")).out).toBe("");
  });
});

const lookup = ({ query }: { query: Readonly<Record<string, string>> }) =>
  Response.json({ state: "active", id: Number(query.rentalId), status: "Running", label: "mine" });
const json = (properties: object) => ({
  requestBody: { content: { "application/json": { schema: { type: "object", properties } } } },
});

describe("another's service", () => {
  test("that lists no such operation is told so, and what to do", async () => {
    const { run } = await createCli({
      answer: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({})),
        "GET /v2/on-demand/rental": lookup,
      }),
    });
    const { code, err, requests } = await run("rentals terminate 7 --yes", overNetwork());
    expect(code).toBe(5);
    expect(err).toContain("dashboard");
    expect(requests).toHaveLength(1);
  });

  test("without a description ends nothing", async () => {
    const { run } = await createCli({ answer: () => notFound() });
    expect(await run("rentals terminate 7 --yes", overNetwork())).toMatchObject({ code: 5, out: "" });
  });

  test.each([
    ["POST /v2/on-demand/rentals/terminate", json({ rentalId: {} }), { rentalId: 7 }],
    ["POST /v2/rentals/{rentalId}/terminate", {}, undefined],
    ["DELETE /v2/on-demand/rentals/{id}", {}, undefined],
    ["POST /v2/instance-operations/terminate", json({ rental_ids: { type: "array" } }), { rental_ids: [7] }],
    ["POST /v2/on-demand/virtual-machine-rentals/terminate", {}, { rentalId: 7 }],
  ])("is asked by %s", async (operation, described, body) => {
    const path = operation.replace(/\{\w+\}/, "7").split(" ")[1] ?? "";
    const { run } = await createCli({
      answer: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [operation]: described })),
        "GET /v2/on-demand/rental": lookup,
        [operation.replace(/\{\w+\}/, "7")]: () => new Response(null, { status: 204 }),
      }),
    });
    const { code, out, requests } = await run("rentals terminate 7 --yes -o id", overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: "7\n" });
    expect(requests.at(-1)).toMatchObject({ path, body });
  });

  test("whose records have no type is asked by the listing that holds the rental", async () => {
    const end = "POST /v2/on-demand/bare-metal-rentals/terminate";
    const document = description({ [end]: {}, "POST /v2/on-demand/virtual-machine-rentals/terminate": {} });
    const { run } = await createCli({
      answer: service({
        [`GET ${descriptionPath}`]: () => Response.json(document),
        "GET /v2/on-demand/rental": lookup,
        "GET /v2/on-demand/bare-metal-rentals": () => Response.json([{ id: 7 }]),
        "GET /v2/on-demand/virtual-machine-rentals": () => Response.json([]),
        [end]: () => Response.json({ message: "bye", rentalId: 7 }),
      }),
    });
    const { code, requests } = await run("rentals terminate 7 --yes", overNetwork());
    expect(code).toBe(0);
    expect(asked(requests).at(-1)).toBe(end);
  });

  test("that fails in the middle is looked at, and asked once", async () => {
    const end = "POST /v2/on-demand/rentals/terminate";
    const { run } = await createCli({
      answer: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
        "GET /v2/on-demand/rental": lookup,
        [end]: ({ body }) =>
          Object(body).rentalId === 8 ? new Response("", { status: 502 }) : Response.json({ rentalId: 7 }),
      }),
    });
    const { code, err, requests } = await run("rentals terminate 8 7 --yes", overNetwork());
    expect(code).toBe(10);
    expect(err).toContain("Ended: 7. Failed: 8");
    expect(err).toContain("Rental 8 is Running now.");
    expect(asked(requests).filter((line) => line === end)).toHaveLength(2);
  });
});
