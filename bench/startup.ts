/**
 * How soon a command line answers: ratios to `node -e 0`, measured in turn in one run, with GitHub's `gh` beside it
 * where that is installed. `npm run bench` builds first; `npm run bench -- 40` takes 40 rounds.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "../src/contract/index.ts";
import { openApi } from "../src/contract/openapi.ts";

const rounds = Number(process.argv[2] ?? 20);
const rows = Array.from({ length: 25 }, (_, index) => ({
  id: index + 1,
  status: "Running",
  label: `node-${index + 1}`,
  gpuCount: 8,
  gpuType: "h100",
  region: "us-central-1",
  costPerHourCents: 1600,
}));

const description = openApi(Object.values(operations), { servers: [] });

const server = createServer(({ url }, response) => {
  const body = url?.endsWith("/openapi.json") ? description : rows;
  response.setHeader("Content-Type", "application/json").end(JSON.stringify(body));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

/** Keeps the description, as it is kept for a day on every machine. */
const state = mkdtempSync(join(tmpdir(), "gpuctl-bench-"));

const env = {
  PATH: process.env.PATH,
  HOME: state,
  GPUCTL_CONFIG_DIR: "/nonexistent",
  GPUCTL_STATE_DIR: state,
  GPUCTL_API_KEY: "bench",
  GPUCTL_BASE_URL: `http://127.0.0.1:${port}`,
};

interface Line {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const node = (...args: readonly string[]): Line => ({ program: process.execPath, args });
const gpuctl = (...args: readonly string[]): Line => node("bin/gpuctl.js", ...args);
const list = gpuctl("rentals", "list", "--type", "vm");
const hasGh = spawnSync("gh", ["--version"], { env, stdio: "ignore" }).status === 0;

const lines: Readonly<Record<string, Line>> = {
  "node -e 0": node("-e", "0"),
  "--version": gpuctl("--version"),
  "--help": gpuctl("--help"),
  "rentals --help": gpuctl("rentals", "--help"),
  "rentals list": list,
  "rentals list, no code kept": { ...list, env: { NODE_DISABLE_COMPILE_CACHE: "1" } },
  ...(hasGh && {
    "gh --version": { program: "gh", args: ["--version"] },
    "gh --help": { program: "gh", args: ["--help"] },
  }),
};

async function milliseconds({ program, args, env: more }: Line): Promise<number> {
  const start = performance.now();
  const child = spawn(program, [...args], { env: { ...env, ...more }, stdio: "ignore" });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}`);
  return performance.now() - start;
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

const times = new Map(Object.keys(lines).map((name) => [name, [] as number[]]));
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, line] of Object.entries(lines)) {
    const time = await milliseconds(line);
    if (round > 0) times.get(name)?.push(time);
  }
}
server.close();
rmSync(state, { recursive: true });

const floors = times.get("node -e 0") ?? [];
for (const [name, all] of times) {
  const ratios = all.map((time, round) => time / (floors[round] ?? Number.NaN));
  process.stdout.write(
    `${name.padEnd(26)} ${median(all).toFixed(0).padStart(4)} ms   x ${median(ratios).toFixed(2)}\n`,
  );
}
