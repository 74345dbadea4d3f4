import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHome, dist, key, launcher } from "../support/process.ts";
import { serveThirdParty } from "./third-party-server.ts";

const recorder = fileURLToPath(new URL("record-loads.cjs", import.meta.url));

/** For each library, a string that identifies it in the minified bundle. */
const marks = {
  zod: "_zod",
  conf: "clearInvalidConfig",
  prompts: "ExitPromptError",
  ora: "`spinner.interval` must be a positive integer",
  SQLite: "@photostructure/sqlite",
  hono: "Can not add a route since the matcher is already built.",
  "node-server": "Backslash in request path",
  commander: "executableDir",
  chalk: "ansi256ToAnsi",
  "cli-table3": "bottom-mid",
  "eventsource-parser": "invalid-retry",
  "csv-stringify": "quote_record_delimiter",
  yaml: "BLOCK_FOLDED",
  jq: "noExitRuntime",
};
type Library = keyof typeof marks;

const textOf = (chunk: string) => readFileSync(join(dist, chunk), "utf8");
const librariesIn = (chunks: readonly string[]) =>
  (Object.keys(marks) as Library[]).filter((name) =>
    chunks.some((chunk) => textOf(chunk).includes(marks[name])),
  );

/** A chunk's name without its hash, and without the digit that rolldown may add for chunks with the same name. */
const logical = (chunk: string) => chunk.replace(/(?:-[\w-]{8}\d?)?\.cjs$/, "");

/** The sizes of the files in a folder and its subfolders that were changed since a time. */
const changedIn = (folder: string, since: number): readonly number[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)))
    .filter(({ mtimeMs }) => mtimeMs >= since)
    .map(({ size }) => size);

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

async function loadsOf(line: string, { warm = false, expected = 0 } = {}) {
  const server = await serveThirdParty({ key });
  onTestFinished(() => server.close());
  const home = await createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key });
  // This run requests the service's description and caches it, so the recorded run does not request it.
  if (warm) await home.run(line);
  const start = Date.now();
  const record = join(home.folder, "loads.json");
  const command = [process.execPath, "--require", recorder, launcher] as const;
  // Without gpuctl's cache of compiled code, Node.js loads every file, so the recorder sees each of them.
  const env = { RECORD_LOADS_IN: record, NODE_DISABLE_COMPILE_CACHE: "1" };
  const { code, err } = await home.run(line, { command, env });
  expect(code, err).toBe(expected);
  const written = sum(changedIn(home.folder, start)) - statSync(record).size;
  const { loaded } = JSON.parse(readFileSync(record, "utf8")) as { loaded: string[] };
  const chunks = loaded.filter((file) => file.startsWith(dist + sep)).map((file) => basename(file));
  return {
    chunks,
    err,
    own: chunks.map(logical).sort(),
    bytes: sum(chunks.map((chunk) => statSync(join(dist, chunk)).size)),
    written,
    libraries: librariesIn(chunks),
    packages: loaded.filter((file) => file.includes(`node_modules${sep}`)),
    builtin: loaded.filter((file) => /^(node:)?[\w/]+$/.test(file)).map((name) => name.replace("node:", "")),
  };
}

/**
 * The costs of the second run of a command line: the number of gpuctl's files that it loads, their size in bytes, and
 * the size of the files on the disk that it changes. The whole database of the sandbox counts. A measured size may be
 * up to 3% smaller or larger.
 */
interface Cost {
  readonly line: string;
  readonly files: number;
  readonly bytes: number;
  /** Undefined if a background process of the first run may still write. */
  readonly onDisk?: number;
}
const costs: readonly Cost[] = [
  { line: "--version", files: 1, bytes: 1_890, onDisk: 0 },
  { line: "--help", files: 3, bytes: 160_000, onDisk: 0 },
  { line: "rentals list", files: 9, bytes: 402_000, onDisk: 0 },
  { line: "rentals list -o json", files: 9, bytes: 396_000, onDisk: 0 },
  { line: "rentals list --color always", files: 10, bytes: 407_000, onDisk: 0 },
  { line: "rentals list --jq length", files: 11, bytes: 454_000, onDisk: 0 },
  { line: "rentals list --sandbox", files: 17, bytes: 664_000, onDisk: 114_688 },
  { line: "rentals create vm --gpus 1 --yes", files: 21, bytes: 552_000, onDisk: 0 },
  { line: "chat hi --sandbox", files: 33, bytes: 755_000, onDisk: 115_104 },
  { line: "image cat --seed 7 --sandbox --out cat.png --yes", files: 28, bytes: 734_000, onDisk: 212_134 },
  { line: "rentals list --no-such-flag", files: 7, bytes: 353_000, onDisk: 0 },
  { line: "__complete rental ''", files: 11, bytes: 411_000 },
];

