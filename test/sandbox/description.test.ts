import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, onTestFinished, test } from "vitest";
import { type OperationId, operations } from "../../src/contract/index.ts";
import { type OperationSetName, operationSetNames } from "../../src/core/sandbox.ts";
import { servedOperations } from "../../src/sandbox/assumed/index.ts";
import { runProgram } from "../support/process.ts";
import { sample } from "../support/thorough.ts";
import { openSandbox, origin } from "./harness.ts";

async function served(only?: OperationSetName) {
  const sandbox = await openSandbox({ only });
  return sandbox.ask("getOpenApiDocument");
}

const sets = [undefined, ...operationSetNames];

test.each(sets)("a third-party schema validator accepts the description if `only` is %s", async (only) => {
  expect(await new Validator().validate(await served(only))).toEqual({ valid: true });
});

test.each(sample(sets, 0))(
  "a third-party linter reports no warning for the description if `only` is %s",
  async (only) => {
    const folder = await mkdtemp(join(tmpdir(), "gpuctl-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "openapi.json");
    await writeFile(file, JSON.stringify(await served(only)));
    const linter = "node_modules/@redocly/cli/bin/cli.js";
    const { out } = await runProgram(
      process.execPath,
      [linter, "lint", "--format=json", "--extends=recommended-strict", file],
      { env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
    );
    expect(JSON.parse(out)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 }, problems: [] });
  },
);

test("the description names the requested host and every operation", async () => {
  const { servers, paths } = await served();
  expect(servers).toEqual([{ url: origin }]);
  const described = Object.values(paths).flatMap((methods) => Object.values(methods as object));
  expect(described.map(({ operationId }) => operationId).sort()).toEqual(
    Object.keys(servedOperations).sort(),
  );
});

test("the responses and headers that the sandbox adds are described", async () => {
  const { paths } = await served();
  const responsesOf = (id: OperationId) => {
    const { path, method } = operations[id];
    return Object(paths[path])[method.toLowerCase()].responses;
  };
  expect(responsesOf("createStorageVolume")[413].content["application/json"].example).toEqual({
    code: "PAYLOAD_TOO_LARGE",
    message: "Request body is too large",
    issues: [],
  });
  expect(responsesOf("listStorageVolumes")).not.toHaveProperty("413");
  expect(responsesOf("getOpenApiDocument")).toMatchObject({
    200: { headers: { ETag: {} } },
    304: { headers: { ETag: {} } },
  });
  for (const response of Object.values(responsesOf("updateCurrentUserLegacy"))) {
    expect(response).toMatchObject({ headers: { Sunset: {}, Deprecation: {} } });
  }
});

test("the description does not depend on the credential", async () => {
  const sandbox = await openSandbox();
  const texts = [null, sandbox.keys.readOnly, "unknown"].map(async (key) =>
    (await sandbox.call("getOpenApiDocument", {}, key)).text(),
  );
  expect(new Set(await Promise.all(texts)).size).toBe(1);
});

test("a request for a description that has not changed gets a 304", async () => {
  const sandbox = await openSandbox();
  const etag = (await sandbox.call("getOpenApiDocument")).headers.get("etag") ?? "";
  const send = (value: string) =>
    sandbox.fetch(
      new Request(`${origin}${operations.getOpenApiDocument.path}`, { headers: { "if-none-match": value } }),
    );
  const known = await send(etag);
  expect(known.status).toBe(304);
  expect(await known.text()).toBe("");
  expect((await send('"other"')).status).toBe(200);
});
