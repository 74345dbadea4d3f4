import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { createHome, firstChunk, type Home, repository } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { blocksOf, readme } from "./readme-shell.ts";

const guide = readFileSync(join(repository, "docs/containers.md"), "utf8");
const [dockerfile = ""] = blocksOf(guide, "dockerfile");
const [seed = "", composeText = ""] = blocksOf(guide, "yaml");
const [createToken = "", useToken = ""] = blocksOf(guide, "sh");

const words = z.array(z.string());
const service = z.strictObject({
  build: z.literal("."),
  init: z.literal(true).optional(),
  command: words,
  environment: z.record(z.string(), z.string()),
  secrets: words,
  volumes: words.optional(),
  ports: words.optional(),
  depends_on: z
    .strictObject({ sandbox: z.strictObject({ condition: z.literal("service_healthy") }) })
    .optional(),
  healthcheck: z
    .strictObject({ test: words, interval: z.string(), timeout: z.string(), start_period: z.string() })
    .optional(),
});
const { services, secrets } = z
  .strictObject({
    services: z.strictObject({ sandbox: service, tests: service }),
    secrets: z.strictObject({ "sandbox-token": z.strictObject({ file: z.literal("./sandbox-token") }) }),
  })
  .parse(parse(composeText));

const health = words.parse(services.sandbox.healthcheck?.test).slice(1);

/**
 * Rewrites the containers' commands and variables so that they work without containers: with the server's URL, and with
 * the files of `home`.
 */
function outside({ folder }: Home, url: string) {
  const replaced = (text: string) =>
    text
      .replace("0.0.0.0", "127.0.0.1")
      .replace("/seed.yaml", join(folder, "seed.yaml"))
      .replace("/run/secrets/", `${folder}/`)
      .replace(/http:\/\/(sandbox|127\.0\.0\.1):8787/, url);
  return {
    command: (command: readonly string[]) => command.map(replaced).slice(1).join(" "),
    text: replaced,
    env: (variables: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, replaced(value)])),
  };
}

test("the services of docs/containers.md work without containers", async (context) => {
  for (const program of ["openssl", "curl"]) skipWithout(program, context);
  const home = await createHome();
  await writeFile(join(home.folder, "seed.yaml"), seed);
  expect((await home.shell(createToken).ended).code).toBe(0);
  const { command, env } = outside(home, "");
  const serving = home.start(
    `${command(services.sandbox.command)} --port 0 -o json`,
    env(services.sandbox.environment),
  );
  const { url } = JSON.parse(await firstChunk(serving.stdout));
  const at = outside(home, url);
  const healthy = () => home.run(at.command(health), { env: at.env(services.sandbox.environment) });
  expect(await healthy()).toMatchObject({ code: 0, err: "" });
  const [, , script = ""] = services.tests.command;
  const tests = await home.shell(`set -e\n${script}`, { env: at.env(services.tests.environment) }).ended;
  expect(tests.code, tests.err).toBe(0);
  expect(tests.out).toContain("1001\n");
  const used = await home.shell(at.text(useToken)).ended;
  expect(JSON.parse(used.out)).toMatchObject({ balanceCents: 50_000, rentals: { active: 1 } });
  const grace = await fetch(`${url}/v2/balances`, { headers: { authorization: "Bearer key-of-grace" } });
  expect(await grace.json()).toMatchObject({ balanceCents: 100 });
  serving.kill("SIGTERM");
  expect((await serving).exitCode).toBe(0);
  expect((await healthy()).code).not.toBe(0);
}, 60_000);

test("the image of docs/containers.md serves what Compose serves, and has the same health check", () => {
  const lines = dockerfile.trim().split("\n");
  for (const line of lines) {
    expect(line).toMatch(/^(FROM|COPY|RUN|USER|WORKDIR|EXPOSE|HEALTHCHECK|CMD| {2}CMD) /);
  }
  expect(health).toEqual(words.parse(JSON.parse(/^ {2}CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? "")));
  const serves = words.parse(JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? ""));
  expect(services.sandbox.command.slice(0, serves.length)).toEqual(serves);
  expect(Object.keys(secrets)).toEqual(services.sandbox.secrets);
  expect(dockerfile).toContain("EXPOSE 8787");
  expect(readme).toContain("(docs/containers.md)");
});
