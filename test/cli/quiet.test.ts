import { expect, test } from "vitest";
import { createCli } from "../support/cli.ts";

test.each([
  "image cat",
  "rentals list",
  "rentals create vm --gpus 1 --wait",
  "chat Hello --usage",
  "user update --name Ada",
  "sandbox reset --yes",
  "auth logout",
])("gpuctl %s --quiet prints nothing on stderr", async (line) => {
  const { run } = await createCli({
    respond: ({ path }) => (path === "/v2/users/me" ? new Response("", { status: 404 }) : undefined),
  });
  expect(await run(`${line} --quiet --sandbox`)).toMatchObject({ code: 0, err: "" });
});

test("--quiet still reports errors", async () => {
  const { run } = await createCli();
  const { code, err } = await run("rentals get 4711 -q --sandbox");
  expect(code).toBe(5);
  expect(err).toContain("4711");
});

test("with -o json, stdout is valid JSON", async () => {
  const { run } = await createCli();
  for (const line of [
    "rentals create vm --gpus 1 --wait -o json",
    "image cat -o json",
    "user update --name A -o json",
  ]) {
    const { out } = await run(`${line} --sandbox`);
    expect(() => JSON.parse(out)).not.toThrow();
  }
});

test("only a terminal gets colors, unless a flag or a variable says otherwise", async () => {
  const { run } = await createCli();
  await run("rentals create vm --gpus 1 --sandbox --yes");
  const isColored = async (line: string, env: Record<string, string>, terminal?: number) => {
    const { out } = await run(`rentals list --sandbox ${line}`, {
      env,
      ...(terminal !== undefined && { terminal }),
    });
    return out.includes("\u001b[");
  };
  expect(await isColored("", {})).toBe(false);
  expect(await isColored("", {}, 80)).toBe(true);
  expect(await isColored("", { NO_COLOR: "1" }, 80)).toBe(false);
  expect(await isColored("", { TERM: "dumb" }, 80)).toBe(false);
  expect(await isColored("--color never", { FORCE_COLOR: "1" }, 80)).toBe(false);
  expect(await isColored("--color always", { NO_COLOR: "1" })).toBe(true);
  expect(await isColored("", { FORCE_COLOR: "1" })).toBe(true);
});

test("a table on a terminal has no control sequences from the service", async () => {
  const { run } = await createCli();
  await run(["rentals", "create", "vm", "--gpus", "1", "--label", "a\u001b[2Jb\u0007", "--sandbox"]);
  const { out } = await run("rentals list --sandbox --color never", { terminal: 100 });
  expect(out).not.toMatch(/[\u001b\u0007]/);
});
