import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { key } from "../support/process.ts";
import { useThirdParty } from "./third-party.ts";
import * as records from "./third-party-records.ts";
import { serveThirdParty } from "./third-party-server.ts";

const thirdParty = useThirdParty();

describe("inference on a third-party service", () => {
  test("streams a reply", async () => {
    const { run } = await thirdParty.home();
    expect(await run("chat Hoi -m llama")).toEqual({ code: 0, out: "Grüezi 👋\n", err: "" });
    expect(thirdParty.requests().map(({ body }) => body)).toEqual([
      { model: "llama", messages: [{ role: "user", content: "Hoi" }], stream: true },
    ]);
  });

  test("saves a JPEG as .jpg even when another extension was requested", async () => {
    const { run, folder } = await thirdParty.home();
    const { code, out, err } = await run(
      'image "a lighthouse" -m SD1.5 --size 832x1216 --steps 20 --cfg-scale 7.5 --negative fog --seed 7 --sampler euler --backend torch --lora Add_Detail:0.8,Lineart:1 --out picture.png --no-metadata -o json',
    );
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(thirdParty.requests()).toMatchObject([{ method: "POST", path: "/v1/image/generation" }]);
    expect(thirdParty.requests()[0]?.body).toEqual({
      model_name: "SD1.5",
      prompt: "a lighthouse",
      width: 832,
      height: 1216,
      steps: 20,
      cfg_scale: 7.5,
      negative_prompt: "fog",
      seed: 7,
      sampler: "euler",
      backend: "torch",
      lora: { Add_Detail: 0.8, Lineart: 1 },
    });
    const [saved] = JSON.parse(out);
    expect(saved).toMatchObject({ path: join(folder, "picture.jpg"), bytes: records.jpeg.length, seed: 42 });
    expect(await readFile(saved.path)).toEqual(records.jpeg);
    expect(err).toContain("image/jpeg");
  });

  test("generates an image from a reference image, with the SDXL fields", async () => {
    const { run, folder } = await thirdParty.home();
    const reference = join(folder, "reference.jpg");
    await writeFile(reference, records.jpeg);
    const { code } = await run([
      "image",
      "a lighthouse",
      "--image",
      reference,
      ..."--strength 0.4 --prompt-2 sea --negative-prompt-2 rain --enable-refiner --out - -q".split(" "),
    ]);
    expect(code).toBe(0);
    expect(thirdParty.requests()[0]?.body).toEqual({
      model_name: "SDXL1.0-base",
      prompt: "a lighthouse",
      width: 1024,
      height: 1024,
      steps: 30,
      cfg_scale: 5,
      image: records.jpeg.toString("base64"),
      strength: 0.4,
      prompt_2: "sea",
      negative_prompt_2: "rain",
      enable_refiner: true,
    });
  });

  test("generates speech", async () => {
    const { run, folder } = await thirdParty.home();
    const { code, out } = await run(
      'tts "Good morning" --speed 0.8 --param speaker=\'"EN-US"\' --out hello.mp3 -o json',
    );
    expect(code).toBe(0);
    expect(thirdParty.requests()).toMatchObject([{ method: "POST", path: "/v1/audio/generation" }]);
    expect(thirdParty.requests()[0]?.body).toEqual({ text: "Good morning", speed: 0.8, speaker: "EN-US" });
    expect(JSON.parse(out)).toMatchObject({ path: join(folder, "hello.mp3"), bytes: records.mp3.length });
    expect(await readFile(join(folder, "hello.mp3"))).toEqual(records.mp3);
  });

  test("can have its own host", async () => {
    const elsewhere = await serveThirdParty({ key });
    try {
      const { run } = await thirdParty.home({ GPUCTL_INFERENCE_BASE_URL: elsewhere.url });
      await run("chat Hoi -m llama");
      await run("rentals summary");
      expect(elsewhere.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
      expect(thirdParty.requests().map(({ path }) => path)).toEqual(["/v2/on-demand/active-rental-summary"]);
    } finally {
      await elsewhere.close();
    }
  });
});
