import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { execa } from "execa";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { blocksOf, namedIn } from "../docs/readme-shell.ts";
import { createHome, key, repository } from "../support/process.ts";
import { linkPackage, type Packed, packPackage } from "./packing.ts";
import { serveThirdParty } from "./third-party-server.ts";

let packed: Packed;
/** The folders where the package is installed with and without its optional dependencies. */
let folder: string;
let withoutOptional: string;

beforeAll(async () => {
  packed = await packPackage();
  folder = await packed.install({ optional: true });
  withoutOptional = await packed.install({ optional: false });
}, 180_000);
afterAll(() => packed?.remove());

/** The command that is installed in a folder. It runs in a new home. */
async function installedCommand(where: string) {
  const home = await createHome();
  const command = [join(where, "node_modules", ".bin", "gpuctl")] as const;
  return {
    run: (line: string, env = {}) => home.run(line, { command, env }),
    packages: async () =>
      (await readdir(join(where, "node_modules"))).filter((name) => !name.startsWith(".")).sort(),
  };
}

describe("the package", () => {
  test("works as installed, including its sandbox", async () => {
    const { run, packages } = await installedCommand(folder);
    expect(await packages()).toContain("gpuctl");
    const { version } = JSON.parse(await readFile(join(repository, "package.json"), "utf8"));
    expect(await run("--version")).toEqual({ code: 0, out: `${version}\n`, err: "" });
    const { code, out, err } = await run("--sandbox rentals create vm --gpus 1");
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^Next steps:\n/) });
    expect(out).toMatch(/^ID: +\d+\n/);
    expect(await run("rentals list --sandbox -o id")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\n$/),
    });
    expect(await run('tts "Good morning" --sandbox --out speech.wav -q')).toMatchObject({ code: 0, err: "" });
    expect(await run('image "a lighthouse" --sandbox --out picture.png -q')).toMatchObject({
      code: 0,
      err: "",
    });
  });

  test("works without the packages that only the sandbox needs, and says how to install them", async () => {
    const { run, packages } = await installedCommand(withoutOptional);
    expect(await packages()).toEqual(["gpuctl"]);
    expect((await run("--version")).code).toBe(0);
    expect((await run("--help")).code).toBe(0);
    const server = await serveThirdParty({ key });
    onTestFinished(() => server.close());
    const account = { GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key };
    expect(await run("rentals list -o id", account)).toEqual({ code: 0, out: "18026\nbm-7f\n", err: "" });
    const { code, out, err } = await run("rentals list --sandbox");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/is not installed.*npm install @photostructure\/sqlite/);
  });
});

/** Puts files into the folder where the package is installed. */
async function write(files: Readonly<Record<string, string>>, where = folder): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(where, name)), { recursive: true });
    await writeFile(join(where, name), text);
  }
}

const run = (args: readonly string[], cwd = folder) =>
  execa(process.execPath, args, { cwd, reject: false, all: true, env: { CI: "1", NO_COLOR: "1" } });

const imports = {
  "program.mjs": `import { createClient, InvalidInput } from "gpuctl";
import { createSandbox } from "gpuctl/sandbox";`,
  "program.cjs": `const { createClient, InvalidInput } = require("gpuctl");
const { createSandbox } = require("gpuctl/sandbox");`,
};
const webp = "UklGRh4AAABXRUJQVlA4TBEAAAAvAQAAAA8Q87//8x8OMqL/AQA=";
const program = `
async function main() {
  const sandbox = await createSandbox();
  const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.keys.full });
  const { id } = await client.createVirtualMachineRental({ gpuCount: 1 });
  let reply = "";
  const input = { model: "sandbox-echo", messages: [{ role: "user", content: "hello" }] };
  for await (const { text } of client.stream("createChatCompletion", input)) reply += text;
  const picture = { model_name: "SD2", prompt: "a lighthouse", image: "${webp}" };
  const { images } = await client.generateImage(picture);
  const { audio } = await client.generateAudio({ text: "Good morning" });
  const error = await client.getRental({ rentalId: "" }).catch((cause) => cause);
  client.close();
  await sandbox.close();
  console.log(JSON.stringify({
    rental: typeof id,
    echoed: reply.includes("hello"),
    picture: Buffer.from(images[0].image, "base64").subarray(1, 4).toString(),
    speech: Buffer.from(audio, "base64").subarray(0, 4).toString(),
    rejected: error instanceof InvalidInput,
  }));
}
main();`;

