/**
 * Compares `gpuctl batch run` with a bare loop over `node:http` that sends the same requests with the same concurrency:
 * throughput, processor time and peak memory. Also shows how many bytes the batch wrote to the disk. Then measures the
 * check of 1,000,000 lines, and a batch of 200 pictures of 1 MB. `npm run bench:batch` builds first. `npm run
 * bench:batch -- 10000` sends 10,000 chats instead of 100,000, and checks 100,000 lines.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";

const chats = Number(process.argv[2] ?? 100_000);
const rounds = 5;
const checked = chats * 10;
const pictures = 200;
const concurrency = 8;
const folder = mkdtempSync(join(tmpdir(), "gpuctl-bench-"));

/** A service that responds immediately. It runs in its own process. */
const serviceCode = `
const { createServer } = require("node:http");
const chunk = (type, data) => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, data, Buffer.alloc(4)]);
};
const parts = [chunk("IHDR", Buffer.alloc(13)), chunk("IDAT", require("node:crypto").randomBytes(1e6)), chunk("IEND", Buffer.alloc(0))];
const picture = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts]).toString("base64");
const chat = JSON.stringify({ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "m", choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(40) }, finish_reason: "stop" }], usage: { prompt_tokens: 9, completion_tokens: 40, total_tokens: 49 } });
const images = JSON.stringify({ images: [{ index: 0, image: picture }] });
createServer((request, response) => {
  request.resume().on("end", () => {
    const body = request.url.endsWith("/v1/image/generation") ? images : chat;
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length });
    response.end(body);
  });
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
`;

/** A loop that sends the body of each line, and reads each response. */
const bareCode = `
const http = require("node:http");
const { createInterface } = require("node:readline");
const [file, port, count] = process.argv.slice(1);
const agent = new http.Agent({ keepAlive: true });
const send = (body) => new Promise((resolve, reject) => {
  const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  const request = http.request({ port, host: "127.0.0.1", path: "/v1/chat/completions", method: "POST", agent, headers }, (response) => {
    const chunks = [];
    response.on("data", (chunk) => chunks.push(chunk)).on("end", () => resolve(JSON.parse(Buffer.concat(chunks))));
  });
  request.on("error", reject).end(body);
});
(async () => {
  const lines = createInterface({ input: require("node:fs").createReadStream(file) })[Symbol.asyncIterator]();
  await Promise.all(Array.from({ length: Number(count) }, async () => {
    for (let next = await lines.next(); !next.done; next = await lines.next()) await send(JSON.stringify(JSON.parse(next.value).body));
  }));
  agent.destroy();
})();
`;

interface Measured {
  readonly seconds: number;
  /** Seconds of processor time. */
  readonly processor: number;
  /** Peak memory, in MiB. */
  readonly mib: number;
}

async function measure(name: string, args: readonly string[]): Promise<Measured> {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GPUCTL_CONFIG_DIR: "/nonexistent",
    GPUCTL_STATE_DIR: folder,
    GPUCTL_API_KEY: "bench-key",
  };
  const report = join(folder, "time");
  const start = performance.now();
  const child = spawn("/usr/bin/time", ["-f", "%M %U %S", "-o", report, process.execPath, ...args], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${name} exited with ${code}`);
  const seconds = (performance.now() - start) / 1000;
  let text = "";
  for await (const chunk of createReadStream(report)) text += chunk;
  const [kib = 0, user = 0, system = 0] = text.trim().split(" ").map(Number);
  return { seconds, processor: user + system, mib: kib / 1024 };
}

async function write(name: string, count: number, lineOf: (index: number) => object): Promise<string> {
  const path = join(folder, name);
  const file = createWriteStream(path);
  for (let index = 0; index < count; index += 1) {
    if (!file.write(`${JSON.stringify(lineOf(index))}\n`)) await once(file, "drain");
  }
  file.end();
  await finished(file);
  return path;
}

const chatLine = (index: number) => ({
  custom_id: `request-${index}`,
  method: "POST",
  url: "/v1/chat/completions",
  body: { model: "m", messages: [{ role: "user", content: `Question ${index}: ${"why ".repeat(20)}` }] },
});
const imageLine = (index: number) => ({
  custom_id: `picture-${index}`,
  method: "POST",
  url: "/v1/image/generation",
  body: { model_name: "SDXL1.0-base", prompt: `A lighthouse ${index}` },
});

const service = spawn(process.execPath, ["-e", serviceCode], { stdio: ["ignore", "pipe", "inherit"] });
const port = Number(String((await once(service.stdout, "data"))[0]));
const run = (input: string, out: string, ...more: readonly string[]) => [
  ...["bin/gpuctl.js", "batch", "run", input, "--out", out, "--concurrency", String(concurrency)],
  ...["--base-url", `http://127.0.0.1:${port}`, "--quiet", ...more],
];
const print = (line: string) => process.stdout.write(`${line}\n`);
const size = (path: string) => statSync(path).size;

