import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openSandbox, origin } from "../sandbox/harness.ts";
import { proxyVariable, throughProxy } from "../support/conformance.ts";
import { thorough } from "../support/thorough.ts";
import { openJunction } from "./junction.ts";
import { startProxy } from "./proxy.ts";
import { descriptionSchema, verdictOn } from "./verdict.ts";

/** A sandbox behind its own conformance proxy. `responses` replaces responses of the sandbox, by method and path. */
async function openProxied(responses: Readonly<Record<string, () => Response>> = {}) {
  const sandbox = await openSandbox();
  const description = descriptionSchema.parse(await sandbox.ask("getOpenApiDocument"));
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-conformance-"));
  const junction = await openJunction();
  onTestFinished(async () => {
    junction.close();
    await rm(folder, { recursive: true, force: true });
  });
  const proxy = await startProxy(junction.url, description, folder);
  vi.stubEnv(proxyVariable, proxy.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const target = throughProxy({
    fetch: async (request: Request) =>
      responses[`${request.method} ${new URL(request.url).pathname}`]?.() ?? sandbox.fetch(request),
  });
  const authorization = `Bearer ${sandbox.keys.full}`;
  return {
    sandbox,
    send: (method: string, path: string, body?: object, headers: object = { authorization }) =>
      target.fetch(
        new Request(origin + path, {
          method,
          headers: { ...headers, ...(body && { "content-type": "application/json" }) },
          ...(body && { body: JSON.stringify(body) }),
        }),
      ),
    verdict: async () => verdictOn(await proxy.close(), { "": description }),
  };
}

const volumes = "/v2/on-demand/storage-volumes";
const volume = { region: "eu-west-3", label: "datasets", sizeInGb: 512 };

test("documented requests pass, and responses come back unchanged", async () => {
  const { send, sandbox, verdict } = await openProxied();
  const created = await send("POST", volumes, volume);
  expect(await created.json()).toMatchObject({ label: "datasets", sizeInGb: 512 });
  expect(created.headers.get("date")).toBe("Fri, 20 Nov 2026 12:00:00 GMT");
  // Neither a rejected request nor a response that a fault altered is a mismatch.
  expect((await send("POST", volumes, { ...volume, sizeInGb: 100 })).status).toBe(400);
  expect((await send("GET", volumes, undefined, {})).status).toBe(401);
  expect((await send("GET", "/v2/nowhere")).status).toBe(404);
  sandbox.faults.add({ operation: "listStorageVolumes", garbage: true });
  expect((await send("GET", volumes)).headers.has("gpuctl-sandbox-fault")).toBe(true);
  const { checked, mismatched, mismatches, unseen } = await verdict();
  expect({ checked, mismatched, mismatches }).toEqual({ checked: 5, mismatched: 0, mismatches: [] });
  // The only responses to this operation were a 401 and a response that a fault altered.
  expect(unseen).toContain("listStorageVolumes");
  expect(unseen).not.toContain("createStorageVolume");
});

test("each deviation from the description is reported", async () => {
  const { send, verdict } = await openProxied({
    [`POST ${volumes}`]: () => Response.json({ id: 1 }),
    [`GET ${volumes}`]: () => Response.json([], { headers: { "x-other": "1" } }),
    "POST /v2/on-demand/request-reservation": () => Response.json({ note: "without its message" }),
    "GET /v2/on-demand/active-rental-summary": () => Response.json({ code: "TEAPOT" }, { status: 418 }),
    "GET /v2/on-demand/rental-history": () => new Response("<html>"),
    "GET /v2/nowhere": () => Response.json({}),
  });
  await send("POST", volumes, { ...volume, sizeInGb: 100 });
  await send("POST", volumes, { ...volume, sizeInGb: 100 });
  await send("GET", volumes);
  await send("POST", "/v2/on-demand/request-reservation", { gpuCount: 8 });
  await send("GET", "/v2/on-demand/active-rental-summary");
  await send("GET", "/v2/on-demand/rental-history");
  await send("GET", "/v2/nowhere");
  const { mismatches, ...counts } = await verdict();
  expect(counts).toMatchObject({ checked: 7, mismatched: 7 });
  expect(mismatches).toEqual([
    `POST ${volumes} 200: Request schema mismatch at "sizeInGb": must be >= 256 (2 times)`,
    `POST ${volumes} 200: Request schema mismatch at "sizeInGb": must be multiple of 256 (2 times)`,
    ...["label", "sizeInGb", "region", "rentalIds", "createdAt"].map(
      (field) => `POST ${volumes} 200: Response is missing required field "${field}". (2 times)`,
    ),
    `GET ${volumes} 200: header x-other is not described`,
    'POST /v2/on-demand/request-reservation 200: Response is missing required field "message".',
    'POST /v2/on-demand/request-reservation 200: Response has undocumented field "note".',
    "GET /v2/on-demand/active-rental-summary 418: status 418 is not described",
    "GET /v2/on-demand/rental-history 200: content type text/plain is not described",
    "GET /v2/nowhere 200: status 200 from an undescribed operation",
    "GET /v2/nowhere 200: Undocumented endpoint: GET /v2/nowhere",
  ]);
});

test.runIf(thorough)(
  "a streamed response keeps its chunks through the proxy, and breaks where the sandbox breaks it",
  async () => {
    const { send, sandbox, verdict } = await openProxied();
    const message = { model: "sandbox-echo", stream: true, messages: [{ role: "user", content: "one two" }] };
    const pieces: string[] = [];
    const streamed = await send("POST", "/v1/chat/completions", message);
    for await (const piece of streamed.body ?? []) pieces.push(Buffer.from(piece).toString());
    expect(streamed.status, pieces.join("")).toBe(200);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.at(-1)).toBe("data: [DONE]\n\n");
    sandbox.faults.add({ operation: "createChatCompletion", cutStreamAfter: 1, reset: true });
    const { body } = await send("POST", "/v1/chat/completions", message);
    await expect(new Response(body).text()).rejects.toMatchObject({ code: "ECONNRESET" });
    sandbox.faults.add({ operation: "createChatCompletion", reset: true });
    await expect(send("POST", "/v1/chat/completions", message)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(await verdict()).toMatchObject({ checked: 2, mismatches: [] });
  },
);
