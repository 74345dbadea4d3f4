import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, createServer } from "node:net";
import { pipeline } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { asList, asRecord } from "../../src/core/json.ts";
import { operationSetNames, scenarios, situationKinds } from "../../src/core/sandbox.ts";
import { openSandbox, servedSandbox } from "./harness.ts";

const asBrowser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

async function served() {
  const sandbox = await servedSandbox();
  const { url } = sandbox;
  return {
    ...sandbox,
    view: async (path: string) => (await fetch(url + path, { headers: asBrowser })).text(),
  };
}

/** The status and headers of a page, requested with headers that `fetch` does not allow. */
const bare = (url: string, headers: Record<string, string>) =>
  new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    httpRequest(url, { headers: { ...asBrowser, ...headers } })
      .on("response", (response) => {
        response.resume();
        resolve({ status: response.statusCode, headers: response.headers });
      })
      .on("error", reject)
      .end();
  });

describe("who can open the pages", () => {
  test.each(["/", "/docs"])("only browsers on this machine can open %s", async (path) => {
    const { sandbox, url } = await served();
    expect((await bare(url + path, {})).status).toBe(200);
    expect((await bare(url + path, { host: "sandbox.example.com" })).status).toBe(403);
    for (const [peer, status] of [
      ["192.0.2.1", 403],
      ["::ffff:192.0.2.1", 403],
      ["::1", 200],
    ] as const) {
      const request = new Request(`http://localhost${path}`, {
        headers: { ...asBrowser, host: "localhost" },
      });
      expect((await sandbox.handleControl(request, { peer }))?.status).toBe(status);
    }
  });

  test.each([
    [
      "192.0.2.1",
      "build-box:8787",
      "ssh -L 8787:localhost:8787 USER@build-box\n\nThen open http://localhost:8787/docs\n",
    ],
    [
      "192.0.2.1",
      "[2001:db8::1]",
      "ssh -L 80:localhost:80 USER@2001:db8::1\n\nThen open http://localhost/docs\n",
    ],
    ["172.17.0.1", "localhost:8787", "`docker run --network host`"],
    ["127.0.0.1", "build-box:8787", "On this machine, open the page at http://localhost:8787/docs\n"],
  ])("a browser at %s that opens %s is shown how to open the page", async (peer, host, way) => {
    const sandbox = await openSandbox();
    const request = new Request(`http://${host}/docs`, { headers: { ...asBrowser, host } });
    const token = "a-token-of-the-controls";
    const response = await sandbox.handleControl(request, { peer, token });
    const text = await response?.text();
    expect(response?.status).toBe(403);
    expect(response?.headers.get("content-type")).toBe("text/plain; charset=UTF-8");
    expect(text).toContain("This is a gpuctl sandbox");
    expect(text).toContain(way);
    expect(text?.match(/ssh -L|docker run|On this machine/g)).toHaveLength(1);
  });

  test("the pages can be opened through a forwarded port, such as that of `ssh -L`", async () => {
    const { url } = await served();
    const forwarder = createServer((socket) => {
      const target = connect(Number(new URL(url).port), "127.0.0.1");
      pipeline(socket, target, socket, () => {});
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void forwarder.close());
    await once(forwarder, "listening");
    const { port } = Object(forwarder.address());
    for (const path of ["/", "/docs", "/_sandbox/status"]) {
      const headers = { ...asBrowser, connection: "close" };
      expect((await fetch(`http://localhost:${port}${path}`, { headers })).status).toBe(200);
    }
  });

  test("other sites can link to the sandbox's pages, but cannot embed them", async () => {
    const { url } = await served();
    for (const site of ["cross-site", "same-site"]) {
      for (const [dest, status] of [
        ["document", 200],
        ["iframe", 403],
        ["embed", 403],
        ["empty", 403],
      ] as const) {
        const response = await bare(url, { "sec-fetch-site": site, "sec-fetch-dest": dest });
        expect([dest, response.status]).toEqual([dest, status]);
      }
    }
  });

  test("the content security policy of a page allows only the page's own script, style and files", async () => {
    const { url } = await served();
    for (const path of ["/", "/docs"]) {
      const { headers } = await bare(url + path, {});
      const policy = String(headers["content-security-policy"]).split("; ");
      expect(policy.map((one) => one.replace(/'sha256-[\w+/=]+'/g, "HASH"))).toEqual([
        "default-src 'none'",
        "script-src HASH HASH",
        "style-src HASH",
        "img-src 'self' data:",
        "media-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
      expect(headers).toMatchObject({
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
        "x-gpuctl-sandbox": "1",
      });
      expect(headers).not.toHaveProperty("access-control-allow-origin");
    }
  });

  test("for programs, the paths of the pages do not exist", async () => {
    const { sandbox, url } = await served();
    for (const path of ["/", "/docs"]) {
      for (const init of [
        {},
        { headers: { accept: "application/json" } },
        { method: "POST", headers: asBrowser },
      ]) {
        const response = await fetch(url + path, init);
        expect([response.status, await response.json()]).toMatchObject([404, { code: "NOT_FOUND" }]);
      }
    }
    expect(sandbox.requests.count({ status: 404 })).toBe(6);
  });
});

test("opening a page is not a request to the service: it is not logged, and no fault affects it", async () => {
  const { sandbox, view } = await served();
  sandbox.faults.add({ operation: "*", status: 503 });
  expect(await view("/")).toContain("No requests yet");
  expect(await view("/docs")).toContain("API reference");
  expect(sandbox.requests.count()).toBe(0);
  expect(sandbox.faults.list()).toMatchObject([{ left: 1 }]);
});

test("the overview shows rentals, money, requests, the clock, faults, boot rules and situations", async () => {
  const { sandbox, view, post } = await served();
  await post("/v2/on-demand/virtual-machine-rentals", { gpuCount: 4, label: "nightly" });
  sandbox.clock.freeze();
  sandbox.clock.set(Date.UTC(2026, 10, 20, 13, 0, 2));
  sandbox.faults.add({ operation: "listStorageVolumes", status: 418 });
  sandbox.boots.add({ outcome: "never", label: "stuck*" });
  sandbox.situations.add({ kind: "quota", gpus: 4 });
  const text = (await view("/"))
    .replace(/<(style|script)>.*?<\/\1>/gs, "")
    .replaceAll("<wbr/>", "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
  for (const shown of [
    "Balance $9,992.00 of $10,000.00",
    "Spent $8.00 $8.00 per hour now",
    "nightly 1001 4 × h100 Running",
    "200 POST /v2/on-demand/virtual-machine-rentals createVirtualMachineRental 12:00:00",
    "2026-11-20 13:00:02 UTC Frozen Resume",
    "listStorageVolumes: returns 418",
    "never label stuck* · no limit",
    "the GPU quota is 4",
  ]) {
    expect(text).toContain(shown);
  }
});

test("a request is shown with its response, or with the reason why the response is not shown", async () => {
  const { sandbox, view, post } = await served();
  sandbox.situations.add({ kind: "capacity", gpuType: "h100" });
  await post("/v2/on-demand/virtual-machine-rentals", { gpuCount: 1 });
  expect(await view("/")).toMatch(
    /<figcaption>Response<\/figcaption><pre>[^<]*does not have enough h100 capacity: 1 requested, 0 available/,
  );
  sandbox.requests.clear();
  await post("/v1/image/generation", { model_name: "SD1.5", prompt: "dunes", steps: 1 });
  const page = await view("/");
  expect(page).toContain("The response is not in the log: it is long, a stream, or not a text.");
  expect(page).not.toContain("<figcaption>Response");
});

test("what callers send is shown as text", async () => {
  const { sandbox, url, view, post } = await served();
  const attack = `"><img src=x onerror=alert(1)></pre><script>alert(2)</script>'`;
  await post("/v2/on-demand/virtual-machine-rentals", { gpuCount: 1, label: attack, [attack]: attack });
  await fetch(`${url}/${encodeURIComponent(attack)}?${attack}`, {
    headers: { "Gpuctl-Sandbox-Caller": attack },
  });
  await post("/v1/image/generation", { model_name: "SD1.5", prompt: attack, width: 1024, height: 1024 });
  sandbox.faults.add({ operation: "*", caller: attack, status: 503, message: attack });
  sandbox.boots.add({ outcome: "failed", label: attack });
  sandbox.situations.add({ kind: "interruption", label: attack, afterSeconds: 1e6 });
  const html = await view("/");
  expect(html.match(/&quot;&gt;&lt;img src=x/g)?.length).toBeGreaterThanOrEqual(7);
  expect(html).not.toContain("<img src=x");
  expect(html.match(/<script/g)).toHaveLength(1);
});

describe("pictures and speech", () => {
  const picture = { model_name: "SD1.5", prompt: "dunes", width: 1024, height: 1024, seed: 7, steps: 1 };

  test("are shown until a reset, but not to other sites", async () => {
    const { sandbox, url, view, post } = await served();
    const { images } = asRecord(await (await post("/v1/image/generation", picture)).json());
    const { audio } = asRecord(await (await post("/v1/audio/generation", { text: "Done." })).json());
    const html = await view("/");
    expect(html).toContain('<img src="/_sandbox/media/1" alt="dunes"');
    expect(html).toContain("1024×1024 · seed 7");
    expect(html).toContain('src="/_sandbox/media/2"');
    const files = await Promise.all(
      [1, 2].map(async (id) => {
        const { headers, status, arrayBuffer } = await fetchFile(`${url}/_sandbox/media/${id}`);
        return [status, headers.get("content-type"), headers.get("x-content-type-options"), arrayBuffer];
      }),
    );
    expect(files).toEqual([
      [200, "image/png", "nosniff", asRecord((images as unknown[])[0]).image],
      [200, "audio/wav", "nosniff", audio],
    ]);
    const other = await bare(`${url}/_sandbox/media/1`, { "sec-fetch-site": "cross-site" });
    expect(other.status).toBe(403);
    sandbox.reset();
    expect((await fetch(`${url}/_sandbox/media/1`)).status).toBe(404);
    expect(await view("/")).toContain("The last pictures and speech that this server generated appear here.");
  });

  test("that are generated over HTTP are kept, but only the last six of each (checked for speech)", async () => {
    const { sandbox, view, post } = await served();
    for (let count = 1; count <= 7; count++) await post("/v1/audio/generation", { text: `No. ${count}` });
    await sandbox.ask("generateAudio", { text: "In process." });
    const shown = [...(await view("/")).matchAll(/>((?:No\.|In) [^<]*)</g)].map(([, text]) => text);
    expect(shown).toEqual([7, 6, 5, 4, 3, 2].map((count) => `No. ${count}`));
  });

  async function fetchFile(url: string) {
    const { status, headers, ...response } = await fetch(url).then(async (one) => ({
      status: one.status,
      headers: one.headers,
      bytes: await one.arrayBuffer(),
    }));
    return { status, headers, arrayBuffer: Buffer.from(response.bytes).toString("base64") };
  }
});

describe("the reference", () => {
  test.each([undefined, ...operationSetNames])("has every operation that is described: %s", async (only) => {
    const sandbox = await openSandbox({ only });
    const request = (path: string) =>
      new Request(`http://localhost${path}`, { headers: { ...asBrowser, host: "localhost" } });
    const html = (await (await sandbox.handleControl(request("/docs"), { peer: "127.0.0.1" }))?.text()) ?? "";
    const response = await sandbox.handleControl(request("/_sandbox/openapi.json"), { peer: "127.0.0.1" });
    const idsOf = (description: unknown) =>
      Object.values(asRecord(asRecord(description).paths)).flatMap((methods) =>
        Object.values(asRecord(methods)).map((operation) => String(asRecord(operation).operationId)),
      );
    const ids = [
      ...idsOf(await sandbox.ask("getOpenApiDocument")),
      ...idsOf(await response?.json()).map((id) => `control-${id}`),
    ];
    const shown = [...html.matchAll(/<details class="operation[^"]*" id="([\w-]+)"/g)].map(([, id]) => id);
    expect(shown.toSorted()).toEqual(ids.toSorted());
  });

  test("lists the fields of a body, including nested fields, with their limits, and has an example of a body", async () => {
    const { view } = await served();
    const html = await view("/docs");
    const operation = (id: string) => html.slice(html.indexOf(`id="${id}"`)).split("</form>")[0] ?? "";
    const volume = operation("createStorageVolume");
    expect(volume).toMatch(/<code>sizeInGb<\/code><span class="type">integer<\/span>/);
    expect(volume).toContain("at least 256; at most 64000");
    const rental = operation("createBareMetalRental");
    expect(rental).toContain("<code>storageVolume</code>");
    expect(rental).toContain("<code>isNew</code>");
    expect(rental).toContain("one of false, true");
    expect(rental).toContain("required with isNew true; at least 256; at most 64000");
    const [, body = ""] = /<textarea[^>]*>(.*?)<\/textarea>/s.exec(operation("generateImage")) ?? [];
    expect(JSON.parse(body.replaceAll("&quot;", '"'))).toEqual({
      model_name: "SDXL1.0-base",
      prompt: "a lighthouse at dawn",
    });
  });

  test("has a form without a key for each control, and says which fields belong to which kind of situation", async () => {
    const { view, url } = await served();
    const html = await view("/docs");
    const control = (id: string) => html.slice(html.indexOf(`id="control-${id}"`)).split("</form>")[0] ?? "";
    const { paths } = asRecord(await (await fetch(`${url}/_sandbox/openapi.json`)).json());
    for (const [path, methods] of Object.entries(asRecord(paths))) {
      for (const [method, described] of Object.entries(asRecord(methods))) {
        const { operationId, parameters, requestBody } = asRecord(described);
        const form = control(String(operationId)).split("<form")[1] ?? "";
        expect(form).toContain(`data-method="${method.toUpperCase()}" data-path="${path}"`);
        expect(form).not.toContain("data-key");
        for (const { name, in: place } of asList(parameters).map(asRecord))
          expect(form).toContain(`name="${name}" data-in="${place}"`);
        expect(form.includes("data-body")).toBe(requestBody !== undefined);
      }
    }
    const confirmed = [...html.matchAll(/data-confirm="[^"]+" aria-label="Try (\w+)"/g)].map(([, id]) => id);
    expect(confirmed).toEqual(["seed", "restore", "reset"]);
    expect(control("situation")).toContain(situationKinds.map((kind) => `&quot;${kind}&quot;`).join(", "));
    expect(control("situation")).toContain("required with kind &quot;rate-limit&quot;; at least 1");
    expect(control("situation")).toContain("as <code>gpuctl sandbox situation add</code> does");
    expect(control("requests")).toContain("as <code>FIELD=VALUE</code>");
    expect(control("requests")).toContain("a class such as <code>4xx</code>");
    expect(control("scenario")).toContain(`one of ${Object.keys(scenarios).join(", ")}`);
  });
});