const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor((numbers.length - 1) * share)] ?? Number.NaN;
const shown = (numbers: readonly number[], digits = 0): string => {
  const [median, low, high] = [0.5, 0.25, 0.75].map((share) => quantile(numbers, share).toFixed(digits));
  return `${median} (${low} to ${high})`;
};

/** Compares a batch with the loop, in rounds that run both. */
async function compare(count: number): Promise<void> {
  const input = await write(`chats-${count}.jsonl`, count, chatLine);
  const pairs: { bare: Measured; batch: Measured }[] = [];
  const outOf = (round: number) => join(folder, `answers-${count}-${round}.jsonl`);
  for (let round = 0; round < rounds; round += 1) {
    const bare = await measure("the loop", ["-e", bareCode, input, String(port), String(concurrency)]);
    pairs.push({ bare, batch: await measure("the batch", run(input, outOf(round))) });
  }
  const of = (one: "bare" | "batch", value: (measured: Measured) => number) =>
    pairs.map((pair) => value(pair[one]));
  const rate = ({ seconds }: Measured) => count / seconds;
  const mib = (one: "bare" | "batch") =>
    quantile(
      of(one, (measured) => measured.mib),
      0.5,
    ).toFixed(0);
  const ratio = (value: (measured: Measured) => number) =>
    shown(pairs.map(({ bare, batch }) => (value(batch) / value(bare)) * 100));
  const [output, journal] = [size(outOf(0)), size(`${outOf(0)}.journal`)];
  print(
    `${count} chats, ${concurrency} at once, medians and quartiles of ${rounds} rounds, on Node.js ${process.version}:`,
  );
  print(`  node:http    ${shown(of("bare", rate))}/s, ${mib("bare")} MiB`);
  print(`  batch run    ${shown(of("batch", rate))}/s, ${mib("batch")} MiB`);
  print(`  throughput   ${ratio(rate)} % of node:http`);
  const processor = (one: "bare" | "batch") =>
    shown(
      of(one, (measured) => measured.processor),
      1,
    );
  const share = shown(pairs.map(({ bare, batch }) => (bare.processor / batch.processor) * 100));
  print(`  processor    ${processor("batch")} s, node:http ${processor("bare")} s: ${share} %`);
  print(
    `  disk         ${(journal / count).toFixed(0)} bytes a line for the journal, ${(output / count).toFixed(0)} for the output`,
  );
}

try {
  // A tenth of the chats first, to see how the cost grows.
  for (const count of [chats / 10, chats]) await compare(count);
  const many = await write("many.jsonl", checked, chatLine);
  const check = await measure("the check", run(many, join(folder, "none.jsonl"), "--dry-run"));
  print(`${checked} lines checked: ${check.seconds.toFixed(1)} s, ${check.mib.toFixed(0)} MiB`);

  const prompts = await write("pictures.jsonl", pictures, imageLine);
  const drawn = await measure("the pictures", run(prompts, join(folder, "drawn.jsonl")));
  print(`${pictures} pictures of 1 MB: ${drawn.seconds.toFixed(1)} s, ${drawn.mib.toFixed(0)} MiB`);
} finally {
  service.kill();
  rmSync(folder, { recursive: true });
}