describe("the packed library", () => {
  test.each(Object.entries(imports))("runs in %s and lets the process end", async (name, head) => {
    await write({ [name]: `${head}\n${program}` });
    const { exitCode, all } = await run([name]);
    expect({ exitCode, all }).toEqual({
      exitCode: 0,
      all: '{"rental":"number","echoed":true,"picture":"PNG","speech":"RIFF","rejected":true}',
    });
  });

  test("loads neither the sandbox nor the schemas before they are needed", async () => {
    const { stdout } = await run([
      "-p",
      'require("gpuctl").createClient({ baseUrl: "https://api.example.com", apiKey: "k" }); JSON.stringify(Object.keys(require.cache))',
    ]);
    const loaded: readonly string[] = JSON.parse(stdout);
    expect(loaded.some((file) => file.endsWith("client.cjs"))).toBe(true);
    expect(loaded.filter((file) => /sandbox|contract|webp/.test(file.slice(folder.length)))).toEqual([]);
  });

  test("says how to install the packages that only the sandbox needs", async () => {
    const { exitCode, all } = await run(
      [
        "-e",
        'require("gpuctl"); require("gpuctl/sandbox").createSandbox().catch((e) => console.log(e.message))',
      ],
      withoutOptional,
    );
    expect(exitCode).toBe(0);
    expect(all).toMatch(/is not installed.*npm install @photostructure\/sqlite/);
  });

  test("does not allow importing internal files", async () => {
    const { all } = await run(["-e", 'require("gpuctl/dist/gpuctl.cjs")']);
    expect(all).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED");
  });
});

/** Every Vitest suite in README.md and docs/library.md. */
const suites = ["README.md", "docs/library.md"].flatMap((text) =>
  blocksOf(readFileSync(join(repository, text), "utf8"), "js")
    .filter((block) => block.includes('from "vitest"'))
    .map((suite, at) => ({ name: `${at + 1} of ${text}`, suite })),
);

describe("a documented example", () => {
  test("is found in the documentation", () => expect(suites).not.toEqual([]));

  test.each(suites)("works as written: $name", async ({ name, suite }) => {
    const vitest = await linkPackage("vitest", folder);
    if (suite.includes('from "openai"')) await linkPackage("openai", folder);
    const file = `${name.replaceAll(/\W/g, "-")}.test.js`;
    await write({ [file]: suite });
    const { exitCode, all } = await run([join(vitest, "vitest.mjs"), "run", file]);
    expect(exitCode, all).toBe(0);
    expect(all).toContain(`${suite.match(/^test\(/gm)?.length} passed`);
  });
});

describe("the types of the packed library", () => {
  const consumer = `import { createClient, type Rental, ServiceError } from "gpuctl";
import { createSandbox, type Sandbox } from "gpuctl/sandbox";

export async function rent(sandbox: Sandbox): Promise<Rental> {
  const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.keys.full, fetch: sandbox.fetch });
  for await (const chunk of client.stream("createChatCompletion", { model: "m", messages: [] })) {
    const text: string = chunk.text;
    void text;
  }
  // @ts-expect-error: the service has no such GPU
  await client.createVirtualMachineRental({ gpuCount: 1, gpuType: "a100" });
  return client.createVirtualMachineRental({ gpuCount: 1, gpuType: "h200" });
}

export const statusOf = (error: unknown): number | undefined =>
  error instanceof ServiceError ? error.status : undefined;
export const open: () => Promise<Sandbox> = () => createSandbox({ now: () => 0 });
`;
  /** Check the declarations of the package, but not those of TypeScript itself. */
  const checks = { skipLibCheck: false, skipDefaultLibCheck: true };
  const options = { strict: true, noEmit: true, target: "ES2022", ...checks };

  test.each([
    ["nodenext", "node", ["node"]],
    ["bundler", "DOM", []],
  ])("compile with %s resolution and the globals of %s, without zod", async (resolution, globals, types) => {
    const tsc = join(await linkPackage("typescript", folder), "bin", "tsc");
    await linkPackage("@types/node", folder);
    const where = `types-${resolution}-${globals}`;
    const compilerOptions = {
      ...options,
      types,
      lib: ["ES2022", ...(globals === "DOM" ? ["DOM"] : [])],
      module: resolution === "nodenext" ? "nodenext" : "esnext",
      moduleResolution: resolution,
    };
    await write({
      [`${where}/consumer.mts`]: consumer,
      [`${where}/consumer.cts`]: consumer,
      [`${where}/tsconfig.json`]: JSON.stringify({ compilerOptions, include: ["*"] }),
    });
    const { exitCode, all } = await run([tsc, "-p", where]);
    expect(exitCode, all).toBe(0);
  });

  test("pass attw for every module resolution that supports `exports`", async () => {
    const result = await checkPackage(createPackageFromTarballData(await readFile(packed.tarball)));
    if (result.types === false) throw new Error("the package has no types");
    const problems = result.problems.filter(
      (problem) => !("resolutionKind" in problem && problem.resolutionKind === "node10"),
    );
    expect(problems).toEqual([]);
    expect(Object.keys(result.entrypoints)).toEqual([".", "./sandbox", "./package.json"]);
  });

  test("and the manifest pass publint", async () => {
    const { buffer } = new Uint8Array(await readFile(packed.tarball));
    const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });
});

