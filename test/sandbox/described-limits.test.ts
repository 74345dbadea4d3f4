import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect, test, vi } from "vitest";
import type { Operation } from "../../src/contract/operation.ts";
import { servedOperations } from "../../src/sandbox/assumed/index.ts";
import { openSandbox, origin } from "./harness.ts";

// Drawing every accepted picture would take too long.
vi.mock("../../src/sandbox/engines/picture/draw.ts", () => ({ drawPicture: async () => new Uint8Array() }));

const values: readonly unknown[] = [
  ...[-1, 0, 0.5, 1, 1.5, 8, 99.5, 100, 256, 4096, 4104, 2 ** 53],
  ...["", "a", "words to say", "1001", "reserved", "x".repeat(300), "x".repeat(10_001)],
  ...[true, false, null, [], {}, [1], [0], ["1001"], [""], [{}]],
];

const withBody = Object.values<Operation>(servedOperations).filter(({ in: place }) => place === "body");

test.each(withBody)(
  "the description of $id and the sandbox agree on which values are refused",
  async (operation) => {
    const sandbox = await openSandbox();
    await sandbox.seed(
      JSON.stringify({
        rentals: [{ rentalType: "bare-metal", gpuCount: 8, networkType: "ethernet" }],
        volumes: [{ id: 7, region: "us-central-1", label: "data", sizeInGb: 256 }],
      }),
    );
    const { paths, components } = await sandbox.ask("getOpenApiDocument");
    const { method, path, notes = [] } = operation;
    const described = Object(Object(paths[path])[method.toLowerCase()]);
    const { schema, example } = described.requestBody.content["application/json"];
    const shapes: readonly { properties: object }[] = schema.oneOf?.map(
      ({ $ref = "" }) => Object(components?.schemas)[$ref.replace(/.*\//, "")],
    ) ?? [schema];
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const accepts = ajv.compile({ ...schema, components });
    expect(accepts(example)).toBe(true);
    // The notes of the contract are left out. They name fields, but only to list LoRAs and to explain the price. They
    // do not say which values are refused.
    const text = notes.reduce((rest, note) => rest.replace(note, ""), String(described.description));
    const headers = { authorization: `Bearer ${sandbox.keys.full}` };
    for (const name of new Set(shapes.flatMap(({ properties }) => Object.keys(properties)))) {
      for (const value of values) {
        const input = { ...example, [name]: value };
        const sent = new Request(origin + path, { method, headers, body: JSON.stringify(input) });
        const response = await sandbox.fetch(sent);
        const shown = `${name}: ${JSON.stringify(value).slice(0, 40)}`;
        if (!accepts(input)) expect(response.status, `the schema refuses ${shown}`).toBe(400);
        if (response.status !== 400 || !accepts(input)) continue;
        const { issues } = Object(await response.json());
        for (const {
          path: [field],
        } of issues) {
          expect(text, `the schema accepts ${shown}`).toMatch(new RegExp(`\\b${field}\\b`));
        }
      }
    }
  },
);
