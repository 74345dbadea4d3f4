import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
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

test("batch run stays within the limit for pictures, and warns once if the prices of lines are not known", async () => {
  const { run, folder } = await withBudget({ maxCost: "0.0239999" });
  await writeFile(join(folder, "prompts.txt"), "a cat\na dog\n");
  const batch = (endpoint: string) =>
    run(`batch run --prompts prompts.txt --endpoint ${endpoint} --out ${endpoint}.jsonl`);
  const pictures = await batch("image");
  expect(pictures.code).toBe(11);
  expect(pictures.requests.filter(({ method }) => method === "POST")).toHaveLength(0);
  const { code, err } = await batch("tts");
  expect({ code, warnings: err.split("Warning: the price of 2 lines").length - 1 }).toEqual({
    code: 0,
    warnings: 1,
  });
});

test("batch run --max-cost refuses lines without a known price, unlike the same limit in the profile", async () => {
  const { run, folder } = await withBudget({ maxCost: "0.0239999" });
  await writeFile(join(folder, "prompts.txt"), "a cat\na dog\n");
  const typed = await run(
    "batch run --prompts prompts.txt --endpoint tts --out tts.jsonl --max-cost 0.0239999",
  );
  expect(typed.code).toBe(11);
  expect(typed.err).toContain("the price of 2 of the lines is not known");
  expect(typed.requests.filter(({ method }) => method === "POST")).toHaveLength(0);
});

test("api call stays within the limit if gpuctl knows the price, and otherwise warns", async () => {
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

test.each([
  ["/v1/image/generation/", "steps=30"],
  ["/v1//image/generation", "steps=30"],
  ["/%761/image%2Fgeneration", "steps=30"],
  ["/v1/image/generation", "steps=-100000"],
  ["/v1/image/generation", "steps=lots"],
])(
  "api call of a picture stays within the limit however its path and steps are written: %s with %s",
  async (path, steps) => {
    const { run } = await withBudget({ maxCost: "0.0119999" });
    const line = `api call POST ${path} -f model_name=SD1.5 -f prompt=cat -F ${steps} --no-validate`;
    const { code, requests } = await run(line);
    expect({ code, sent: requests.some(({ method }) => method === "POST") }).toEqual({
      code: 11,
      sent: false,
    });
  },
);

describe("api call of an operation that creates a rental", () => {
  const vm = "api call createVirtualMachineRental -F gpuCount=1";
  const metal = ["-f", "networkType=ethernet", "-F", "gpuCount=8", "-f", "label=x"];
  const writes = ({ requests }: Awaited<ReturnType<Awaited<ReturnType<typeof createCli>>["run"]>>) =>
    requests.filter(({ method }) => method !== "GET").length;

  test("stays within the burn limit", async () => {
    const { run } = await withBudget({ maxBurn: "2.00" });
    expect(await run(vm)).toMatchObject({ code: 0 });
    const refused = await run(vm);
    expect({ code: refused.code, writes: writes(refused) }).toEqual({ code: 11, writes: 0 });
    expect(refused.err).toContain("together $4.00, and the limit is $2.00");
    expect(await run(`${vm} --dry-run`)).toMatchObject({ code: 0, requests: [] });
  });

  test.each([
    ["createBareMetalRental"],
    ["POST", "/v2/on-demand/bare-metal-rentals"],
    ["POST", "/v2/on-demand/rentals", "-f", "rentalType=bare-metal"],
  ])(
    "stays within the burn limit, whether the command line has the operation's ID, its path or its replacement's path: %s %s",
    async (...named) => {
      const { run } = await withBudget({ maxBurn: "15.99" });
      const refused = await run(["api", "call", ...named, ...metal]);
      expect({ code: refused.code, writes: writes(refused) }).toEqual({ code: 11, writes: 0 });
      expect(refused.err).toContain("the new one would cost about $16.00 more");
    },
  );

  test.each([
    "/v2/on-demand/virtual-machine-rentals/",
    "/v2//on-demand/virtual-machine-rentals",
    "/v2/on-demand/virtual%2Dmachine-rentals",
    "/V2/on-demand/virtual-machine-rentals",
  ])("stays within the burn limit however its path is written: %s", async (path) => {
    const { run } = await withBudget({ maxBurn: "1.99" });
    const refused = await run(`api call POST ${path} -F gpuCount=1`);
    expect({ code: refused.code, writes: writes(refused) }).toEqual({ code: 11, writes: 0 });
  });

  test("warns if gpuctl does not know what the call creates", async () => {
    const warning = "Warning: budget.maxBurn is set, but gpuctl does not know what this call creates";
    const { run } = await withBudget({ maxBurn: "1.99" });
    expect((await run("api call POST /v2/on-demand/rentals/bulk -F count=3")).err).toContain(warning);
    expect((await run("api call POST /v2/volumes/bulk -F count=3")).err).not.toContain(warning);
  });

  test("says once that the price is not known in advance", async () => {
    const { run } = await withBudget({ maxBurn: "2.00" });
    const { err } = await run(`${vm} -f gpuType=unknown --no-validate`);
    expect(err.split("Warning: the price of the new rental is not known in advance").length - 1).toBe(1);
  });

  test("has no burn limit by default", async () => {
    const { run } = await withBudget({});
    expect(await run(vm)).toMatchObject({ code: 0, requests: [{ method: "GET" }, { method: "POST" }] });
  });
});
