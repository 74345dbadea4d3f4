import { join } from "node:path";
import { expect, test } from "vitest";
import { helpFor } from "../../src/cli/help/help.ts";
import { jsonSchemaProblem } from "../../src/openapi/json-schema.ts";
import { scratchFolder } from "../media/scratch.ts";
import { createCli } from "../support/cli.ts";

test("the help of sandbox boot shows the summary of sandbox boot, not the summary of sandbox", () => {
  const help = helpFor(["sandbox", "boot"], { width: 80, bold: (text) => text });
  expect(help).toContain("Make new rentals boot slowly or fail to boot");
  expect(help).not.toContain("Run and control the local sandbox");
});

test("config list shows defaults that depend on the service", async () => {
  const { run } = await createCli();
  expect((await run("config list")).out).toMatch(/timeout +30s for compute, 5m for inference +default/);
});

test("the error for an image that cannot be saved names the file and the missing folder", async () => {
  const { run } = await createCli();
  const folder = join(await scratchFolder(), "nope");
  const { code, err, requests } = await run(["image", "cat", "--out", join(folder, "x.png"), "--sandbox"]);
  expect({ code, requests }).toEqual({ code: 2, requests: [] });
  expect(err).toContain(
    `cannot save ${join(folder, "x.png")}: the folder ${folder} does not exist; create it first`,
  );
});

test("the error for an invalid URL of --attach quotes the URL", async () => {
  const { run } = await createCli();
  const { err } = await run("chat hi --attach https:// --sandbox");
  expect(err).toContain(
    '--attach must be a file or the URL of an image such as https://example.com/cat.png, not "https://"',
  );
});

test("the error for an invalid JSON Schema is one sentence with the allowed values", () => {
  expect(jsonSchemaProblem({ type: "objekt" })).toMatch(
    /^\/type must be one of array, .*string, or a list of these, not "objekt"$/,
  );
});

test("a read with an unknown label does not say that nothing was changed", async () => {
  const { run } = await createCli();
  expect((await run("rentals get nope --sandbox")).err).not.toContain("Nothing was changed");
});
