import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";

describe("image price", () => {
  test.each([
    ["", "$0.012\n"],
    ["--size 2048x2048 --steps 25", "$0.04\n"],
    ["--size 512x512 --steps 25", "$0.0025\n"],
    ["--size 2048x2048 --steps 25 -n 10", "$0.40\n"],
  ])("%s", async (flags, price) => {
    const { run } = await createCli();
    expect(await run(`image price ${flags}`)).toMatchObject({ code: 0, out: price, requests: [] });
  });
});

test("image models sends no request", async () => {
  const { run } = await createCli();
  expect((await run("image models -o id")).out).toBe(
    "FLUX.1-dev\nSDXL1.0-base\nSDXL-turbo\nSD2\nSD1.5\nSSD\n",
  );
  expect((await run("image models")).out).toMatchInlineSnapshot(`
    "MODEL         IMAGE-TO-IMAGE  SDXL  LORA
    FLUX.1-dev    no              no    -
    SDXL1.0-base  yes             yes   Add_Detail, More_Art, Pixel_Art, Logo, Sci-fi, Crayons, Paint_Splash, Outdoor_Product_Photography
    SDXL-turbo    yes             yes   -
    SD2           yes             no    -
    SD1.5         yes             no    Add_Detail, Superhero, Lineart, Anime_Lineart, Cartoon_Background, Pencil_Sketch
    SSD           yes             no    -
    "
  `);
});
