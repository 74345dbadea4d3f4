import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { listen } from "../client/server.ts";
import { createHome, key } from "../support/process.ts";
import { serveThirdParty } from "./third-party-server.ts";

const asShell = (kind: string, ...more: string[]) => ["__complete", kind, "", ...more];

test("IDs and labels are requested once and cached in a file that only the user can read; the key is not cached", async () => {
  const server = await serveThirdParty({ key });
  onTestFinished(() => server.close());
  const home = await createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key });
  await home.run(asShell("volume", "--refresh-cache"));
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /v2/on-demand/storage-volumes",
  ]);

  const folder = join(home.folder, "state/completions");
  const [name = "", ...others] = await readdir(folder);
  expect(others).toEqual([]);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder, name), "utf8")).not.toContain(key);

  const { code, out, err } = await home.run(asShell("volume"));
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^([^\t\n]+\t[^\t\n]*\n){2}$/);
  expect(server.requests).toHaveLength(1);
});

test("a service that never responds does not block the shell and gets one request", async () => {
  const closed: string[] = [];
  const held: (() => void)[] = [];
  const server = await listen(({ path }, response) => {
    response.on("close", () => closed.push(path));
    held.push(() => response.writeHead(500).end());
  });
  const home = await createHome({ GPUCTL_BASE_URL: server.origin, GPUCTL_API_KEY: key });
  expect(await home.run(asShell("volume"))).toEqual({ code: 0, out: "", err: "" });
  await vi.waitFor(() => expect(server.seen).toHaveLength(1), 10_000);
  // A second background refresh ends at once, without a request, while the first one waits.
  const others = [home.run(asShell("volume", "--refresh-cache")), home.run(asShell("volume"))];
  for (const other of others) expect(await other).toEqual({ code: 0, out: "", err: "" });
  expect(server.seen).toHaveLength(1);
  expect(closed, "the first request continues").toEqual([]);

  for (const respond of held) respond();
  const kept = () => readdir(join(home.folder, "state/completions"));
  await vi.waitFor(async () => expect(await kept()).toEqual([]), 10_000);
});

test.each([
  ["no service", {}],
  ["a host where nothing listens", { GPUCTL_BASE_URL: "http://127.0.0.1:1", GPUCTL_API_KEY: "k" }],
  ["no key", { GPUCTL_BASE_URL: "http://127.0.0.1:1" }],
  ["a bad setting", { GPUCTL_SANDBOX: "1", GPUCTL_OUTPUT: "nothing" }],
])("with %s there are no completions and no error", async (_what, env) => {
  const home = await createHome(env);
  expect(await home.run(asShell("rental"))).toEqual({ code: 0, out: "", err: "" });
  expect(await home.run(asShell("rental", "--refresh-cache"))).toEqual({ code: 0, out: "", err: "" });
});

test("a state folder that is a file, and an unknown kind of values, give no completions", async () => {
  const home = await createHome({ GPUCTL_SANDBOX: "1" });
  await writeFile(join(home.folder, "state"), "");
  expect(await home.run(asShell("rental"))).toEqual({ code: 0, out: "", err: "" });
  expect(await home.run(asShell("rental", "--refresh-cache"))).toEqual({ code: 0, out: "", err: "" });
  expect(await home.run(["__complete"])).toEqual({ code: 0, out: "", err: "" });
  expect(await home.run(asShell("key"))).toEqual({ code: 0, out: "", err: "" });
});

test("the key is sent only where a command would send it", async () => {
  const home = await createHome({ GPUCTL_API_KEY: key });
  const server = await listen((_request, response) => response.end("[]"));
  await home.run(
    asShell("volume", "--base-url", server.origin.replace("127.0.0.1", "0.0.0.0"), "--refresh-cache"),
  );
  expect(server.seen).toEqual([]);
  await home.run(asShell("volume", "--base-url", server.origin, "--refresh-cache"));
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);
});
