import { describe, expect, test } from "vitest";
import { documentedDescription } from "../../src/cli/start/service-description.ts";
import { routes } from "../../src/contract/generated/routes.ts";
import { createCli, type Responder } from "../support/cli.ts";
import { commands } from "../support/commands.ts";
import { description, descriptionPath, requestLines, service } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";
import { typedAs } from "../support/typed.ts";
import { validInput } from "../support/valid-inputs.ts";

const create = "/v2/on-demand/virtual-machine-rentals";
const replacement = "/v2/on-demand/rentals";
const vm = "rentals create vm --gpus 1 --gpu b300 --yes -o json";

const json = (schema: object) => ({ requestBody: { content: { "application/json": { schema } } } });
const gpus = (...names: readonly string[]) => ({ properties: { gpuType: { enum: names } } });

/** A service that has this description and accepts any request. */
const described =
  (document: object): Responder =>
  ({ path, method }) =>
    Response.json(path === descriptionPath ? document : method === "GET" ? [] : { id: 1 });

/** The documented description with one more value in every enum. */
const withNewChoices: object = JSON.parse(
  JSON.stringify(await documentedDescription({ sandbox: false }), (key, value) =>
    key === "enum" ? [...value, "news"] : value,
  ),
);

/**
 * Every flag with choices that sets a field. `rentals run` is left out: it needs ssh, and it has the choices of
 * `rentals create vm`.
 */
const choices = commands.flatMap((spec) => {
  const { operation: id } = spec;
  return id === undefined || spec.path.join(" ") === "rentals run"
    ? []
    : spec.flags.flatMap(({ names: [name], field, choices: listed }) =>
        field && listed ? [{ spec, id, name, field }] : [],
      );
});

describe("a choice that only the service's description lists", () => {
  test.each(choices.map((one) => [`${one.spec.path.join(" ")} --${one.name}`, one] as const))(
    "is sent: %s",
    async (_name, { spec, id, field }) => {
      const { run } = await createCli({ respond: described(withNewChoices), negotiates: true });
      const words = typedAs(spec, { ...validInput(id), [field]: "news" }, "");
      if (words === undefined) throw new Error("no command line expresses this input");
      const { requests } = await run([...words, "--yes"], overNetwork());
      const { method, path } = routes[id];
      expect(requests.findLast((one) => one.method === method && one.path === path)?.body).toMatchObject({
        [field]: "news",
      });
      expect(requests.filter((one) => one.path === descriptionPath)).toHaveLength(1);
    },
  );

  const components = {
    schemas: { Gpu: { enum: ["b300"] }, Loop: { allOf: [{ $ref: "#/components/schemas/Loop" }] } },
  };
  test.each([
    ["for the operation", { [`POST ${create}`]: json(gpus("b300")) }],
    [
      "for the replacement of the operation",
      { [`POST ${create}`]: json(gpus("h100")), [`POST ${replacement}`]: json(gpus("b300")) },
    ],
    [
      "behind a reference",
      { [`POST ${create}`]: json({ properties: { gpuType: { $ref: "#/components/schemas/Gpu" } } }) },
    ],
    [
      "in a part of an allOf",
      { [`POST ${create}`]: json({ allOf: [{ $ref: "#/components/schemas/Loop" }, gpus("b300")] }) },
    ],
    [
      "as a constant",
      {
        [`POST ${create}`]: json({
          properties: { gpuType: { anyOf: [{ const: "h100" }, { const: "b300" }] } },
        }),
      },
    ],
    [
      "in the query",
      { [`POST ${create}`]: { parameters: [{ name: "gpuType", in: "query", schema: { enum: ["b300"] } }] } },
    ],
    [
      "in the schema for the type of rental",
      {
        [`POST ${replacement}`]: json({
          oneOf: [
            { properties: { rentalType: { const: "bare-metal" }, gpuType: { enum: ["h100"] } } },
            { properties: { rentalType: { const: "virtual-machine" }, gpuType: { enum: ["b300"] } } },
          ],
        }),
      },
    ],
  ])("is found %s", async (_where, operations) => {
    const document = { ...description(operations), components };
    const { run } = await createCli({ respond: described(document), negotiates: true });
    const { code, requests } = await run(vm, overNetwork());
    expect(code).toBe(0);
    expect(requests.at(-1)?.body).toMatchObject({ gpuType: "b300" });
  });

  test("is accepted in a dry run only when the description is cached", async () => {
    const { run } = await createCli({
      respond: described(description({ [`POST ${create}`]: json(gpus("b300")) })),
      negotiates: true,
    });
    expect(await run(`${vm} --dry-run`, overNetwork())).toMatchObject({ code: 2, requests: [] });
    await run("api spec", overNetwork());
    const { code, out, requests } = await run(`${vm} --dry-run`, overNetwork());
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(JSON.parse(out).request.body).toEqual({ gpuCount: 1, gpuType: "b300" });
  });

  test("is found when it is newer than the cached description", async () => {
    let listed = gpus("h100");
    const { run } = await createCli({
      respond: (request) => described(description({ [`POST ${create}`]: json(listed) }))(request),
      negotiates: true,
    });
    await run("api spec", overNetwork());
    listed = gpus("b300");
    expect((await run(vm, overNetwork())).code).toBe(0);
  });

  test("does not disable validation of the other fields", async () => {
    const { run } = await createCli({ respond: described(withNewChoices), negotiates: true });
    const line = "rentals create bare-metal --gpus 9 --gpu news --network-type ethernet --yes";
    const { code, err, requests } = await run(line, overNetwork());
    expect(code).toBe(2);
    expect(err).toContain("--gpus must be a multiple of 8");
    expect(err).not.toContain("news");
    expect(requestLines(requests)).toEqual([`GET ${descriptionPath}`]);
    const picture = await run("image waves --model news --size 5x5", overNetwork());
    expect(picture).toMatchObject({ code: 2 });
    expect(picture.err).toContain("5x5 is not a supported resolution");
  });
});

