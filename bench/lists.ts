/**
 * Compares long lists in every format with `curl | jq`: processor time, elapsed time and peak memory, for 10 to
 * 100,000 rentals. The ratio is to the processor time of `curl | jq .` in the same round. Each round runs every command
 * line once. Needs curl, jq and GNU time. `npm run bench:lists` builds first. `npm run bench:lists -- 10` runs 10
 * rounds. A second argument names the folder of another build, which is then measured as well.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";

const rounds = Number(process.argv[2] ?? 3);
const builds = { gpuctl: ".", ...(process.argv[3] && { other: process.argv[3] }) };
const counts = [10, 100, 1_000, 10_000, 100_000];

const rental = (id: number) => ({
  id: String(id),
  label: `train-${id % 977}`,
  status: ["Running", "Pending", "Failed"][id % 3],
  rentalType: "virtual-machine",
  gpuType: "h100",
  gpuCount: 1 + (id % 8),
  region: "us-central-1",
  networkType: "ethernet",
  termType: "on-demand",
  costPerHourCents: 225 * (1 + (id % 8)),
  currentTerm: { termType: "on-demand", costPerHourCents: 225 * (1 + (id % 8)), reservedUntil: null },
  createdAt: new Date(Date.UTC(2026, 8, 12) + id * 1000).toISOString(),
  startedAt: new Date(Date.UTC(2026, 8, 13) + id * 1000).toISOString(),
  providerData: { sshNetworking: [{ host: `10.${id >> 16}.${(id >> 8) & 255}.${id & 255}`, port: 22 }] },
});
const bodies = new Map(
  counts.map((count) => [
    String(count),
    Buffer.from(`[${Array.from({ length: count }, (_, id) => JSON.stringify(rental(id))).join(",")}]`),
  ]),
);

/** Lists as many rentals as the first part of the path says. The service has no OpenAPI description. */
const server = createServer((request, response) => {
  const [, count = "", ...path] = (request.url ?? "").split("/");
  const isListing = /(?:rentals|history|volumes)$/.test(path.at(-1) ?? "");
  response.writeHead(isListing ? 200 : 404, { "Content-Type": "application/json" });
  response.end(path.at(-1)?.startsWith("bare-metal") ? "[]" : isListing ? bodies.get(count) : "{}");
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const folder = mkdtempSync(join(tmpdir(), "gpuctl-bench-"));

const commands: readonly string[] = [
  ...["table", "json", "jsonl", "yaml", "csv", "tsv", "id"].map((format) => `rentals list -o ${format}`),
  "rentals history -o jsonl",
  "volumes list --jq length",
  "rentals list --jq '.[] | .id'",
  "rentals list --sort label --limit 10",
  "api call GET /v2/on-demand/virtual-machine-rentals",
];

const lines = (count: number): Readonly<Record<string, string>> => {
  const base = `http://127.0.0.1:${port}/${count}`;
  const curl = `curl --silent ${base}/v2/on-demand/virtual-machine-rentals`;
  return {
    "curl | jq .": `${curl} | jq .`,
    "curl | jq '.[] | .id'": `${curl} | jq '.[] | .id'`,
    ...Object.fromEntries(
      commands.flatMap((command) =>
        Object.entries(builds).map(([name, build]) => [
          `${name} ${command}`,
          `'${process.execPath}' '${build}/bin/gpuctl.js' ${command} --base-url ${base}`,
        ]),
      ),
    ),
  };
};

interface Measured {
  /** Seconds. */
  readonly cpu: number;
  readonly elapsed: number;
  /** MiB of the largest process. */
  readonly memory: number;
  readonly code: number;
}

async function measure(line: string): Promise<Measured> {
  const report = join(folder, "time");
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GPUCTL_CONFIG_DIR: "/nonexistent",
    GPUCTL_STATE_DIR: folder,
    GPUCTL_API_KEY: "bench-key",
  };
  const words = [
    "--quiet",
    "--format",
    "%U %S %e %M %x",
    "--output",
    report,
    "sh",
    "-c",
    `${line} > /dev/null`,
  ];
  const child = spawn("/usr/bin/time", words, { env, stdio: "ignore" });
  await once(child, "close");
  const [user = 0, system = 0, elapsed = 0, kib = 0, code = 0] = readFileSync(report, "utf8")
    .trim()
    .split(" ")
    .map(Number);
  return { cpu: user + system, elapsed, memory: kib / 1024, code };
}

const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor((numbers.length - 1) * share)] ?? Number.NaN;
const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

const print = (line: string) => process.stdout.write(`${line}\n`);
print(
  `Medians and quartiles of ${rounds} rounds, Node.js ${process.version}, ${cpus().length} x ${cpus()[0]?.model}:`,
);
for (const count of counts) {
  const all = lines(count);
  const measured = new Map(Object.keys(all).map((name) => [name, [] as Measured[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, line] of Object.entries(all)) measured.get(name)?.push(await measure(line));
  }
  print(`\n${count} rentals, ${((bodies.get(String(count))?.length ?? 0) / 1e6).toFixed(1)} MB`);
  for (const [name, some] of measured) {
    const times = some.map((one) => one.cpu);
    const quartiles = [0.25, 0.75].map((share) => quantile(times, share).toFixed(2)).join(" to ");
    const cpu = `${median(times).toFixed(2)} s processor (${quartiles})`;
    const bases = measured.get("curl | jq .") ?? [];
    const ratio = median(times.map((time, round) => time / (bases[round]?.cpu ?? Number.NaN))).toFixed(2);
    const elapsed = median(some.map((one) => one.elapsed)).toFixed(2);
    const memory = median(some.map((one) => one.memory)).toFixed(0);
    const failed = some.find((one) => one.code !== 0);
    const code = failed ? `, exit code ${failed.code}` : "";
    print(`${name.padEnd(58)} ${cpu} x ${ratio}, ${elapsed} s elapsed, ${memory} MiB${code}`);
  }
}
server.close();
rmSync(folder, { recursive: true });