describe("costs of a command line", () => {
  test.each(costs)("are as listed: $line", async ({ line, files, bytes, onDisk }) => {
    const expected = line.includes("--no-such-flag") ? 2 : 0;
    const { own, bytes: loaded, written } = await loadsOf(line, { warm: true, expected });
    expect({ files: own.length, own }).toEqual({ files, own });
    const isNear = (size: number, to: number) => Math.abs(size - to) <= to * 0.03;
    expect({ loaded, isNear: isNear(loaded, bytes) }).toEqual({ loaded, isNear: true });
    if (onDisk !== undefined)
      expect({ written, isNear: isNear(written, onDisk) }).toEqual({ written, isNear: true });
  });
});

describe("modules", () => {
  test("every string that identifies a library occurs in the build", () => {
    const chunks = readdirSync(dist).filter((name) => name.endsWith(".cjs"));
    expect(librariesIn(chunks)).toEqual(Object.keys(marks));
  });

  test("--version loads almost nothing", async () => {
    const { own, libraries, packages, builtin } = await loadsOf("--version");
    expect({ own, libraries, packages }).toEqual({
      own: ["gpuctl"],
      libraries: [],
      packages: [],
    });
    expect(builtin.filter((name) => !["module", "path", "process", "fs"].includes(name))).toEqual([]);
  });

  test.each(["--help", "rentals --help", "rentals create vm --help"])(
    "%s loads only the help renderer",
    async (line) => {
      const { own, libraries, packages, builtin } = await loadsOf(line);
      expect(own).toMatchInlineSnapshot(`
        [
          "gpuctl",
          "help",
          "rolldown-runtime",
        ]
      `);
      expect(libraries).toEqual([]);
      expect(packages).toEqual([]);
      expect(builtin).not.toContain("http");
    },
  );

  test("rentals list loads only what one request and one table need", async () => {
    const { own, libraries, packages, builtin } = await loadsOf("rentals list", { warm: true });
    expect(own).toMatchInlineSnapshot(`
      [
        "call",
        "code-cache",
        "gpuctl",
        "help",
        "list",
        "render",
        "rolldown-runtime",
        "start",
        "table",
      ]
    `);
    expect(libraries).toEqual(["commander"]);
    expect(packages).toEqual([]);
    for (const name of ["http", "https", "child_process", "crypto", "fs/promises", "perf_hooks"]) {
      expect(builtin).not.toContain(name);
    }
  });

  test.each(["json", "id"])("-o %s loads no library except commander", async (format) => {
    const { libraries } = await loadsOf(`rentals list -o ${format}`);
    expect(libraries).toEqual(["commander"]);
  });

  test.each([
    ["rentals list --color always", "chalk"],
    ["rentals list -o yaml", "yaml"],
    ["rentals list -o csv", "csv-stringify"],
    ["rentals list --jq length", "jq"],
  ])("%s also loads %s", async (line, library) => {
    const { libraries } = await loadsOf(line);
    expect(libraries).toContain(library);
  });

  test.each(["sandbox keys --sandbox", "sandbox limits --sandbox"])(
    "%s does not load the database",
    async (line) => {
      const { packages } = await loadsOf(line);
      expect(packages).toEqual([]);
    },
  );

  test("a chat with the sandbox's own model loads neither the code for engines nor the code of the sandbox's page", async () => {
    const { chunks, builtin } = await loadsOf("chat hi --sandbox");
    for (const mark of ["it stopped sending data", "data-live"]) {
      const marked = readdirSync(dist).filter((name) => name.endsWith(".cjs") && textOf(name).includes(mark));
      expect([mark, marked.length]).not.toEqual([mark, 0]);
      expect(chunks.filter((chunk) => marked.includes(chunk))).toEqual([]);
    }
    expect(builtin).not.toContain("https");
  });

  test("a write also loads input validation", async () => {
    const { libraries, packages } = await loadsOf("rentals create vm --gpus 1 -o json");
    expect(libraries).toEqual(["zod", "commander"]);
    expect(packages).toEqual([]);
  });
});
