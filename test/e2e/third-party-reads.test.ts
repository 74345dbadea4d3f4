import { describe, expect, test } from "vitest";
import { everyNth } from "../support/thorough.ts";
import { sorted, useThirdParty } from "./third-party.ts";
import * as records from "./third-party-records.ts";

const thirdParty = useThirdParty();

interface Read {
  readonly line: string;
  readonly requests: readonly { path: string; query?: Record<string, string> }[];
  readonly response: unknown;
}

/**
 * The request for the service's description. gpuctl sends it before a deprecated operation, to see whether the service
 * has the operation that replaces it.
 */
const description = { path: "/v2/openapi.json" };
const vms = "/v2/on-demand/virtual-machine-rentals";
const machines = "/v2/on-demand/bare-metal-rentals";

const reads: readonly Read[] = [
  {
    line: "rentals list",
    requests: [{ path: machines }, { path: vms }, description],
    response: [records.virtualMachine, records.bareMetal],
  },
  {
    line: "rentals list --type vm",
    requests: [{ path: vms }, description],
    response: [records.virtualMachine],
  },
  {
    line: "rentals list --type vm --include-cluster-pools",
    requests: [{ path: vms, query: { includeClusterPools: "true" } }, description],
    response: [records.virtualMachine],
  },
  {
    line: "rentals list --type vm --no-include-cluster-pools",
    requests: [{ path: vms, query: { includeClusterPools: "false" } }, description],
    response: [records.virtualMachine],
  },
  {
    line: "rentals list --type bare-metal",
    requests: [{ path: machines }, description],
    response: [records.bareMetal],
  },
  {
    line: "rentals get 18026",
    requests: [{ path: "/v2/on-demand/rental", query: { rentalId: "18026" } }],
    response: records.lookup,
  },
  {
    line: "rentals wait 18026 --for running",
    requests: [{ path: "/v2/on-demand/rental", query: { rentalId: "18026" } }],
    response: records.lookup,
  },
  {
    line: "rentals history",
    requests: [{ path: "/v2/on-demand/rental-history" }, description],
    response: [records.ended],
  },
  {
    line: "rentals summary",
    requests: [{ path: "/v2/on-demand/active-rental-summary" }],
    response: records.summary,
  },
  { line: "volumes list", requests: [{ path: "/v2/on-demand/storage-volumes" }], response: [records.volume] },
  { line: "api spec", requests: [description], response: records.description },
];

describe("a command that reads from a third-party service", () => {
  test.each(everyNth(2, reads))(
    "prints what the service sends: $line",
    async ({ line, requests, response }) => {
      const { run } = await thirdParty.home();
      const { code, out, err } = await run(`${line} -o json`);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(JSON.parse(out)).toEqual(response);
      expect(sorted(thirdParty.requests())).toEqual(
        requests.map(({ path, query = {} }) => ({ method: "GET", path, query, body: undefined })),
      );
      for (const { headers } of thirdParty.requests())
        expect(headers["user-agent"]).toMatch(/^gpuctl\/\d+\.\d+\.\d+/);
    },
  );
});

describe("errors with a third-party service", () => {
  test.each([
    ["a wrong key", { GPUCTL_API_KEY: "wrong" }, 4, "FORBIDDEN"],
    ["no key", { GPUCTL_API_KEY: "" }, 3, "NO_CREDENTIAL"],
  ])("%s has its own exit code and error code", async (_name, env, code, expected) => {
    const { run } = await thirdParty.home(env);
    const ran = await run("rentals list -o json");
    expect(ran).toMatchObject({ code, out: "" });
    expect(JSON.parse(ran.err).error).toMatchObject({ code: expected, exitCode: code });
  });

  test("a request for an unknown rental exits with 5", async () => {
    const { run } = await thirdParty.home();
    expect(await run("rentals get 999")).toMatchObject({ code: 5, out: "" });
  });

  test("a wait for an unknown rental fails, because the rental is not found", async () => {
    const { run } = await thirdParty.home();
    expect(await run("rentals wait 999")).toMatchObject({ code: 5, out: "" });
  });
});

describe("rentals list with a third-party service", () => {
  test("shows the known fields in a table", async () => {
    const { run } = await thirdParty.home();
    expect(await run("rentals list")).toEqual({
      code: 0,
      out: [
        "ID     LABEL        STATE    TYPE        GPU       REGION        TERM          $/H  SSH                       AGE",
        "18026  brave-otter  Running  vm          1x H100   us-central-1  on-demand   $1.49  ubuntu@203.0.113.7:20022  2026-09-12 13:59:00.123+00",
        "bm-7f  training     Pending  bare-metal  16x b200  eu-west-4     -          $59.20  -                         2026-09-12 13:59:00.123+00",
        "",
      ].join("\n"),
      err: "",
    });
  });

  test("prints the IDs of both types with -o id", async () => {
    const { run } = await thirdParty.home();
    expect(await run("rentals list -o id")).toEqual({ code: 0, out: "18026\nbm-7f\n", err: "" });
  });
});
