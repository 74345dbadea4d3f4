import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCli } from "../support/cli.ts";

async function withBudget(budget: Readonly<Record<string, string>>) {
  const cli = await createCli();
  await mkdir(join(cli.folder, "config"));
  const config = {
    profile: "mine",
    profiles: { mine: { budget, image: { model: "SD1.5" }, sandbox: true } },
  };
  await writeFile(join(cli.folder, "config", "config.json"), JSON.stringify(config));
  return cli;
}

test("a profile's limits apply unless a flag overrides them", async () => {
  const { run } = await withBudget({ maxCost: "0.0119999", maxBurn: "2.0000" });
  expect(await run("image cat")).toMatchObject({ code: 11, out: "", requests: [] });
  expect(await run("image cat --max-cost 0.02")).toMatchObject({ code: 0 });
  expect(await run("rentals create vm --gpus 1 --yes")).toMatchObject({ code: 0 });
  expect(await run("rentals create vm --gpus 1 --yes")).toMatchObject({ code: 11, out: "" });
  expect(await run("rentals create vm --gpus 1 --yes --max-burn 4.00")).toMatchObject({ code: 0 });
});

test("a profile's model is used unless a flag sets one", async () => {
  const { run } = await withBudget({});
  expect((await run("image cat")).requests[0]?.body).toMatchObject({ model_name: "SD1.5" });
  expect((await run("image cat -m SD2")).requests[0]?.body).toMatchObject({ model_name: "SD2" });
});
