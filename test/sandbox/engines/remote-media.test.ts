import { expect, test } from "vitest";
import {
  automaticEngine,
  type Engine,
  pixel,
  type Routes,
  sdcppEngine,
  send,
  silentWav,
  speechEngine,
  startEngine,
} from "../../support/engines.ts";
import { openSandbox } from "../harness.ts";

const picture = { model_name: "SDXL1.0-base", prompt: "a lighthouse" };

async function withEngine(kind: "image" | "audio", pending: Promise<Engine>, more: object = {}) {
  const [sandbox, engine] = await Promise.all([openSandbox(), pending]);
  sandbox.engines.save({ kind, url: engine.url, ...more });
  const operation = kind === "image" ? "generateImage" : "generateAudio";
  const generate = async (input: object) => {
    const response = await sandbox.call(operation, input);
    const ignored = response.headers.get("gpuctl-sandbox-ignored-fields");
    return { status: response.status, body: Object(await response.json()), ignored };
  };
  return { sandbox, engine, generate, sent: () => engine.requests.at(-1) };
}

test("a picture is requested in the format of AUTOMATIC1111, with the service's defaults", async () => {
  const { generate, sent } = await withEngine("image", automaticEngine());
  const { status, body, ignored } = await generate(picture);
  expect(sent()).toMatchObject({
    path: "/sdapi/v1/txt2img",
    body: {
      prompt: "a lighthouse",
      width: 1024,
      height: 1024,
      steps: 30,
      cfg_scale: 5,
      seed: -1,
      override_settings: { sd_model_checkpoint: "SDXL1.0-base" },
    },
  });
  // The engine chose the seed.
  expect({ status, body }).toEqual({
    status: 200,
    body: { images: [{ index: 0, image: pixel, random_seed: 965_400_086 }] },
  });
  expect(ignored).toBeNull();
});

test("every field for which the engine has an equivalent is passed on", async () => {
  const { generate, sent } = await withEngine("image", automaticEngine());
  const given = {
    ...picture,
    ...{ width: 832, height: 1216, steps: 12, cfg_scale: 7.5, seed: 7 },
    negative_prompt: "blur",
    sampler: "Euler a",
    lora: { Add_Detail: 0.5, Pixel_Art: 1 },
    // The service does not document these fields, so they are passed on.
    clip_skip: 2,
    override_settings: { CLIP_stop_at_last_layers: 2 },
  };
  const { body } = await generate(given);
  expect(sent()?.body).toEqual({
    prompt: "a lighthouse <lora:Add_Detail:0.5> <lora:pixel_art:1>",
    negative_prompt: "blur",
    sampler_name: "Euler a",
    ...{ width: 832, height: 1216, steps: 12, cfg_scale: 7.5, seed: 7 },
    clip_skip: 2,
    override_settings: { CLIP_stop_at_last_layers: 2, sd_model_checkpoint: "SDXL1.0-base" },
  });
  expect(body.images[0].random_seed).toBe(7);
});

test("a reference picture goes to img2img", async () => {
  const { generate, sent } = await withEngine("image", automaticEngine());
  await generate({ ...picture, image: pixel, strength: 0.4 });
  expect(sent()).toMatchObject({
    path: "/sdapi/v1/img2img",
    body: { init_images: [pixel], denoising_strength: 0.4, prompt: "a lighthouse" },
  });
  await generate({ ...picture, strength: 0.4 });
  expect(sent()?.path).toBe("/sdapi/v1/txt2img");
  expect(sent()?.body).not.toHaveProperty("denoising_strength");
});

test("stable-diffusion.cpp gets the paths of the files of LoRAs", async () => {
  const { generate, sent } = await withEngine("image", sdcppEngine(), { model: "model" });
  const { body } = await generate({ ...picture, lora: { Add_Detail: 0.8 } });
  expect(sent()?.body).toMatchObject({
    prompt: "a lighthouse",
    lora: [{ path: "detail/Add_Detail.safetensors", multiplier: 0.8 }],
  });
  expect(body.images[0].random_seed).toBe(42);
});

test("a LoRA that the engine does not have causes an error that lists the engine's LoRAs", async () => {
  const { engine, generate } = await withEngine("image", automaticEngine());
  const { status, body } = await generate({ ...picture, lora: { Crayons: 0.5 } });
  expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
  expect(body.message).toBe(
    `The image engine at ${engine.url}/sdapi/v1 has no LoRA Crayons. It has: Add_Detail, pixel_art.`,
  );
  expect(engine.requests.map(({ path }) => path)).toEqual(["/sdapi/v1/loras"]);
});

test("LoRAs are written into the prompt for an engine that does not list LoRAs", async () => {
  const routes: Routes = {
    "POST /sdapi/v1/txt2img": (_request, response) =>
      send(response, { images: [`data:image/png;base64,${pixel}`], info: "" }),
  };
  const { generate, sent } = await withEngine("image", startEngine(routes));
  const { body } = await generate({ ...picture, lora: { Crayons: 0.5 } });
  expect(sent()?.body.prompt).toBe("a lighthouse <lora:Crayons:0.5>");
  expect(body).toEqual({ images: [{ index: 0, image: pixel }] });
});

test("the response has the requested seed if the engine reports no seed", async () => {
  const { generate } = await withEngine("image", sdcppEngine({ info: false }));
  expect((await generate({ ...picture, seed: 5 })).body.images[0]).toMatchObject({ random_seed: 5 });
  expect((await generate(picture)).body.images[0]).not.toHaveProperty("random_seed");
});

