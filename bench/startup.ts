/**
 * Measures the startup times of gpuctl and of other installed tools, relative to `node -e 0`. Each round runs
 * every command line once. `npm run bench` builds first. `npm run bench -- 40` runs 40 rounds, and
 * `npm run bench -- 40 DIR` also measures the build in the checkout DIR and prints the ratio of the two.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn as spawnOnTerminal } from "@lydell/node-pty";
import { openApi } from "../src/contract/document/openapi.ts";
import { operations } from "../src/contract/index.ts";
import { rows } from "./rows.ts";

const rounds = Number(process.argv[2] ?? 20);
const other = process.argv[3];
/** The single executable, which is measured too if it was built. */
const binary = "binary/gpuctl";

const description = openApi(Object.values(operations), { servers: [] });

const server = createServer(({ url }, response) => {
  const body = url?.endsWith("/openapi.json") ? description : rows;
  response.setHeader("Content-Type", "application/json").end(JSON.stringify(body));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

/** Contains a state folder for each build, with the cached description, as on a user's machine. */
const state = mkdtempSync(join(tmpdir(), "gpuctl-bench-"));

const env = {
  PATH: process.env.PATH,
  HOME: state,
  GPUCTL_CONFIG_DIR: "/nonexistent",
  GPUCTL_API_KEY: "bench",
  GPUCTL_BASE_URL: `http://127.0.0.1:${port}`,
};

interface Line {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Run on a terminal of 80 columns. */
  readonly terminal?: boolean;
  /** Expected exit code; 0 if omitted. */
  readonly code?: number;
}

const node = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Line => ({
  program: process.execPath,
  args,
  env: more,
});

/** Other installed tools, written in Go, JavaScript or Rust. */
const peers: Readonly<Record<string, Line>> = Object.fromEntries(
  ["gh --version", "gh --help", "hcloud version", "hcloud --help", "npm --version"]
    .map((line): [string, Line] => {
      const [program = "", ...args] = line.split(" ");
      return [line, { program, args }];
    })
    .concat(
      ["tsc", "vitest", "biome"].map((name): [string, Line] => [
        `${name} --version`,
        node([join("node_modules/.bin", name), "--version"]),
      ]),
    )
    .filter(([, { program, args }]) => spawnSync(program, args, { env, stdio: "ignore" }).status === 0),
);

/**
 * The command lines to measure, for the build in a folder. Each build has its own state, because a build refuses the
 * state of a newer build.
 */
function linesOf(
  stateName: string,
  program: string,
  ...first: readonly string[]
): Readonly<Record<string, Line>> {
  const gpuctl = (...args: readonly string[]): Line => ({
    program,
    args: [...first, ...args],
    env: { GPUCTL_STATE_DIR: join(state, stateName) },
  });
  const list = gpuctl("rentals", "list", "--type", "vm");
  return {
    "--version": gpuctl("--version"),
    "--help": gpuctl("--help"),
    "--help, terminal": { ...gpuctl("--help"), terminal: true },
    "rentals --help": gpuctl("rentals", "--help"),
    "rentals list": list,
    "rentals list, terminal": { ...list, terminal: true },
    "rentals list, no code cache": { ...list, env: { ...list.env, NODE_DISABLE_COMPILE_CACHE: "1" } },
    "rentals list --sandbox": gpuctl("rentals", "list", "--sandbox"),
    "completion of a rental": gpuctl("__complete", "rental", ""),
    "unknown flag": { ...gpuctl("rentals", "list", "--no-such-flag"), code: 2 },
  };
}

const lines: Readonly<Record<string, Line>> = {
  "node -e 0": node(["-e", "0"]),
  ...linesOf("this", process.execPath, "bin/gpuctl.js"),
  ...(existsSync(binary) &&
    Object.fromEntries(
      Object.entries(linesOf("binary", binary)).map(([name, line]) => [`${name} (binary)`, line]),
    )),
  ...(other !== undefined &&
    Object.fromEntries(
      Object.entries(linesOf("other", process.execPath, join(other, "bin/gpuctl.js"))).map(([name, line]) => [
        `${name} (other)`,
        line,
      ]),
    )),
  ...peers,
};

async function milliseconds(line: Line): Promise<number> {
  const { program, args, code: expected = 0 } = line;
  const start = performance.now();
  const code = await exitCode(line);
  if (code !== expected) throw new Error(`${program} ${args.join(" ")} exited with ${code}`);
  return performance.now() - start;
}

async function exitCode({ program, args, env: more, terminal }: Line): Promise<number> {
  if (!terminal) {
    const child = spawn(program, [...args], { env: { ...env, ...more }, stdio: "ignore" });
    const [code] = await once(child, "exit");
    return code;
  }
  const child = spawnOnTerminal(program, [...args], {
    cols: 80,
    env: { ...env, ...more, TERM: "xterm-256color" },
  });
  return new Promise((resolve) => child.onExit(({ exitCode: code }) => resolve(code)));
}

const quantile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN;

const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

const times = new Map(Object.keys(lines).map((name) => [name, [] as number[]]));
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, line] of Object.entries(lines)) {
    const time = await milliseconds(line);
    if (round > 0) times.get(name)?.push(time);
  }
}
server.close();
rmSync(state, { recursive: true });

/** The ratio of two command lines: the median of the ratios in each round. */
const ratio = (name: string, base: string): string => {
  const bases = times.get(base) ?? [];
  const all = times.get(name) ?? [];
  return median(all.map((time, round) => time / (bases[round] ?? Number.NaN))).toFixed(2);
};

for (const [name, all] of times) {
  if (name.endsWith(" (other)")) continue;
  const pair = times.has(`${name} (other)`) ? `   other x ${ratio(name, `${name} (other)`)}` : "";
  const quartiles = [0.25, 0.75].map((share) => quantile(all, share).toFixed(0)).join(" to ");
  process.stdout.write(
    `${name.padEnd(38)} ${median(all).toFixed(0).padStart(4)} ms (${quartiles})   x ${ratio(name, "node -e 0")}${pair}\n`,
  );
}
