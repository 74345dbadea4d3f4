/**
 * Compares a streamed chat with `curl` and with the `openai` package. Measures two durations: from the arrival of the
 * request at the server to the first byte on stdout, and from the start of the process to its end, with up to 100,000
 * tokens written to a pipe. Also asks one question at the end of a session of 10,000 turns. Each round runs every
 * command line once. Needs curl. `npm run bench:chat` builds first. `npm run bench:chat -- 20` measures 20 rounds,
 * after a warm-up round.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const rounds = Number(process.argv[2] ?? 10);
/** How many tokens are streamed. Several numbers show how the cost grows. */
const counts = [1, 10_000, 100_000];

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const end = `${event({}, "stop")}data: [DONE]\n\n`;
const bodies = new Map(
  counts.map((count) => [String(count), Buffer.from(`${event({ content: "word " }).repeat(count)}${end}`)]),
);

/** When the last request arrived, in milliseconds. */
let arrived = 0;

/** Streams as many tokens as the first part of the path says. */
const server = createServer((request, response) => {
  arrived = performance.now();
  request.resume();
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.end(bodies.get(request.url?.split("/")[1] ?? ""));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const folder = mkdtempSync(join(tmpdir(), "gpuctl-bench-"));

const base = (count: number) => `http://127.0.0.1:${port}/${count}`;
const curl = (url: string) => [
  "curl",
  "--silent",
  "--no-buffer",
  "--data",
  "{}",
  `${url}/v1/chat/completions`,
];
const gpuctl = (url: string) => [
  ...[process.execPath, "bin/gpuctl.js", "chat", "Hello", "--model", "m", "--no-stdin", "--quiet"],
  ...["--base-url", url],
];
const openai = (url: string) => {
  const script = `
    import { OpenAI } from "openai";
    const client = new OpenAI({ apiKey: "bench-key", baseURL: ${JSON.stringify(`${url}/v1`)} });
    const messages = [{ role: "user", content: "Hello" }];
    const chunks = await client.chat.completions.create({ model: "m", messages, stream: true });
    for await (const { choices } of chunks) process.stdout.write(choices[0]?.delta.content ?? "");
  `;
  return [process.execPath, "--input-type=module", "--eval", script];
};
const turns = Array.from({ length: 10_000 }, (_, at) => ({
  id: `t${at}`,
  parent: at === 0 ? null : `t${at - 1}`,
  time: "2026-11-22T12:00:00.000Z",
  role: at % 2 ? "assistant" : "user",
  content: `Turn ${at} ${"lorem ipsum dolor sit amet ".repeat(10)}`,
}));
const header = { format: "gpuctl-chat-session", version: 1 };
mkdirSync(join(folder, "chat-sessions"));
writeFileSync(
  join(folder, "chat-sessions", "long.jsonl"),
  [header, ...turns].map((one) => `${JSON.stringify(one)}\n`).join(""),
  { mode: 0o600 },
);
const lines: Readonly<Record<string, readonly string[]>> = {
  "node -e 0": [process.execPath, "-e", "0"],
  ...Object.fromEntries(
    counts.flatMap((count) =>
      Object.entries({ curl, gpuctl, openai }).map(([name, line]) => [
        `${name}, ${count} ${count === 1 ? "token" : "tokens"}`,
        line(base(count)),
      ]),
    ),
  ),
  "gpuctl, 10,000 turns": [...gpuctl(base(1)), "--session", "long"],
};

interface Measured {
  readonly total: number;
  /** From the arrival of the request to the first byte on stdout. */
  readonly first: number;
}

async function measure([name = "", ...args]: readonly string[]): Promise<Measured> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GPUCTL_CONFIG_DIR: "/nonexistent",
    GPUCTL_STATE_DIR: folder,
    GPUCTL_API_KEY: "bench-key",
  };
  const start = performance.now();
  const child = spawn(name, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  let first = Number.NaN;
  child.stdout.on("data", () => {
    if (Number.isNaN(first)) first = performance.now() - arrived;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${[name, ...args].slice(0, 4).join(" ")} exited with ${code}`);
  return { total: performance.now() - start, first };
}

const quantile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) * share)] ?? Number.NaN;

const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

const measured = new Map(Object.keys(lines).map((name) => [name, [] as Measured[]]));
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, line] of Object.entries(lines)) {
    const one = await measure(line);
    if (round > 0) measured.get(name)?.push(one);
  }
}
server.close();
rmSync(folder, { recursive: true });

const print = (line: string) => process.stdout.write(`${line}\n`);
print(`Medians and quartiles of ${rounds} rounds, in milliseconds, on Node.js ${process.version}:`);
for (const [name, all] of measured) {
  const shown = (numbers: readonly number[]) =>
    [0.5, 0.25, 0.75].map((share) => quantile(numbers, share).toFixed(0)).join(" / ");
  const totals = all.map(({ total }) => total);
  const firsts = all.map(({ first }) => first);
  const first = Number.isNaN(firsts[0]) ? "" : `, first byte ${shown(firsts)} after the request arrived`;
  // The ratio is to the openai package, because curl decodes nothing.
  const others = measured.get(name.replace(/^\w+/, "openai"))?.map(({ total }) => total) ?? [];
  const ratio = median(totals.map((total, round) => total / (others[round] ?? Number.NaN))).toFixed(2);
  print(
    `${name.padEnd(24)} ${shown(totals)}${others.length > 0 && name.startsWith("gpuctl") ? ` x ${ratio} of openai` : ""}${first}`,
  );
}
