import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { painter, saved, tinyPng } from "../support/pictures.ts";
import { readPngText } from "../support/png-text.ts";
import { overNetwork } from "../support/service.ts";

describe("image", () => {
  test("always sends the model, the size, the steps and the scale, and sends other fields only if their flags are set", async () => {
    const { run } = await painter(tinyPng());
    const bare = await run('image "a cat"', overNetwork());
    expect(bare.requests[0]?.body).toEqual({
      model_name: "SDXL1.0-base",
      prompt: "a cat",
      height: 1024,
      width: 1024,
      steps: 30,
      cfg_scale: 5,
    });
    const full = await run(
      `image "a cat" -m SD1.5 --size 1536x640 --steps 25 --cfg-scale 7.5 --negative dogs --seed 7 --sampler euler
       --backend tvm --lora Add_Detail:0.5 --lora Lineart:1`,
      overNetwork(),
    );
    expect(full.requests[0]?.body).toEqual({
      model_name: "SD1.5",
      prompt: "a cat",
      height: 640,
      width: 1536,
      steps: 25,
      cfg_scale: 7.5,
      negative_prompt: "dogs",
      seed: 7,
      sampler: "euler",
      backend: "tvm",
      lora: { Add_Detail: 0.5, Lineart: 1 },
    });
  });

  test.each([
    [
      "SD1.5 --lora Pixel_Art:1",
      'SD1.5 does not support the LoRA "Pixel_Art"; it supports Add_Detail, Superhero, Lineart, Anime_Lineart, Cartoon_Background, Pencil_Sketch',
    ],
    ["FLUX.1-dev --lora Pixel_Art:1", 'FLUX.1-dev does not support LoRAs; use SDXL1.0-base for "Pixel_Art"'],
    ["SD2 --lora Add_Detail:1", 'SD2 does not support LoRAs; use SDXL1.0-base or SD1.5 for "Add_Detail"'],
    ["SSD --lora Unheard_Of:1", "SSD does not support LoRAs\n"],
  ])("rejects an unsupported LoRA, and names any alternatives: %s", async (words, message) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(`image cat -m ${words} --sandbox`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(message);
  });

  test("takes the prompt from the argument, the flag or stdin", async () => {
    const { run } = await painter(tinyPng());
    for (const [line, options] of [
      ["image cat", {}],
      ["image --prompt cat", {}],
      ["image", { stdin: "cat\n" }],
    ] as const) {
      const { requests } = await run(line, { ...overNetwork(), ...options });
      expect(requests[0]?.body).toMatchObject({ prompt: "cat" });
    }
  });

  test("saves the image and prints its path, with the price on stderr", async () => {
    const cli = await createCli();
    const { code, out, err } = await cli.run('image "A lighthouse, at dusk!" --seed 7 --sandbox');
    expect(code).toBe(0);
    const [name = ""] = await saved(cli);
    expect(out).toBe(`${join(cli.folder, name)}\n`);
    expect(name).toMatch(/^2026-11-20-\d{6}-a-lighthouse-at-dusk-7-1\.png$/);
    expect(err).toBe(
      "1 image, $0.012 (estimated from the documented price)\nNothing is charged: this is the sandbox\n",
    );
  });

  test("prints the amount spent if the service is not the sandbox", async () => {
    const { run } = await painter(tinyPng());
    for (const line of ["image cat", "image cat --out -"]) {
      const { err } = await run(line, overNetwork());
      expect(err).toContain("1 image, $0.012 spent (estimated from the documented price)\n");
    }
  });

  test("prints JSON with all parameters of the picture", async () => {
    const cli = await createCli();
    const { out } = await cli.run("image cat --seed 7 -o json --out cat.png --sandbox");
    const bytes = await readFile(join(cli.folder, "cat.png"));
    expect(JSON.parse(out)).toEqual([
      {
        path: join(cli.folder, "cat.png"),
        bytes: bytes.length,
        sha256: createHash("sha256").update(bytes).digest("hex"),
        seed: 7,
        model: "SDXL1.0-base",
        size: "1024x1024",
        cost: 0.012,
        request: {
          model_name: "SDXL1.0-base",
          prompt: "cat",
          height: 1024,
          width: 1024,
          steps: 30,
          cfg_scale: 5,
          seed: 7,
        },
      },
    ]);
  });

  test("stores the settings in the picture, but never the API key; --no-metadata stores no settings", async () => {
    const cli = await createCli();
    await cli.run("image cat --seed 7 --out with.png --sandbox");
    await cli.run("image cat --seed 7 --out without.png --no-metadata --sandbox");
    const [withText, without] = await Promise.all(
      ["with.png", "without.png"].map((name) => readFile(join(cli.folder, name))),
    );
    expect(readPngText(withText ?? Buffer.of()).parameters).toBe(
      "cat\nSteps: 30, CFG scale: 5, Seed: 7, Size: 1024x1024, Model: SDXL1.0-base, Version: 0.0.0-test",
    );
    expect(withText?.includes(cli.sandbox.keys.full)).toBe(false);
    expect(readPngText(without ?? Buffer.of()).parameters).not.toBe(
      readPngText(withText ?? Buffer.of()).parameters,
    );
  });

  test("increments the seed for each of several pictures", async () => {
    const cli = await createCli();
    const { requests, out, err } = await cli.run("image cat --seed 7 -n 3 --out cats.png --sandbox");
    expect(requests.map(({ body }) => (body as { seed: number }).seed)).toEqual([7, 8, 9]);
    expect(await saved(cli)).toEqual(["cats-1.png", "cats-2.png", "cats-3.png"]);
    expect(out.trimEnd().split("\n")).toHaveLength(3);
    expect(err).toContain("3 images, $0.036");
  });

  test.each(["0", "1.5", "-1", "many"])("rejects -n %s", async (count) => {
    const { run } = await createCli();
    const outcome = await run(`image cat -n ${count} --sandbox`);
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    expect(outcome.err).toContain("--count");
  });

  test("stops before anything is sent if the price exceeds --max-cost", async () => {
    const { run } = await createCli();
    for (const limit of ["0.0119", "0", "$0.01"]) {
      const outcome = await run(["image", "cat", "--max-cost", limit, "--sandbox"]);
      expect(outcome).toMatchObject({ code: 11, out: "", requests: [] });
      expect(outcome.err).toContain("$0.012");
    }
    expect(await run("image cat -n 3 --max-cost 0.03 --sandbox")).toMatchObject({ code: 11, requests: [] });
    expect(await run("image cat --max-cost 0.012 --sandbox")).toMatchObject({ code: 0 });
    const line = "image cat --size 1536x640 --steps 75 --sandbox";
    expect(await run(`${line} --max-cost 0.0281249999`)).toMatchObject({ code: 11, requests: [] });
    expect(await run(`${line} --max-cost 0.028125`)).toMatchObject({ code: 0 });
    expect(await run("image cat --max-cost cheap --sandbox")).toMatchObject({ code: 2, requests: [] });
  });
});

describe("image with invalid input", () => {
  test.each([
    ['image ""', "PROMPT must not be empty"],
    ["image cat --steps 0", "--steps must be at least 1"],
    ["image cat --steps -5 --max-cost 0", "--steps must be at least 1"],
    ["image cat --width 7", "Error: --width, --height: "],
    ["image cat --size 1024x1024 --width 640", "--size conflicts with --width or --height"],
    ["image cat --out - -o json", "use only one of them"],
  ])("rejects %s before anything is sent", async (line, reason) => {
    const { run } = await createCli();
    const outcome = await run(`${line} --sandbox`);
    expect(outcome).toMatchObject({ code: 2, out: "", requests: [] });
    expect(outcome.err).toContain(reason);
  });
});

test("image --dry-run shows the requests for all pictures", async () => {
  const { run } = await createCli();
  const { out } = await run("image cat -n 3 --seed 4 --dry-run -o json --sandbox");
  const { requests } = JSON.parse(out) as { requests: { body: { seed: number } }[] };
  expect(requests.map(({ body }) => body.seed)).toEqual([4, 5, 6]);
});
