import { encode } from "fast-png";
import { expect, test } from "vitest";
import { readPngText, withPngText } from "../support/png-text.ts";

const picture = encode({ width: 1, height: 1, channels: 3, data: new Uint8Array(3) });
const parametersText = (request: object, version: string) =>
  readPngText(withPngText(picture, { ...request }, version)).parameters ?? "";

const request = {
  model_name: "SDXL1.0-base",
  prompt: "a cat",
  negative_prompt: "blurry, text",
  width: 1024,
  height: 768,
  steps: 20,
  cfg_scale: 7.5,
  seed: 965400086,
  sampler: "Euler a",
};

test("the text has the format of common image tools", () => {
  expect(parametersText(request, "gpuctl 1.0.0")).toBe(
    [
      "a cat",
      "Negative prompt: blurry, text",
      "Steps: 20, Sampler: Euler a, CFG scale: 7.5, Seed: 965400086, Size: 1024x768, Model: SDXL1.0-base, Version: gpuctl 1.0.0",
    ].join("\n"),
  );
});

test("values that the request lacks and an empty negative prompt are omitted", () => {
  const { negative_prompt: _, sampler: __, seed: ___, ...rest } = request;
  expect(parametersText({ ...rest, negative_prompt: "" }, "1")).toBe(
    "a cat\nSteps: 20, CFG scale: 7.5, Size: 1024x768, Model: SDXL1.0-base, Version: 1",
  );
});

test("LoRAs are in the prompt's line", () => {
  const [line] = parametersText({ ...request, lora: { Add_Detail: 0.8, "Sci-fi": 1 } }, "1").split("\n");
  expect(line).toBe("a cat <lora:Add_Detail:0.8> <lora:Sci-fi:1>");
});

test("strength is included only with a reference image", () => {
  expect(parametersText({ ...request, image: "AAAA", strength: 0 }, "1")).toContain(
    "Denoising strength: 0, ",
  );
  expect(parametersText({ ...request, strength: 0.5 }, "1")).not.toContain("Denoising");
});

test("a value with a comma, a colon or a newline is quoted", () => {
  const text = parametersText({ ...request, sampler: 'a, "b"', model_name: "org:m\nx" }, "1");
  expect(text).toContain('Sampler: "a, \\"b\\"", ');
  expect(text).toContain('Model: "org:m\\nx", ');
});
