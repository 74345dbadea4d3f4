/**
 * Shows where the processor time of a command goes. Takes CPU profiles of several runs with `node --cpu-prof`, and adds
 * up the samples of each part: Node.js, V8 reading and compiling code, garbage collection, and each file of gpuctl.
 * `npm run bench:profiles` builds first. `npm run bench:profiles -- 20` takes 20 profiles of each case, but only one if
 * the case takes seconds. Samples are counted, not weighted by time, so that other work on the machine hardly affects
 * the result.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { spawn as spawnOnTerminal } from "@lydell/node-pty";
import { rows } from "./rows.ts";

const rounds = Number(process.argv[2] ?? 10);
/** Microseconds between two samples. */
const interval = 200;
const folder = mkdtempSync(join(tmpdir(), "gpuctl-bench-"));

const message = { role: "assistant", content: "word ".repeat(40) };
const chat = JSON.stringify({ id: "1", choices: [{ index: 0, message, finish_reason: "stop" }] });
const chunk = (type: string, data: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, data, Buffer.alloc(4)]);
};
const png = Buffer.concat([
  Buffer.from("89504e470d0a1a0a", "hex"),
  chunk("IHDR", Buffer.from("00000400000004000802000000", "hex")),
  ...Array.from({ length: 1024 }, () => chunk("IDAT", randomBytes(8192))),
  chunk("IEND", Buffer.alloc(0)),
]);
const images = JSON.stringify({ images: [{ index: 0, image: png.toString("base64"), random_seed: 1 }] });
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    const url = request.url ?? "";
    const [status, body] = url.endsWith("/openapi.json")
      ? [404, "{}"]
      : [200, url.endsWith("rentals") ? JSON.stringify(rows) : url.endsWith("generation") ? images : chat];
    response.writeHead(status, { "Content-Type": "application/json" }).end(body);
  });
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

const batch = join(folder, "chats.jsonl");
const line = (index: number) =>
  JSON.stringify({
    custom_id: `request-${index}`,
    method: "POST",
    url: "/v1/chat/completions",
    body: { model: "m", messages: [{ role: "user", content: `Question ${index}` }] },
  });
writeFileSync(batch, Array.from({ length: 10_000 }, (_, index) => `${line(index)}\n`).join(""));

/** The code of a program that serves a sandbox with 10,000 rentals and sends requests to it. */
const sandbox = (path: string, count: number) => `
  import { createSandbox } from "./dist/library/sandbox.mjs";
  const { url, keys, close } = await createSandbox();
  const rental = { rentalType: "virtual-machine", gpuType: "h100", gpuCount: 1, region: "us-central-1" };
  const seed = { rentals: Array(10000).fill(rental) };
  await fetch(url + "/_sandbox/seed", { method: "POST", body: JSON.stringify(seed) });
  const headers = { authorization: "Bearer " + keys.full };
  for (let call = 0; call < ${count}; call += 1) await (await fetch(url + "${path}", { headers })).text();
  await close();`;

interface Case {
  /** `OUT` is replaced by a path that is new in each run. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly terminal?: boolean;
  /** Expected exit code; 0 if omitted. */
  readonly code?: number;
}
const gpuctl = (...args: readonly string[]): Case => ({ args: ["bin/gpuctl.js", ...args] });
const program = (code: string): Case => ({ args: ["--input-type=module", "--eval", code] });
const list = gpuctl("rentals", "list", "--type", "vm");
const cases: Readonly<Record<string, Case>> = {
  "node -e 0": { args: ["-e", "0"] },
  "rentals list": list,
  "rentals list, terminal": { ...list, terminal: true },
  "rentals list, no code cache": { ...list, env: { NODE_DISABLE_COMPILE_CACHE: "1" } },
  "unknown flag": { ...gpuctl("rentals", "list", "--no-such-flag"), code: 2 },
  "64 pictures of 8 MiB": gpuctl("image", "cat", "-n", "64", "--quiet", "--out", "OUT/"),
  "batch of 10,000 chats": gpuctl("batch", "run", batch, "--quiet", "--out", "OUT.jsonl"),
  "sandbox: list of 10,000 rentals": program(sandbox("/v2/on-demand/virtual-machine-rentals", 20)),
  "sandbox: balance of 10,000 rentals": program(sandbox("/v2/balances", 1000)),
};

