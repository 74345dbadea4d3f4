import { existsSync } from "node:fs";
import { cp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { expect, it } from "vitest";
import { createHome, dist, firstChunk, launcher, repository } from "../support/process.ts";

it("a fault that another process adds to a served sandbox takes effect there", async () => {
  const server = await createHome();
  const serving = server.start("sandbox serve --port 0 -o json");
  const { url, apiKey } = JSON.parse(await firstChunk(serving.stdout));
  const { run } = await createHome({ GPUCTL_BASE_URL: url, GPUCTL_API_KEY: apiKey });
  const added = await run("sandbox fault add --operation listStorageVolumes --status 403");
  expect(added).toMatchObject({ code: 0, err: `Using the sandbox at ${url}.\n` });
  expect((await run("volumes list")).code).toBe(4);
  expect((await run("volumes list")).code).toBe(0);
  expect(JSON.parse((await run("sandbox fault list -o json --sandbox")).out)).toEqual([]);
  serving.kill("SIGINT");
  expect((await serving).exitCode).toBe(0);
});

it("a sandbox in memory starts with a seed, returns to the seed after a reset, and leaves the local sandbox alone", async () => {
  const home = await createHome();
  await writeFile(join(home.folder, "seed.yaml"), "rentals: [{rentalType: virtual-machine, gpuCount: 1}]");
  const serving = home.start("sandbox serve --port 0 --seed seed.yaml --memory -o json");
  const { url } = JSON.parse(await firstChunk(serving.stdout));
  const env = { GPUCTL_BASE_URL: url };
  const active = async (line: string) =>
    JSON.parse((await home.run(`${line} -o json`, { env })).out).rentals.active;
  expect(await active("sandbox status")).toBe(1);
  await home.run("sandbox scenario slow-boot", { env });
  expect((await home.run("sandbox seed - --yes", { env, input: "{}" })).code).toBe(0);
  expect(await active("sandbox status")).toBe(0);
  expect(await active("sandbox reset --yes")).toBe(1);
  expect(JSON.parse((await home.run("sandbox boot list -o json", { env })).out)).toEqual([]);
  serving.kill("SIGINT");
  await serving;
  expect(existsSync(join(home.folder, "state", "sandbox.sqlite"))).toBe(false);
});

it("a seed that would replace the local sandbox needs --yes, and nothing is served with an invalid seed", async () => {
  const { run, folder } = await createHome();
  await writeFile(join(folder, "seed.yaml"), "rentals: [{rentalType: virtual-machine}]");
  const refused = await run("sandbox serve --port 0 --seed seed.yaml");
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("--yes is required") });
  const invalid = await run("sandbox serve --port 0 --seed seed.yaml --memory");
  expect(invalid).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining("rentals.0.gpuCount is required"),
  });
  const missing = await run("sandbox serve --port 0 --seed none.yaml --memory");
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("none.yaml") });
});

it("other hosts need the token of the served sandbox", async () => {
  const home = await createHome();
  await writeFile(join(home.folder, "token"), "0123456789abcdef\n");
  const short = await home.run("sandbox serve --port 0 --token-file /dev/null");
  expect(short).toMatchObject({ code: 2, err: expect.stringContaining("at least 16") });
  const serving = home.start("sandbox serve --port 0 --memory -o json", {
    GPUCTL_SANDBOX_TOKEN_FILE: join(home.folder, "token"),
  });
  const { url } = JSON.parse(await firstChunk(serving.stdout));
  /** The status of the response to a request as another host sends it: the Host header is not localhost. */
  const status = (authorization: string) =>
    new Promise((resolve, reject) => {
      const headers = { host: "sandbox:8787", authorization };
      request(`${url}/_sandbox/reset`, { method: "POST", headers })
        .on("response", (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end();
    });
  expect(await status("Bearer 0123456789abcdef")).toBe(200);
  expect(await status("Bearer 0123456789abcdeg")).toBe(401);
  expect((await fetch(`${url}/_sandbox/status`)).status).toBe(200);
  serving.kill("SIGTERM");
  await serving;
});

it("a served sandbox whose program files were removed says what to do", async () => {
  const { folder, env } = await createHome();
  await cp(dist, join(folder, "dist"), { recursive: true });
  await cp(dirname(launcher), join(folder, "bin"), { recursive: true });
  for (const name of ["package.json", "node_modules"])
    await symlink(join(repository, name), join(folder, name));
  const line = ["bin/gpuctl.js", "sandbox", "serve", "--port", "0", "--memory", "-o", "json"];
  const serving = execa(process.execPath, line, { cwd: folder, env, extendEnv: false, reject: false });
  const { url, apiKey } = JSON.parse(await firstChunk(serving.stdout));
  for (const name of await readdir(join(folder, "dist")))
    await rm(join(folder, "dist", name), { recursive: true });
  const chat = { model: "sandbox-echo", messages: [{ role: "user", content: "hi" }], stream: true };
  const init = {
    method: "POST",
    headers: { Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(chat),
  };
  for (const response of [
    await fetch(`${url}/_sandbox/limits`),
    await fetch(`${url}/v1/chat/completions`, init),
  ]) {
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { message: expect.stringContaining("updated or removed: serve the sandbox again") },
    ]);
  }
  serving.kill("SIGTERM");
  expect((await serving).exitCode).toBe(0);
});
