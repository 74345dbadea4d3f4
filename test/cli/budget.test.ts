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

const unknown = "Warning: budget.maxCost is set, but the price";

test.each(["chat hi", "tts hi"])("%s says once that its price is not known in advance", async (line) => {
  const { run } = await withBudget({ maxCost: "0.01" });
  const { code, err } = await run(line);
  expect({ code, warnings: err.split(unknown).length - 1 }).toEqual({ code: 0, warnings: 1 });
  expect((await run(`${line} --dry-run`)).err).not.toContain(unknown);
  const { run: unlimited } = await withBudget({});
  expect((await unlimited(line)).err).not.toContain(unknown);
});

test("api call keeps to the limit where it knows the price, and says where it does not", async () => {
  const { run } = await withBudget({ maxCost: "0.0119999" });
  const image = "api call POST /v1/image/generation -f model_name=SD1.5 -f prompt=cat";
  const refused = await run(image);
  expect(refused).toMatchObject({ code: 11, out: "" });
  expect(refused.err).toContain("this would cost $0.012; the limit is $0.0119999");
  expect(refused.requests.filter(({ method }) => method === "POST")).toEqual([]);
  expect(await run(`${image} -F steps=29`)).toMatchObject({ code: 0 });
  const speech = await run("api call generateAudio -f text=hi");
  expect({ code: speech.code, warns: speech.err.includes(unknown) }).toEqual({ code: 0, warns: true });
  expect((await run("api call listChatModels")).err).not.toContain(unknown);
});