const environment = {
  PATH: process.env.PATH ?? "",
  HOME: folder,
  GPUCTL_CONFIG_DIR: "/nonexistent",
  GPUCTL_STATE_DIR: folder,
  GPUCTL_API_KEY: "bench",
  GPUCTL_BASE_URL: `http://127.0.0.1:${port}`,
};

async function run({ args, env: more, terminal, code: expected = 0 }: Case, to: string): Promise<void> {
  const flags = ["--cpu-prof", `--cpu-prof-interval=${interval}`, `--cpu-prof-dir=${to}`];
  const words = [...flags, ...args.map((word) => word.replace("OUT", `${to}-out`))];
  const env = { ...environment, ...more };
  const [code] = await (terminal
    ? new Promise<[number]>((resolve) => {
        const child = spawnOnTerminal(process.execPath, words, {
          cols: 80,
          env: { ...env, TERM: "xterm-256color" },
        });
        child.onExit(({ exitCode }) => resolve([exitCode]));
      })
    : once(spawn(process.execPath, words, { env, stdio: "ignore" }), "exit"));
  if (code !== expected) throw new Error(`${args.join(" ")} exited with ${code}`);
}

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
}
type Frame = Profile["nodes"][number]["callFrame"];

/** Functions of Node.js in which V8 reads or compiles code. */
const compiling = new Set(["Script", "compileFunction", "wrapSafe", "compileForInternalLoader"]);

function partOf({ functionName, url }: Frame): string {
  if (functionName === "(garbage collector)") return "garbage collection";
  if (compiling.has(functionName)) return "V8 reads and compiles code";
  if (url.startsWith("node:")) return "Node.js";
  if (url === "") return "native code";
  // The file name without the hash of its content.
  return `gpuctl: ${basename(url).replace(/(?:-[\w-]{8}\d?)?\.[cm]js$/, "")}`;
}

const table = (counts: ReadonlyMap<string, number>, total: number, shown: number): string =>
  [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, shown)
    .map(([name, count]) => `  ${((count / total) * 100).toFixed(1).padStart(5)} %  ${name}\n`)
    .join("");

/** Cases that take seconds are profiled once. */
const long = /^(?:64 pictures|batch|sandbox)/;

async function profile(name: string, one: Case): Promise<void> {
  const [parts, functions] = [new Map<string, number>(), new Map<string, number>()];
  let total = 0;
  const runs = long.test(name) ? 1 : rounds;
  // The first run only fills the caches.
  for (let round = runs > 1 ? -1 : 0; round < runs; round += 1) {
    const to = mkdtempSync(join(folder, "profile-"));
    await run(one, to);
    if (round < 0) continue;
    for (const file of readdirSync(to)) {
      const { nodes, samples }: Profile = JSON.parse(readFileSync(join(to, file), "utf8"));
      const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
      for (const sample of samples) {
        const frame = frames.get(sample);
        if (frame === undefined || frame.functionName === "(idle)" || frame.functionName === "(root)")
          continue;
        const [part, own] = [partOf(frame), `${frame.functionName || "anonymous"} in ${partOf(frame)}`];
        parts.set(part, (parts.get(part) ?? 0) + 1);
        if (!frame.functionName.startsWith("(")) functions.set(own, (functions.get(own) ?? 0) + 1);
        total += 1;
      }
    }
  }
  process.stdout.write(
    `${name}: ${Math.round(total / runs)} samples${runs > 1 ? " a run" : ""}\n${table(parts, total, 8)}`,
  );
  process.stdout.write(`  largest functions:\n${table(functions, total, 3)}\n`);
}

try {
  for (const [name, one] of Object.entries(cases)) await profile(name, one);
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
}
