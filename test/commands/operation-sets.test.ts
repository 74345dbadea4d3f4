import { describe, expect, test } from "vitest";
import { operationSetNames } from "../../src/core/sandbox.ts";
import { type Cli, createCli } from "../support/cli.ts";
import { descriptionPath, requestLines } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const description = `GET ${descriptionPath}`;

/** A CLI with an empty service that has only the operations of this set. */
const serving = (only: (typeof operationSetNames)[number]) => createCli({ only, negotiates: true });

const ended = { createdAt: "2026-11-01T00:00:00Z", terminatedAt: "2026-11-02T00:00:00Z" };

/** A seed with this number of rentals. */
const seedOf = (length: number, fields: object = {}) =>
  JSON.stringify({
    rentals: Array.from({ length }, () => ({ rentalType: "virtual-machine", gpuCount: 1, ...fields })),
  });

/** The query for the largest page. */
const size = "limit=100";

/** Runs command lines that must succeed. Returns the output of the last one, and the requests of all of them. */
async function runAll({ run, sandbox }: Cli, ...lines: readonly string[]) {
  const key = { GPUCTL_API_KEY: sandbox.keys.full };
  const requests: string[] = [];
  let out = "";
  for (const line of lines) {
    const ran = await run(`${line} --yes`, overNetwork(key));
    expect(ran, line).toMatchObject({ code: 0 });
    requests.push(...requestLines(ran.requests));
    out = ran.out;
  }
  return { out, requests };
}

describe("a service that has only the replacements of deprecated operations", () => {
  const active = (type: string) => `GET /v2/on-demand/rentals/active?rentalType=${type}&${size}`;
  const create = "POST /v2/on-demand/rentals";

  test.each([
    ["vm --gpus 1", "virtual-machine"],
    ["bare-metal --gpus 8 --network-type ethernet", "bare-metal"],
  ])("is used to create a rental and to list it: rentals create %s", async (words, type) => {
    const cli = await serving("replacements");
    const { out, requests } = await runAll(cli, `rentals create ${words}`, "rentals list -o json");
    expect(JSON.parse(out)).toMatchObject([{ id: 1001, rentalType: type }]);
    expect(requests.slice(0, 3)).toEqual([description, active(type), create]);
    expect(requests.slice(3).sort()).toEqual([active("bare-metal"), active("virtual-machine")]);
  });

  test("is used to list rentals page by page, with the filters of the command line", async () => {
    const cli = await serving("replacements");
    await cli.sandbox.seed(seedOf(101));
    const { out, requests } = await runAll(cli, "rentals list --type vm --include-cluster-pools -o id");
    expect(out.split("\n")).toHaveLength(102);
    const first = `GET /v2/on-demand/rentals/active?includeClusterPools=true&rentalType=virtual-machine&${size}`;
    expect(requests).toEqual([description, first, `${first}&cursor=1100`]);
  });

  test("is used to list the whole history page by page", async () => {
    const cli = await serving("replacements");
    await cli.sandbox.seed(seedOf(245, ended));
    const { out, requests } = await runAll(cli, "rentals history -o id");
    expect(out.trim().split("\n")).toEqual(Array.from({ length: 245 }, (_, at) => String(1001 + at)));
    const history = `GET /v2/on-demand/rentals/history?${size}`;
    expect(requests).toEqual([description, history, `${history}&cursor=1100`, `${history}&cursor=1200`]);
  });

  test("is used to update and delete the user at the new path", async () => {
    const { requests } = await runAll(await serving("replacements"), "user update --name Ada", "user delete");
    expect(requests).toEqual(["PUT /v2/users/me", "DELETE /v2/users/me"]);
  });

  test("has no operation to terminate a rental, so rentals terminate fails", async () => {
    const { run, sandbox } = await serving("replacements");
    const key = { GPUCTL_API_KEY: sandbox.keys.full };
    expect(await run("rentals terminate 1001 --yes", overNetwork(key))).toMatchObject({ code: 5 });
  });
});

describe("a service that has only the deprecated path of the user", () => {
  test("gets a request to the new path first, and then to the deprecated path", async () => {
    const { requests } = await runAll(await serving("legacy"), "user update --name Ada", "user delete");
    expect(requests).toEqual([
      "PUT /v2/users/me",
      "PUT /users/me",
      "DELETE /v2/users/me",
      "DELETE /users/me",
    ]);
  });
});

describe.each(["documented", "legacy"] as const)("a service with the set of %s operations", (only) => {
  test("is used to create and list rentals through deprecated operations", async () => {
    const vms = "/v2/on-demand/virtual-machine-rentals";
    const cli = await serving(only);
    await cli.sandbox.seed(seedOf(45, ended));
    const { out, requests } = await runAll(
      cli,
      "rentals create vm --gpus 1",
      "rentals list --type vm",
      "rentals history -o id",
    );
    expect(out.trim().split("\n")).toHaveLength(45);
    expect(requests).toEqual([
      description,
      `GET ${vms}`,
      `POST ${vms}`,
      `GET ${vms}`,
      "GET /v2/on-demand/rental-history",
    ]);
  });
});

test("gpuctl prefers replacements, and a fault for a deprecated operation also applies to its replacement", async () => {
  const cli = await createCli({ negotiates: true });
  cli.sandbox.faults.add({ operation: "createVirtualMachineRental", status: 503, applied: true });
  const key = { GPUCTL_API_KEY: cli.sandbox.keys.full };
  const unknown = await cli.run("rentals create vm --gpus 1 --yes", overNetwork(key));
  expect([unknown.code, unknown.err]).toEqual([10, expect.stringContaining("1001")]);
  const { out, requests } = await runAll(cli, "rentals list --type vm -o id", "rentals history");
  expect(requests).toEqual([
    `GET /v2/on-demand/rentals/active?rentalType=virtual-machine&${size}`,
    `GET /v2/on-demand/rentals/history?${size}`,
  ]);
  expect(out).toBe("");
  const expected = await cli.run(
    "sandbox requests expect --operation createVirtualMachineRental --count 1 --where gpuCount=1 --sandbox",
  );
  expect(expected.code).toBe(0);
});

test.each(operationSetNames)("sandbox serve --only %s describes only some of the paths", async (only) => {
  const described: number[] = [];
  const { run } = await createCli({
    listen: async ({ fetch }) => {
      const response = await fetch(new Request(`http://127.0.0.1${descriptionPath}`));
      described.push(Object.keys(Object(await response.json()).paths).length);
      return { url: "http://127.0.0.1", close: async () => {} };
    },
  });
  const interrupted = { signal: AbortSignal.abort() };
  await run("sandbox serve", interrupted);
  const { code, err } = await run(`sandbox serve --only ${only}`, interrupted);
  expect(code).toBe(0);
  expect(err).toContain(`--only ${only}`);
  const [everything = 0, some = 0] = described;
  expect(some).toBeLessThan(everything);
});

test("sandbox serve --only rejects any other name, and lists the sets", async () => {
  const { run } = await createCli();
  const { code, out, err } = await run("sandbox serve --only newest");
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("--only");
  for (const name of operationSetNames) expect(err).toContain(name);
});
