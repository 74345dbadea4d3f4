import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { picturePrice } from "../../command-kit/inference.ts";
import { routes } from "../../contract/generated/routes.ts";
import { resolutions } from "../../contract/image-models.ts";
import { UsageError } from "../../core/errors.ts";
import { dollarNumber, dollarText } from "../../core/values/money.ts";

/** The service's default for a field. */
const defaultOf = (name: string): string =>
  String(routes.generateImage.fields.find((field) => field.name === name)?.default);

export default defineCommand({
  path: "image price",
  summary: "Show what images cost",
  flags: {
    size: flag.size("Width and height in pixels", {
      default: `${defaultOf("width")}x${defaultOf("height")}`,
    }),
    steps: flag.integer("Inference steps", { default: defaultOf("steps"), minimum: 1 }),
    count: flag.integer("Number of images", { default: "1", short: "n", minimum: 1 }),
  },
  view: { kind: "lines", path: "cost" },
  examples: [
    { text: "Show the price of an image with the service's defaults", command: "gpuctl image price" },
    {
      text: "Show the price of ten large images",
      command: "gpuctl image price --size 2048x2048 --steps 25 -n 10",
    },
  ],
  run: ({ flags: { size, steps, count }, say }) => {
    const { width, height } = size;
    if (!resolutions.some((known) => known === `${width}x${height}`)) {
      say(
        `${width}x${height} is not a supported resolution; the price is calculated with the documented formula.`,
      );
    }
    const each = picturePrice({ width, height, steps });
    if (each === undefined) throw new UsageError("--size must be at least 1x1");
    const total = each * BigInt(count);
    return {
      data: {
        width,
        height,
        steps,
        count,
        dollarsEach: dollarNumber(each),
        dollars: dollarNumber(total),
        cost: dollarText(total),
      },
    };
  },
});
