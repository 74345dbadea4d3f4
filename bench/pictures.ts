/**
 * Measures the elapsed time, the processor time and the peak memory for pictures that are saved to the disk. Compares
 * gpuctl with `curl`, which saves the response unchanged, and with a Node.js program that reads the whole response into
 * memory. Each round runs every command line once. Needs curl, and GNU time for the memory and the processor time.
 * `npm run bench:pictures` builds first. `npm run bench:pictures -- 20` measures 20 rounds, after a warm-up round.
 */
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";

const rounds = Number(process.argv[2] ?? 10);
const large = 8 * 1024 * 1024;

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), data.length + 8);
  return bytes;
}

/** A PNG of random bytes, in chunks as encoders write them. */
function png(size: number): Buffer {
  const header = Buffer.from("00000400000004000802000000", "hex");
  const pixels = Array.from({ length: Math.ceil(size / 8192) }, () => chunk("IDAT", randomBytes(8192)));
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([signature, chunk("IHDR", header), ...pixels, chunk("IEND", Buffer.alloc(0))]);
}

const pictures = new Map([large, 65_536].map((size) => [size, Buffer.from(png(size).toString("base64"))]));

/** Responds to `/PICTURES/SIZE/MILLISECONDS/...`. */
const server = createServer(async ({ url = "" }, response) => {
  const [count = 0, size = 0, delay = 0] = url.slice(1).split("/").map(Number);
  const picture = pictures.get(size) ?? Buffer.alloc(0);
  await sleep(delay);
  response.writeHead(200, { "Content-Type": "application/json" });
  response.write('{"images":[');
  for (let index = 0; index < count; index += 1) {
    response.write(`${index === 0 ? "" : ","}{"index":${index},"image":"`);
    if (!response.write(picture)) await once(response, "drain");
    response.write(`","random_seed":${index}}`);
  }
  response.end('],"inference_time":1}');
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const base = (count: number, size: number, delay = 0) => `http://127.0.0.1:${port}/${count}/${size}/${delay}`;

const folder = mkdtempSync(join(tmpdir(), "gpuctl-bench-"));
const memoryFile = join(folder, "memory");
const out = join(folder, "out");
const hasTime = spawnSync("/usr/bin/time", ["--version"], { stdio: "ignore" }).status === 0;

interface Line {
  readonly command: readonly string[];
  readonly baseUrl?: string;
}

const gpuctl = (baseUrl: string, ...args: readonly string[]): Line => ({
  command: [process.execPath, "bin/gpuctl.js", "image", "cat", "--quiet", "--out", `${out}/`, ...args],
  baseUrl,
});
const request = ["--silent", "--no-progress-meter", "--data", "{}"];
const curl = (url: string, ...args: readonly string[]): Line => ({
  command: ["curl", ...request, "--output", join(out, "response.json"), url, ...args],
});
/** A single curl that sends several requests: its URL contains a range. */
const curls = (count: number, parallel: number, url: string): Line => ({
  command: [
    ...["curl", ...request, "--parallel", "--parallel-immediate", "--parallel-max", `${parallel}`],
    ...["--output", join(out, "response-#1.json"), `${url}/[1-${count}]`],
  ],
});
const program = `
  const { request } = require("node:http");
  const { writeFileSync } = require("node:fs");
  request(process.argv[1], { method: "POST" }, (response) => {
    const chunks = [];
    response.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
      const { images } = JSON.parse(Buffer.concat(chunks).toString());
      images.forEach(({ image }, index) => writeFileSync(process.argv[2] + index, Buffer.from(image, "base64")));
    });
  }).end("{}");`;
const whole = (url: string): Line => ({ command: [process.execPath, "-e", program, url, join(out, "p")] });

const lines: Readonly<Record<string, Line>> = {
  "node -e 0": { command: [process.execPath, "-e", "0"] },
  "start-up (64 KiB)": gpuctl(base(1, 65_536)),
  ...Object.fromEntries(
    [1, 4, 8].flatMap((count) => [
      [`curl, ${count} in a response`, curl(base(count, large))],
      [`node, ${count} in a response`, whole(base(count, large))],
      [`gpuctl, ${count} in a response`, gpuctl(base(count, large))],
    ]),
  ),
  "curl, 64, 4 at once": curls(64, 4, base(1, large)),
  "gpuctl, 64, 4 at once": gpuctl(base(1, large), "-n", "64"),
  "curl, 10 of 0.5 s at once": curls(10, 10, base(1, 65_536, 500)),
  "gpuctl, 10 of 0.5 s at once": gpuctl(base(1, 65_536, 500), "-n", "10", "--concurrency", "10"),
};

interface Measured {
  readonly milliseconds: number;
  /**
   * Processor time of the program, in milliseconds. It varies less than the elapsed time if the machine does other
   * work.
   */
  readonly processor: number;
  readonly mebibytes: number;
}

async function measure({ command, baseUrl = "" }: Line): Promise<Measured> {
  mkdirSync(out);
  writeFileSync(memoryFile, "");
  const [name = "", ...args] = hasTime
    ? ["/usr/bin/time", "--format=%M %U %S", `--output=${memoryFile}`, ...command]
    : command;
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GPUCTL_CONFIG_DIR: "/nonexistent",
    GPUCTL_STATE_DIR: folder,
    GPUCTL_API_KEY: "bench-key",
    GPUCTL_BASE_URL: baseUrl,
  };
  const start = performance.now();
  const [code] = await once(spawn(name, args, { env, stdio: ["ignore", "ignore", "inherit"] }), "exit");
  const milliseconds = performance.now() - start;
  if (code !== 0) throw new Error(`${command.slice(0, 5).join(" ")} exited with ${code}`);
  rmSync(out, { recursive: true });
  const [kibibytes = 0, user = 0, system = 0] = readFileSync(memoryFile, "utf8").split(" ").map(Number);
  return { milliseconds, processor: (user + system) * 1000, mebibytes: kibibytes / 1024 };
}

const quantile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN;
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

const timesOf = (name: string): readonly number[] =>
  measured.get(name)?.map(({ milliseconds }) => milliseconds) ?? [];

/** The ratios to curl, as medians of the ratios in each round: of the whole time, and of the time after startup. */
function ratios(name: string): string {
  const curlTimes = timesOf(name.replace(/^\w+/, "curl"));
  if (name.startsWith("curl") || curlTimes.length === 0) return "";
  const startUp = timesOf(name.startsWith("gpuctl") ? "start-up (64 KiB)" : "node -e 0");
  const all = timesOf(name);
  const ratio = (numerator: (round: number) => number) =>
    median(curlTimes.map((time, round) => numerator(round) / time)).toFixed(2);
  const after = ratio((round) => (all[round] ?? 0) - (startUp[round] ?? 0));
  return `   x ${ratio((round) => all[round] ?? 0)} of curl, x ${after} after start-up`;
}

for (const [name, all] of measured) {
  const of = (field: keyof Measured) => median(all.map((one) => one[field])).toFixed(0);
  const used = hasTime
    ? `${of("processor").padStart(6)} ms of processor ${of("mebibytes").padStart(5)} MiB`
    : "";
  const quartiles = [0.25, 0.75].map((share) => quantile(timesOf(name), share).toFixed(0)).join(" to ");
  process.stdout.write(
    `${name.padEnd(28)} ${median(timesOf(name)).toFixed(0).padStart(6)} ms (${quartiles}) ${used}${ratios(name)}\n`,
  );
}
