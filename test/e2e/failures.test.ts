import { writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHome, key } from "../support/process.ts";
import { virtualMachine } from "./third-party-records.ts";
import { fail, type ReceivedRequest, send, serveThirdParty } from "./third-party-server.ts";

const listing = "GET /v2/on-demand/virtual-machine-rentals";
const creating = "POST /v2/on-demand/virtual-machine-rentals";
const summary = "GET /v2/on-demand/active-rental-summary";

type Responders = NonNullable<Parameters<typeof serveThirdParty>[0]["instead"]>;

async function accountAt(instead: Responders) {
  const server = await serveThirdParty({ key, instead });
  onTestFinished(() => server.close());
  const home = await createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key });
  return { ...home, requests: server.requests };
}

const htmlPage = (status: number) => (_request: ReceivedRequest, response: ServerResponse) => {
  response.writeHead(status, { "Content-Type": "text/html" });
  response.end("<html><title>Stop</title><body>Go <b>away</b></body></html>");
};

/** After a create request, lists one more rental, whatever the response to the request was. */
function renting(respond: Responders[string]): Responders {
  const rentals: object[] = [virtualMachine];
  return {
    [listing]: (_request, response) => send(response, rentals),
    [creating]: (request, response) => {
      rentals.push({ ...virtualMachine, id: "18027" });
      respond?.(request, response);
    },
  };
}

describe("a create with an unknown outcome", () => {
  test.each<[string, Responders[string]]>([
    ["a 500", (_request, response) => fail(response, 500, "INTERNAL_SERVER_ERROR", "Internal server error")],
    ["a reset", (_request, response) => response.socket?.resetAndDestroy()],
    ["an HTML page from a proxy", htmlPage(200)],
  ])("after %s: the create is sent once and new rentals are listed", async (_name, respond) => {
    const { run, requests } = await accountAt(renting(respond));
    const { code, out, err } = await run("rentals create vm --gpus 1 -o json");
    expect({ code, out }).toEqual({ code: 10, out: "" });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(JSON.parse(err).error).toMatchObject({
      code: "UNKNOWN_OUTCOME",
      exitCode: 10,
      retryable: false,
      hint: expect.stringContaining("18027"),
    });
  });

  test("after a timeout: the create is sent once and new rentals are listed", async () => {
    const { run, requests } = await accountAt(renting(() => {}));
    const { code, err } = await run("rentals create vm --gpus 1 --timeout 1s");
    expect(code).toBe(10);
    expect(err).toContain("18027");
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

describe("a read that fails", () => {
  test.each<[string, Responders[string], number, string]>([
    ["a 403 of an edge proxy", htmlPage(403), 4, "HTTP_403"],
    ["HTML instead of JSON", htmlPage(200), 7, "UNREADABLE_ANSWER"],
    [
      "a 500",
      (_request, response) => fail(response, 500, "INTERNAL_SERVER_ERROR", "no"),
      7,
      "INTERNAL_SERVER_ERROR",
    ],
    ["a 404", (_request, response) => fail(response, 404, "NOT_FOUND", "Not found"), 5, "NOT_FOUND"],
    ["a 401", (_request, response) => fail(response, 401, "UNAUTHORIZED", "no"), 3, "UNAUTHORIZED"],
    ["a 429", (_request, response) => fail(response, 429, "TOO_MANY", "slow down"), 9, "TOO_MANY"],
    ["a 422", (_request, response) => fail(response, 422, "BAD", "no"), 6, "BAD"],
  ])("with %s has the right exit code and one document on stderr", async (_name, respond, exitCode, code) => {
    const { run } = await accountAt(respond ? { [summary]: respond } : {});
    const ran = await run("rentals summary -o json --retries 0");
    expect(ran).toMatchObject({ code: exitCode, out: "" });
    expect(JSON.parse(ran.err).error).toMatchObject({
      code,
      exitCode,
      request: {
        method: "GET",
        url: expect.stringMatching(/\/gpu\/api\/v2\/on-demand\/active-rental-summary$/),
      },
    });
  });
});

describe("the key", () => {
  test("is never printed, neither by --debug nor in an error", async () => {
    const { run } = await accountAt({
      [summary]: (_request, response) => fail(response, 500, "X", "no"),
    });
    for (const line of [
      "rentals list --debug",
      "rentals summary --debug --retries 0",
      "rentals summary --debug --retries 0 -o json",
      "rentals create vm --gpus 1 --dry-run --debug",
      "rentals create vm --gpus 1 --dry-run -o json",
    ]) {
      const { out, err } = await run(line);
      expect(out + err).not.toContain(key);
      expect(out + err).not.toBe("");
    }
  });

  test("is not read from the current folder, and neither is the host", async () => {
    const { env, folder, run } = await accountAt({});
    const settings = JSON.stringify({
      baseUrl: env.GPUCTL_BASE_URL,
      apiKey: key,
      profiles: { default: { baseUrl: env.GPUCTL_BASE_URL, apiKey: key } },
    });
    for (const name of ["config.json", ".gpuctlrc", "gpuctl.json", ".gpuctl.json"]) {
      await writeFile(join(folder, name), settings);
    }
    await writeFile(join(folder, ".env"), `GPUCTL_BASE_URL=${env.GPUCTL_BASE_URL}\nGPUCTL_API_KEY=${key}\n`);
    const { code, err } = await run("rentals list", { env: { GPUCTL_BASE_URL: "", GPUCTL_API_KEY: "" } });
    expect(code).toBe(3);
    expect(err).toContain("--sandbox");
  });

  test("is rejected before anything is sent if it contains a space", async () => {
    const { run, requests } = await accountAt({});
    const { code, err } = await run("rentals list", { env: { GPUCTL_API_KEY: "two words" } });
    expect(code).toBe(3);
    expect(err).not.toContain("bug in gpuctl");
    expect(requests).toEqual([]);
  });
});