test("the response names the fields that the engine does not have, and a model that was not used", async () => {
  const { sandbox, engine, generate } = await withEngine("image", automaticEngine());
  const given = { prompt_2: "a", negative_prompt_2: "b", enable_refiner: true, backend: "tvm" };
  expect((await generate({ ...picture, ...given })).ignored?.split(", ").toSorted()).toEqual(
    Object.keys(given).toSorted(),
  );
  expect((await generate({ ...picture, backend: "auto", enable_refiner: false })).ignored).toBeNull();
  expect((await generate({ ...picture, model_name: "SD1.5" })).ignored).toBe("model_name");
  sandbox.engines.save({ kind: "image", url: engine.url, model: "v1-5-pruned-emaonly" });
  expect((await generate(picture)).ignored).toBeNull();
  expect(engine.requests.at(-1)?.body.override_settings).toEqual({
    sd_model_checkpoint: "v1-5-pruned-emaonly",
  });
});

test.each([
  [{ sampler: "No such sampler" }, 404, "NOT_FOUND", "responded 404: Sampler not found"],
  [{ steps: 0 }, 422, "UNPROCESSABLE_ENTITY", "Invalid input data; steps: value is not greater than 0"],
])("an error of the engine for %o is passed on", async (more, status, code, message) => {
  const { generate } = await withEngine("image", automaticEngine());
  const { body, ...response } = await generate({ ...picture, ...more });
  expect([response.status, body.code]).toEqual([status, code]);
  expect(body.message).toContain(message);
  expect(body.error.message).toBe(body.message);
});

test("an engine that returns no picture causes an error", async () => {
  const routes: Routes = {
    "POST /sdapi/v1/txt2img": (_request, response) => send(response, { images: [] }),
  };
  const { generate } = await withEngine("image", startEngine(routes));
  expect(await generate(picture)).toMatchObject({
    status: 500,
    body: { message: expect.stringContaining("responded without an image.") },
  });
});

test("the service's rules apply to pictures of an engine, too", async () => {
  const { engine, generate } = await withEngine("image", automaticEngine());
  expect((await generate({ ...picture, width: 512, height: 512 })).status).toBe(400);
  expect(engine.requests).toEqual([]);
});

test("speech is requested as one WAV file, with a model and a voice that engines accept", async () => {
  const { generate, sent } = await withEngine("audio", speechEngine());
  const { status, body, ignored } = await generate({ text: "Hello" });
  expect(sent()).toMatchObject({
    path: "/v1/audio/speech",
    body: { model: "tts-1", voice: "alloy", input: "Hello", response_format: "wav", stream: false },
  });
  expect({ status, body }).toEqual({
    status: 200,
    body: { audio: silentWav().toString("base64"), sample_rate: 24_000 },
  });
  expect(ignored).toBeNull();
});

test("the voice and the model are those of the request, or else those set for the engine", async () => {
  const more = { model: "kokoro", voice: "af_heart" };
  const { generate, sent } = await withEngine("audio", speechEngine(), more);
  await generate({ text: "Hello", speed: 1.5 });
  expect(sent()?.body).toMatchObject({ ...more, speed: 1.5 });
  await generate({ text: "Hello", voice: "af_sky", model: "tts-1-hd", lang_code: "a" });
  expect(sent()?.body).toMatchObject({ voice: "af_sky", model: "tts-1-hd", lang_code: "a" });
});

test("a format other than WAV is ignored, and the response says so", async () => {
  const { generate, sent } = await withEngine("audio", speechEngine());
  const { body, ignored } = await generate({ text: "Hello", response_format: "mp3", stream: true });
  expect(sent()?.body).toMatchObject({ response_format: "wav", stream: false });
  expect([ignored, body.sample_rate]).toEqual(["response_format, stream", 24_000]);
});

test("a voice that the engine does not have causes an error that lists the engine's voices", async () => {
  const { generate } = await withEngine("audio", speechEngine());
  expect(await generate({ text: "Hello", voice: "bob" })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining("Voice 'bob' not found. Available voices: af_heart, af_sky") },
  });
});

test("the limits of the sandbox's own voice do not apply to an engine", async () => {
  const { generate } = await withEngine("audio", speechEngine());
  expect((await generate({ text: "…".repeat(20_000), speed: 9 })).status).toBe(200);
});

test("a response with audio that is not WAV has no sample rate", async () => {
  const routes: Routes = {
    "POST /v1/audio/speech": (_request, response) =>
      void response.writeHead(200, { "content-type": "audio/mpeg" }).end("ID3"),
  };
  const { generate } = await withEngine("audio", startEngine(routes));
  expect((await generate({ text: "Hello" })).body).toEqual({ audio: Buffer.from("ID3").toString("base64") });
});

test.each([
  [
    "nothing",
    "audio/wav",
    "",
    "responded with an empty response instead of audio. Check that the URL points to its API.",
  ],
  [
    "JSON",
    "application/json",
    "{}",
    "responded with application/json instead of audio. Check that the URL points to its API.",
  ],
])("an audio engine that responds with %s causes an error", async (_name, type, text, message) => {
  const routes: Routes = {
    "POST /v1/audio/speech": (_request, response) =>
      void response.writeHead(200, { "content-type": type }).end(text),
  };
  const { generate } = await withEngine("audio", startEngine(routes));
  expect(await generate({ text: "Hello" })).toMatchObject({
    status: 500,
    body: { message: expect.stringContaining(message) },
  });
});
