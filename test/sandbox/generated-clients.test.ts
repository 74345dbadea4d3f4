import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox } from "../../src/library/sandbox.ts";
import { runProgram } from "../support/process.ts";

/** A folder in which the generators are installed, with the TypeScript that they work with. `.ci/full` makes one. */
const generators = process.env.GPUCTL_TEST_GENERATORS;

const bin = (name: string) => join(generators ?? "", "node_modules", ".bin", name);

/** For each generator, a program that rents a machine and ends the rental with the generated client or types. */
const scenarios = {
  "openapi-typescript": {
    generate: [bin("openapi-typescript"), "openapi.json", "-o", "client.ts"],
    program: `import type { components, paths } from "./client.js";
type Body = paths["/v2/on-demand/bare-metal-rentals"]["post"]["requestBody"]["content"]["application/json"];
type Rental = components["schemas"]["Rental"];
async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { Authorization: "Bearer " + process.argv[3], "Content-Type": "application/json" };
  const response = await fetch(process.argv[2] + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}
const input: Body = {
  gpuCount: 8, networkType: "infiniband", region: "us-central-1", gpuType: "h100", termType: "on-demand",
  discountPercentage: 0, convertToOnDemandOnExpiry: true,
  storageVolume: { isNew: true, label: "data", sizeInGb: 512 },
};
const rental = await send<Rental>("POST", "/v2/on-demand/bare-metal-rentals", input);
const id: string | number = rental.id;
await send("POST", "/v2/on-demand/bare-metal-rentals/terminate", { rentalId: id });
console.log(typeof id, rental.status.length > 0);
`,
  },
  "hey-api": {
    generate: [bin("openapi-ts"), "-i", "openapi.json", "-o", "client", "-c", "@hey-api/client-fetch"],
    program: `import { client } from "./client/client.gen.js";
import { createBareMetalRental, terminateBareMetalRental } from "./client/sdk.gen.js";
client.setConfig({ baseUrl: process.argv[2]!, auth: process.argv[3]! });
const { data: rental } = await createBareMetalRental({
  throwOnError: true,
  body: { gpuCount: 8, networkType: "infiniband", storageVolume: { isNew: true, label: "data", sizeInGb: 512 } },
});
const id: string | number = rental.id;
await terminateBareMetalRental({ throwOnError: true, body: { rentalId: id } });
console.log(typeof id, rental.status.length > 0);
`,
  },
  orval: {
    generate: [bin("orval"), "--input", "openapi.json", "--output", "client.ts", "--client", "fetch"],
    program: `import { createBareMetalRental, terminateBareMetalRental } from "./client.js";
const request = globalThis.fetch;
globalThis.fetch = (path, init) => request(new URL(String(path), process.argv[2]!), init);
const options = { headers: { Authorization: "Bearer " + process.argv[3] } };
const created = await createBareMetalRental(
  { gpuCount: 8, networkType: "infiniband", storageVolume: { isNew: true, label: "data", sizeInGb: 512 } },
  options,
);
if (created.status !== 200) throw new Error(JSON.stringify(created.data));
const id: string | number = created.data.id;
const { status } = await terminateBareMetalRental({ rentalId: id }, options);
if (status !== 200) throw new Error(String(status));
console.log(typeof id, created.data.status.length > 0);
`,
  },
} as const;

describe.runIf(generators !== undefined)("with third-party tools for OpenAPI,", () => {
  let folder = "";
  let sandbox: Awaited<ReturnType<typeof createSandbox>>;
  beforeAll(async () => {
    sandbox = await createSandbox();
    // This folder is below that of the generators, so that clients find the packages that they import.
    folder = await mkdtemp(join(generators ?? "", "clients-"));
  });
  afterAll(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(Object.entries(scenarios))(
    "a program with the client or the types from %s compiles strictly and works",
    async (name, { generate, program }) => {
      const where = join(folder, name);
      await mkdir(where);
      const description = await (await sandbox.fetch("/v2/openapi.json")).text();
      await writeFile(join(where, "openapi.json"), description);
      await writeFile(join(where, "package.json"), '{ "type": "module" }');
      await writeFile(join(where, "main.ts"), program);
      const [command, ...args] = generate;
      const generated = await runProgram(command, args, { cwd: where });
      expect(generated, generated.err).toMatchObject({ code: 0 });
      const compilerOptions = {
        strict: true,
        target: "ES2022",
        module: "esnext",
        moduleResolution: "bundler",
        lib: ["ES2022", "DOM", "DOM.Iterable"],
        types: ["node"],
        skipLibCheck: true,
      };
      await writeFile(
        join(where, "tsconfig.json"),
        JSON.stringify({ compilerOptions, include: ["**/*.ts"] }),
      );
      const compiled = await runProgram(bin("tsc"), ["-p", where], { cwd: where });
      expect(compiled, compiled.out).toMatchObject({ code: 0 });
      const run = await runProgram(bin("tsx"), ["main.ts", sandbox.url, sandbox.keys.full], { cwd: where });
      expect(run, run.err).toMatchObject({ code: 0, out: "number true\n" });
      sandbox.expectRequests({ operation: "terminateBareMetalRental", status: 200 });
      sandbox.reset();
    },
    120_000,
  );

  test("Spectral reports nothing about the description", async () => {
    const response = await sandbox.fetch("https://gpus.test/v2/openapi.json");
    await writeFile(join(folder, "openapi.json"), await response.text());
    await writeFile(join(folder, "rules.yaml"), 'extends: ["spectral:oas"]\n');
    const { code, out } = await runProgram(
      bin("spectral"),
      ["lint", "--format=json", "--ruleset=rules.yaml", "--fail-severity=hint", "openapi.json"],
      { cwd: folder },
    );
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^\[\]/) });
  }, 60_000);
});
