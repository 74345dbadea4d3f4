/**
 * Measures how the cost of requests to a served sandbox grows with the number of rentals, compared with a bare Hono
 * server in the same process, which sends one rental or all rentals from memory. `npm run bench:sandbox` builds first.
 * `npm run bench:sandbox -- 10 50000` measures with 10 and with 50,000 rentals. The times are processor times of the
 * process that serves both, which other programs on the machine hardly affect. If Prism is installed, a comparison of
 * elapsed times with its mock server follows.
 */
import { fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import type { createSandbox } from "../src/library/sandbox.ts";

const rental = { rentalType: "virtual-machine", gpuType: "h100", gpuCount: 1, region: "us-central-1" };

interface Served {
  readonly sandbox: string;
  readonly bare: string;
  readonly key: string;
  readonly id: number;
}

/** Serves a sandbox with `count` rentals, a tenth of them reserved, and a bare server, until the parent disconnects. */
async function serveBoth(count: number): Promise<void> {
  const path = "../dist/library/sandbox.mjs";
  const library: { readonly createSandbox: typeof createSandbox } = await import(path);
  const seeding = await library.createSandbox({ now: () => Date.parse("2026-11-20T12:00:00Z") });
  const { url, keys } = seeding;
  const seed = {
    rentals: Array.from({ length: count }, (_, index) => ({
      ...rental,
      createdAt: "2026-11-19T12:00:00Z",
      ...(index % 10 === 0 && { termType: "reserved", termPeriodDays: 30 }),
    })),
  };
  await fetch(`${url}/_sandbox/seed`, { method: "POST", body: JSON.stringify(seed) });
  const listed = await fetch(`${url}/v2/on-demand/virtual-machine-rentals`, {
    headers: { authorization: `Bearer ${keys.full}` },
  });
  const rows = (await listed.json()) as readonly { readonly id: number }[];
  const [first] = rows;
  const app = new Hono();
  app.get("/all", (http) => http.json(rows));
  app.get("/one", (http) => http.json(first));
  app.post("/one", async (http) => http.json({ ...first, ...(await http.req.json()) }));
  serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
    const served: Served = {
      sandbox: url,
      bare: `http://127.0.0.1:${port}`,
      key: keys.full,
      id: first?.id ?? 0,
    };
    process.send?.(served);
  });
  process.on("message", () => process.send?.(process.cpuUsage()));
  process.on("disconnect", () => process.exit());
}

const agent = new Agent({ keepAlive: true });

async function exchange(url: string, key: string, body?: object): Promise<void> {
  const outgoing = send(url, {
    agent,
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
  outgoing.end(body && JSON.stringify(body));
  const [incoming] = await once(outgoing, "response");
  incoming.resume();
  await once(incoming, "end");
  if (incoming.statusCode !== 200) throw new Error(`${url} responded ${incoming.statusCode}`);
}

const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN;
const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

async function measure(count: number): Promise<void> {
  const server = fork(import.meta.filename, ["serve", String(count)]);
  const [{ sandbox, bare, key, id }]: [Served] = (await once(server, "message")) as [Served];
  const cpu = async (): Promise<number> => {
    server.send("cpu");
    const [{ user, system }] = await once(server, "message");
    return (user + system) / 1000;
  };
  const create = { gpuCount: 1, gpuType: "h100" };
  const operations: Readonly<Record<string, readonly [path: string, bare: string, body?: object]>> = {
    get: [`/v2/on-demand/rental?rentalId=${id}`, "/one"],
    summary: ["/v2/on-demand/active-rental-summary", "/one"],
    balance: ["/v2/balances", "/one"],
    list: ["/v2/on-demand/virtual-machine-rentals", "/all"],
    // The create comes last, because it changes the number of rentals.
    create: ["/v2/on-demand/virtual-machine-rentals", "/one", create],
  };
  for (const [name, [path, barePath, body]] of Object.entries(operations)) {
    const perRound = name === "list" ? Math.max(1, Math.round(200 / count)) : 20;
    const timed = async (url: string): Promise<number> => {
      const before = await cpu();
      for (let call = 0; call < perRound; call += 1) await exchange(url, key, body);
      return ((await cpu()) - before) / perRound;
    };
    const times: (readonly [sandbox: number, bare: number])[] = [];
    // The first rounds only warm up.
    for (let round = -2; round < 11; round += 1) {
      const pair = [await timed(sandbox + path), await timed(bare + barePath)] as const;
      if (round >= 0) times.push(pair);
    }
    const ratio = median(times.map(([one, other]) => one / other)).toFixed(1);
    const [ours, theirs] = [median(times.map(([one]) => one)), median(times.map(([, other]) => other))];
    const all = times.map(([one]) => one);
    const quartiles = [0.25, 0.75].map((share) => quantile(all, share).toFixed(2)).join(" to ");
    process.stdout.write(
      `${String(count).padStart(6)} rentals  ${name.padEnd(8)} ${ours.toFixed(2).padStart(8)} ms (${quartiles})   bare ${theirs.toFixed(2).padStart(7)} ms   x ${ratio}\n`,
    );
  }
  server.disconnect();
  await once(server, "exit");
}

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Compares the elapsed time of a request for one rental with `prism mock`, which serves the sandbox's description. Does
 * nothing if Prism is not installed.
 */
async function measurePrism(): Promise<void> {
  if (spawnSync("prism", ["--version"]).status !== 0) return;
  const server = fork(import.meta.filename, ["serve", "10"]);
  const [{ sandbox, key, id }]: [Served] = (await once(server, "message")) as [Served];
  const folder = mkdtempSync(join(tmpdir(), "gpuctl-bench-"));
  const description = join(folder, "openapi.json");
  writeFileSync(description, await (await fetch(`${sandbox}/v2/openapi.json`)).text());
  const port = await freePort();
  const prism = spawn("prism", ["mock", "--port", String(port), description], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve) => {
    prism.stdout.on("data", (text: Buffer) => text.includes("is listening") && resolve());
  });
  const path = `/v2/on-demand/rental?rentalId=${id}`;
  const elapsed = async (url: string): Promise<number> => {
    const start = performance.now();
    for (let call = 0; call < 50; call += 1) await exchange(url + path, key);
    return (performance.now() - start) / 50;
  };
  const times: (readonly [sandbox: number, prism: number])[] = [];
  for (let round = -2; round < 11; round += 1) {
    const pair = [await elapsed(sandbox), await elapsed(`http://127.0.0.1:${port}`)] as const;
    if (round >= 0) times.push(pair);
  }
  const [ours, theirs] = [median(times.map(([one]) => one)), median(times.map(([, other]) => other))];
  process.stdout.write(
    `    10 rentals  get      ${ours.toFixed(2).padStart(8)} ms   Prism ${theirs.toFixed(2).padStart(6)} ms   elapsed\n`,
  );
  prism.kill();
  server.disconnect();
  await once(server, "exit");
  rmSync(folder, { recursive: true });
}

const [mode, size] = process.argv.slice(2);
if (mode === "serve") await serveBoth(Number(size));
else {
  const counts = process.argv.slice(2).map(Number);
  for (const count of counts.length > 0 ? counts : [10, 1000, 10_000, 50_000]) await measure(count);
  await measurePrism();
  agent.destroy();
}