describe("an unknown choice", () => {
  const rejection =
    'Error: --gpu must be one of h100, h200, b200, rtx-6000-pro, not "b300" (Did you mean b200?)\nNothing was sent.\n';

  test.each([
    [
      "the description does not list it",
      service({
        [`GET ${descriptionPath}`]: () =>
          Response.json(description({ [`POST ${create}`]: json(gpus("h100")) })),
      }),
    ],
    [
      "it is listed only for the other type of rental",
      service({
        [`GET ${descriptionPath}`]: () =>
          Response.json(
            description({
              [`POST ${replacement}`]: json({
                oneOf: [{ properties: { rentalType: { const: "bare-metal" }, gpuType: { enum: ["b300"] } } }],
              }),
            }),
          ),
      }),
    ],
  ])("is rejected when %s, and only the description is requested", async (_why, respond) => {
    const { run } = await createCli({ respond, negotiates: true });
    const { code, out, err, requests } = await run(
      `${vm.replace(" -o json", "")} --timeout 50ms`,
      overNetwork(),
    );
    expect({ code, out, err }).toEqual({ code: 2, out: "", err: rejection });
    expect(requestLines(requests)).toEqual([`GET ${descriptionPath}`]);
  });

  test.each([
    ["is missing", service({})],
    ["fails", () => new Response("", { status: 500 })],
    ["never arrives", () => new Promise<Response>(() => {})],
  ] as const)(
    "is rejected when the description %s, and the error says how to continue",
    async (_why, respond) => {
      const { run } = await createCli({ respond, negotiates: true });
      const { code, out, err, requests } = await run(
        `${vm.replace(" -o json", "")} --timeout 50ms`,
        overNetwork(),
      );
      expect({ code, out, err }).toEqual({
        code: 2,
        out: "",
        err: `${rejection.trimEnd()} The service's OpenAPI description, which may list more values, is not available; --no-validate sends the value as it is.\n`,
      });
      expect(requestLines(requests)).toEqual([`GET ${descriptionPath}`]);
      const past = await run(`${vm} --no-validate --timeout 50ms`, overNetwork());
      expect(past.requests.find(({ method }) => method === "POST")).toMatchObject({
        body: { gpuType: "b300" },
      });
    },
  );

  test.each([
    ["in the sandbox", "--sandbox", overNetwork()],
    ["in a dry run", "--dry-run", overNetwork()],
    ["without a base URL", "", {}],
  ])("causes no request %s", async (_where, flag, options) => {
    const { run } = await createCli({ negotiates: true });
    const { code, err, requests } = await run(`${vm} ${flag}`, options);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).not.toContain("not available");
  });
});
