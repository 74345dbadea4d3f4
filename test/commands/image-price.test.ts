import { describe, expect, test } from "vitest";
import { resolutions } from "../../src/contract/image-models.ts";
import { createCli } from "../support/cli.ts";

describe("image price", () => {
  test.each([
    ["", "$0.012\n"],
    ["--size 2048x2048 --steps 25", "$0.04\n"],
    ["--size 512x512 --steps 25", "$0.0025\n"],
    ["--size 2048x2048 --steps 25 -n 10", "$0.40\n"],
    ["--size 1536x640 --steps 25 -n 3", "$0.028125\n"],
    ["--size 1023x1023 --steps 1", "$0.0003992191314697265625\n"],
  ])("prints the price for the flags %j", async (flags, price) => {
    const { run } = await createCli();
    expect(await run(`image price ${flags}`)).toMatchObject({ code: 0, out: price, requests: [] });
  });
});

describe("-o json has no rounding error", () => {
  /** Size, steps, number of pictures, and their total price in dollars, which was calculated by hand. */
  const prices = [
    ["1536x640", 25, 3, "0.028125"],
    ["1024x1024", 30, 3, "0.036"],
    ["1152x896", 30, 7, "0.0826875"],
    ["1344x768", 7, 1, "0.002756250"],
    ["640x1536", 29, 1, "0.010875"],
  ] as const;

  test.each(prices)("with --size %s --steps %i -n %i", async (size, steps, count, total) => {
    const { run } = await createCli();
    const { out } = await run(`image price --size ${size} --steps ${steps} -n ${count} -o json`);
    expect(out).toMatch(new RegExp(`"dollars": ${Number(total)}\\D`));
  });

  test("in the price at any supported resolution, and no price has more than 12 decimals", async () => {
    const { run } = await createCli();
    for (const size of resolutions) {
      for (const steps of [1, 7, 29, 50]) {
        const { out } = await run(`image price --size ${size} --steps ${steps} -o json`);
        const { dollarsEach, cost } = JSON.parse(out);
        const [width = 0, height = 0] = size.split("x").map(Number);
        // 12 decimals are enough, because the number of pixels of each resolution is a multiple of 2^12.
        const exact = (BigInt(width) * BigInt(height) * BigInt(steps) * 10n ** 12n) / (2n ** 22n * 625n);
        expect(Math.round(dollarsEach * 1e12)).toBe(Number(exact));
        expect(String(dollarsEach).length).toBeLessThanOrEqual(14);
        expect(cost).toMatch(/^\$0\.\d{2,12}$/);
      }
    }
  });

  test("in the cost of a generated picture", async () => {
    const { run } = await createCli();
    const { out, err } = await run("image cat --size 1536x640 --steps 75 -o json --sandbox");
    expect(out).toContain('"cost": 0.028125,');
    expect(err).toContain("1 image, $0.028125 (estimated");
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

describe("an unknown price of a picture", () => {
  test.each(["--steps=-100000 -n 3", "--steps lots", "--height=-100000"])(
    "exceeds any --max-cost: %s",
    async (flags) => {
      const { run } = await createCli();
      const refused = await run(`image cat --no-validate ${flags} --max-cost 0.05 --sandbox`);
      expect(refused).toMatchObject({ code: 11, out: "", requests: [] });
      expect(refused.err).toContain("the price is unknown");
    },
  );

  test("is reported if there is no --max-cost", async () => {
    const { run } = await createCli();
    const { err, requests } = await run("image cat --no-validate --steps=-5 --sandbox");
    expect(err).toContain("1 image, price unknown\n");
    expect(requests).toHaveLength(1);
  });
});