/** The paths of the files in a folder and its subfolders, relative to the folder. */
async function filesIn(where: string): Promise<readonly string[]> {
  const found = await readdir(where, { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile()).map((one) => relative(where, join(one.parentPath, one.name)));
}

test("every link in a document leads to a file of the package", async () => {
  const root = join(folder, "node_modules/gpuctl");
  const documents = (await filesIn(root)).filter((name) => name.endsWith(".md"));
  expect(documents).toEqual(expect.arrayContaining(["README.md", "CHANGELOG.md", "docs/library.md"]));
  const missing = documents.flatMap((name) => {
    const text = readFileSync(join(root, name), "utf8");
    const links = [...text.matchAll(/\]\(((?!#|https?:|mailto:)[^)\s]+)\)/g)].map(([, to = ""]) => to);
    return links
      .filter((to) => !existsSync(join(root, dirname(name), to.replace(/#.*/, ""))))
      .map((to) => `${name}: ${to}`);
  });
  expect(missing).toEqual([]);
});

test("every file and folder that the README names is in the package", async () => {
  const root = join(folder, "node_modules/gpuctl");
  const named = namedIn(readFileSync(join(root, "README.md"), "utf8"));
  expect(named).toContain("CHANGELOG.md");
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("every file in dist/ except the licenses is loaded by the command, the library or its types", async () => {
  const root = join(folder, "node_modules/gpuctl");
  const { bin, exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const dist = (await filesIn(join(root, "dist"))).map((name) => join("dist", name));
  const queue: string[] = JSON.stringify([bin, exports]).match(/(?<="\.\/)dist[^"]+|(?<=")bin[^"]+/g) ?? [];
  const used = new Set<string>();
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    used.add(next);
    if (next.endsWith(".wasm")) continue;
    const text = readFileSync(join(root, next), "utf8");
    const isNamed = (name: string) =>
      next.startsWith("bin") || dirname(name) === dirname(next) ? text.includes(loadedAs(name)) : false;
    queue.push(...dist.filter((name) => !used.has(name) && isNamed(name)));
  }
  expect(dist.filter((name) => !used.has(name))).toEqual(["dist/THIRD-PARTY-LICENSES.txt"]);
});

/** The name by which code refers to a file. For a type declaration file, it is the name of the JavaScript file. */
const loadedAs = (name: string): string => basename(name).replace(/\.d\.([cm])ts$/, ".$1js");

test("every library that is bundled in dist/library is in the list of licenses", async () => {
  const manifest = JSON.parse(await readFile(join(folder, "node_modules/gpuctl/package.json"), "utf8"));
  expect(manifest.dependencies).toBeUndefined();
  const dist = join(folder, "node_modules/gpuctl/dist");
  const licenses = await readFile(join(dist, "THIRD-PARTY-LICENSES.txt"), "utf8");
  const inside = await librariesIn(join(dist, "library"));
  expect(inside).toContain("zod");
  expect(inside.filter((name) => !licenses.includes(`Name: ${name}\n`))).toEqual([]);
});

test("the libraries compiled into the bundled WebAssembly are in the list of licenses", async () => {
  const licenses = await readFile(join(folder, "node_modules/gpuctl/dist/THIRD-PARTY-LICENSES.txt"), "utf8");
  for (const holder of ["2012 Stephen Dolan", "K.Kosako", "Google Inc."]) {
    expect(licenses).toMatch(new RegExp(`copyright \\(c\\) .*${holder}`, "i"));
  }
});

/** The libraries in a folder of bundles. The bundler marks where each module of a library begins. */
async function librariesIn(where: string): Promise<readonly string[]> {
  const files = (await readdir(where)).filter((name) => /\.[cm]js$/.test(name));
  const texts = await Promise.all(files.map((name) => readFile(join(where, name), "utf8")));
  const marks = texts.flatMap((text) => [...text.matchAll(mark)]);
  return [...new Set(marks.map(([, name = ""]) => name))].sort();
}

const mark = /^\/\/#region .*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\/.*$/gm;
