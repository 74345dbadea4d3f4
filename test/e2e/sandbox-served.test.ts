import { expect, it } from "vitest";
import { createHome, firstChunk } from "../support/process.ts";

it("a fault added to a served sandbox fires there", async () => {
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
