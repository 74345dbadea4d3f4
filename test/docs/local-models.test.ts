import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { engineKinds, ignoredFieldsHeader } from "../../src/core/sandbox.ts";
import { audioDefaults } from "../../src/sandbox/engines/remote/audio.ts";
import { ignoredImageFields } from "../../src/sandbox/engines/remote/image.ts";
import { createCli } from "../support/cli.ts";
import { runShown } from "../support/examples.ts";
import { blocksOf, readme } from "./readme-shell.ts";

const guide = readFileSync(new URL("../../docs/local-models.md", import.meta.url), "utf8");
const lines = [...guide.matchAll(/`(gpuctl sandbox engine set [^`]+)`/g)].map(([, line = ""]) => line);

test.each(lines.filter((line) => !line.includes("example.com")))("%s works as written", async (line) => {
  const cli = await createCli();
  const { code, err } = await runShown(cli, line);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("Saved") });
  expect(JSON.parse((await cli.run("sandbox engine list -o json")).out)).toHaveLength(1);
});

test("the guide has a command line for each server, and for each kind of engine", () => {
  const rows = guide.split("\n").filter((row) => row.includes("| `gpuctl sandbox engine set"));
  for (const server of [
    "Ollama",
    "llama.cpp",
    "vLLM",
    "LocalAI",
    "stable-diffusion.cpp",
    "AUTOMATIC1111",
    "Forge",
    "KoboldCpp",
    "Kokoro-FastAPI",
  ]) {
    expect(
      rows.some((row) => row.split(" | ")[0]?.includes(server)),
      server,
    ).toBe(true);
  }
  for (const kind of engineKinds) expect(guide).toContain(`engine set ${kind} http://127.0.0.1`);
});

test("the other commands of the guide work without an engine", async () => {
  const cli = await createCli();
  const commands = blocksOf(guide, "sh").flatMap((block) => block.trim().split("\n"));
  expect(commands.length).toBeGreaterThan(3);
  for (const command of commands) expect(await runShown(cli, command)).toMatchObject({ code: 0 });
});

test("the guide names the ignored fields, the header and the defaults", () => {
  for (const name of [...ignoredImageFields, ignoredFieldsHeader, ...Object.values(audioDefaults)]) {
    expect(guide).toContain(`\`${name}\``);
  }
  expect(readme).toContain("(docs/local-models.md)");
});
