import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag, type Size } from "../../command-kit/flag.ts";
import { assertWithinCost, outFlags, outputOptions } from "../../command-kit/inference.ts";
import { routes } from "../../contract/generated/routes.ts";
import { imagePriceDollars } from "../../contract/image-models.ts";
import type { InputOf } from "../../contract/index.ts";
import { UsageError } from "../../core/errors.ts";
import { exactDollars } from "../../core/money.ts";
import type { Result } from "../../core/result.ts";
import { outputTarget } from "../../media/output-target.ts";
import { sniff } from "../../media/sniff.ts";
import { type PictureOptions, type SavedPicture, savePictures } from "./pictures.ts";

export default defineCommand({
  path: "image",
  summary: "Generate pictures",
  operation: "generateImage",
  args: [arg.field("PROMPT", "What the picture shows", "prompt", { required: true, stdin: "instead" })],
  defaulted: { model_name: "always" },
  flags: {
    size: flag.size("Width and height in pixels", { setsFields: ["width", "height"] }),
    image: flag.text("Reference picture (PNG, JPEG or WebP), - for stdin", {
      value: "FILE",
      setsFields: ["image"],
    }),
    count: flag.integerOr("Number of pictures", "1", { short: "n", minimum: 1 }),
    ...outFlags("picture"),
    maxCost: flag.price("Refuse when the pictures would cost more than this many dollars"),
    noMetadata: flag.boolean("Do not write the settings into the PNG"),
  },
  view: { kind: "lines", path: "path" },
  examples: [
    { text: "Generate a picture", command: 'gpuctl image "a lighthouse at dusk" --sandbox' },
    {
      text: "Generate two wide pictures with a seed in a folder",
      command: 'gpuctl image "a lighthouse at dusk" --size 1536x640 --seed 7 -n 2 --out pictures/ --sandbox',
    },
  ],
  buildInput: async ({ input, flags: { size, image }, files, settings }) => ({
    model_name: settings.profileValues["image.model"] ?? defaultModel,
    ...Object.fromEntries(alwaysSent.map((field) => [field.name, field.default])),
    ...input,
    ...agreed(size, input),
    ...(image !== undefined && { image: await referencePicture(image, files) }),
  }),
  run: async ({ input, flags, ...context }) => {
    const { count, maxCost, noMetadata } = flags;
    if (context.settings.validate) assertSane(input);
    const cost = imagePriceDollars(Number(input.width), Number(input.height), Number(input.steps));
    assertWithinCost(cost * count, maxCost);
    const target = await outputTarget(outputOptions(flags, context));
    if (target.to.kind === "stdout" && count > 1) {
      throw new UsageError("--out - takes one picture: leave out --count");
    }
    context.say(`${priceLine(count, cost * count)} (an estimate by the documented price)`);
    return generate(input, { count, cost, target, metadata: !noMetadata }, context);
  },
});

/** The model when neither a flag nor the profile names one. */
const defaultModel = "SDXL1.0-base";

/** Sent even when they are the service's defaults, so that the request says what was paid for. */
const alwaysSent = routes.generateImage.fields.filter(({ name }) =>
  ["height", "width", "steps", "cfg_scale"].includes(name),
);

/** `--size`, which must agree with `--width` and `--height`. */
function agreed(
  size: Size | undefined,
  { width, height }: Partial<InputOf<"generateImage">>,
): Size | undefined {
  if (size && ((width ?? size.width) !== size.width || (height ?? size.height) !== size.height)) {
    throw new UsageError("--size and --width or --height differ: give one of them");
  }
  return size;
}

/** A reference picture as base64. */
async function referencePicture(path: string, files: Context["files"]): Promise<string> {
  const bytes = await files.read(path);
  const ext = sniff(bytes)?.ext;
  if (ext === undefined || !["png", "jpg", "webp"].includes(ext)) {
    throw new UsageError(`--image must be a PNG, JPEG or WebP picture; ${path} is ${ext ?? "none of them"}`);
  }
  return Buffer.from(bytes).toString("base64");
}

/** Rejects what the service allows but no one wants to pay for. */
function assertSane({ prompt, steps }: InputOf<"generateImage">): void {
  if (prompt.trim() === "") throw new UsageError("PROMPT must not be empty");
  if (Number(steps) < 1) {
    throw new UsageError(`--steps must be at least 1 for the price to be known, not ${steps}`);
  }
}

const priceLine = (count: number, cost: number): string =>
  `${count} picture${count === 1 ? "" : "s"}, ${exactDollars(cost)}`;

/** Requests the pictures one after the other. */
async function generate(
  input: InputOf<"generateImage">,
  options: PictureOptions,
  context: Pick<Context, "call" | "progress" | "ifItFails" | "say" | "serviceNow" | "settings">,
): Promise<Result> {
  const { count, cost } = options;
  const { call, progress, ifItFails, settings } = context;
  const saved: SavedPicture[] = [];
  const requests = Array.from({ length: count }, (_, index) =>
    input.seed === undefined ? input : { ...input, seed: input.seed + index },
  );
  if (settings.dryRun) await Promise.all(requests.map((request) => call("generateImage", request)));
  for (const [index, request] of requests.entries()) {
    const text = count === 1 ? "Generating" : `Generating ${index + 1} of ${count}`;
    const response = await progress(text, () => call("generateImage", request));
    const pictures = await savePictures({ response, request, index: index + 1 }, options, context);
    if ("bytes" in pictures) {
      reportSpent(count, cost, context);
      return pictures;
    }
    saved.push(...pictures.saved);
    ifItFails(`Saved before the failure: ${saved.map(({ path }) => path).join(", ")}.`);
  }
  reportSpent(saved.length, cost * saved.length, context);
  return { data: saved };
}

function reportSpent(
  count: number,
  cost: number,
  { say, settings }: Pick<Context, "say" | "settings">,
): void {
  const spent = `${priceLine(count, cost)} spent (an estimate by the documented price)`;
  say(settings.sandbox ? "Nothing is charged: this is the sandbox" : spent);
}
