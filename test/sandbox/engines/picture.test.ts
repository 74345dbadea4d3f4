import { decode } from "fast-png";
import { describe, expect, test } from "vitest";
import { drawPicture } from "../../../src/sandbox/engines/picture/draw.ts";
import type { PictureRequest } from "../../../src/sandbox/engines/picture/request.ts";
import { resolutions } from "../../contract/service-table.ts";
import { sample } from "../../support/thorough.ts";
import { aboveMark, draw, sha256, small } from "./pictures.ts";

const changes: Partial<PictureRequest>[] = [
  { model_name: "SD1.5" },
  { prompt: "a lighthouse by the sea, oil on canvas" },
  { seed: 43 },
  { steps: 31 },
  { cfg_scale: 5.5 },
  { negative_prompt: "blurry" },
  { sampler: "Euler a" },
  { prompt_2: "sunny" },
  { negative_prompt_2: "dull" },
  { enable_refiner: true },
  { lora: { Add_Detail: 0.5 } },
  { width: 168 },
  { height: 128 },
];

test("the same request gives the same bytes", async () => {
  expect(sha256(await drawPicture(small))).toBe(sha256(await drawPicture({ ...small })));
});

test("the same request gives the same pixels in every release", async () => {
  const pinned: Record<string, string> = {};
  for (const prompt of ["a lake", "a forest", "a desert", "a city at night"]) {
    pinned[prompt] = sha256((await draw({ prompt, width: 400, height: 300 })).data);
  }
  expect(pinned).toMatchInlineSnapshot(`
    {
      "a city at night": "70e41ddc00a83030f8336ce4a715d5f493a4b34eacaa774bad1450b8852670ab",
      "a desert": "6a76b24e9c3a1652b09cfb8fe2f92b1479ef1f366f69ccee6986d15a46684fc5",
      "a forest": "775c09983d02aff4e821f5972039d8798d2f62b9c32877ae920a4d725124b6c9",
      "a lake": "3bf4d47395e3361df7824cdf21634b9c59377c386a494dd7d9a93ed9b254e11a",
    }
  `);
});

describe.each(["a lighthouse by the sea", "a forest", "a desert", "a city"])("a picture of %s", (prompt) => {
  test.each(changes)("differs above the SANDBOX mark with %j", async (change) => {
    const before = sha256(aboveMark(await draw({ prompt })));
    expect(sha256(aboveMark(await draw({ prompt, ...change })))).not.toBe(before);
  });
});

test("the weights of LoRAs change the image, but the order of the LoRAs does not", async () => {
  const pixels = async (lora: PictureRequest["lora"]) => sha256((await draw({ lora })).data);
  const one = await pixels({ Logo: 0.5, Crayons: 1 });
  expect(await pixels({ Crayons: 1, Logo: 0.5 })).toBe(one);
  expect(await pixels({ Crayons: 1, Logo: 0.6 })).not.toBe(one);
});

test("the backend does not change the image", async () => {
  const [torch, tvm] = [await draw({ backend: "torch" }), await draw({ backend: "tvm" })];
  expect(sha256(torch.data)).toBe(sha256(tvm.data));
});

// If the run is not thorough: a square, and the sizes with the highest and the lowest ratio of width to height.
test.each(sample(resolutions, 0, 4, 8))("a picture of %i x %i has that size", async (width, height) => {
  const png = await drawPicture({ ...small, width, height });
  const header = new DataView(png.buffer, png.byteOffset);
  expect([header.getUint32(16), header.getUint32(20)]).toEqual([width, height]);
  expect([png[24], png[25]]).toEqual([8, 2]);
});

test.each(["a forest", "a lake", "a desert", "a city at night"])(
  "%s is drawn at very small sizes",
  async (prompt) => {
    for (const [width, height] of [
      [1, 1],
      [3, 40],
      [40, 3],
    ] as const) {
      expect(await draw({ prompt, width, height })).toMatchObject({ width, height });
    }
  },
);

test("a PNG names the sandbox as its software", async () => {
  expect(decode(await drawPicture(small)).text).toEqual({ Software: "gpuctl sandbox" });
});

describe("a picture with odd settings", () => {
  test.each([
    { steps: 0 },
    { steps: 1000 },
    { cfg_scale: 0 },
    { cfg_scale: -5 },
    { cfg_scale: 1e300 },
    { seed: -1 },
  ])("is drawn: %j", async (change) => {
    expect((await draw(change)).data).toHaveLength(160 * 120 * 3);
  });
});
