import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag, type Size } from "../../command-kit/flag.ts";
import {
  assertWithinCost,
  defaultPictureModel,
  outFlags,
  outputOptions,
  picturePrice,
} from "../../command-kit/inference.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { InputOf } from "../../contract/index.ts";
import { UsageError } from "../../core/errors.ts";
import { scalarText } from "../../core/json.ts";
import { outputTarget } from "../../media/output-target.ts";
import { sniff } from "../../media/sniff.ts";
import { generate, priceLine, times } from "./generate.ts";
import { prepareToShow, showFlags } from "./show.ts";

export default defineCommand({
  path: "image",
  summary: "Generate images",
  operation: "generateImage",
  args: [
    arg.field("PROMPT", "What the image shows", "prompt", {
      required: true,
      stdin: "instead",
      fallbackFlag: "from",
    }),
  ],
  defaulted: { model_name: "always" },
  flags: {
    size: flag.size("Width and height in pixels", { setsFields: ["width", "height"] }),
    image: flag.text("Reference image (PNG, JPEG or WebP), - for stdin", {
      value: "FILE",
      readsStdin: "-",
      setsFields: ["image"],
    }),
    from: flag.text(
      "Use the settings stored in an image, - for stdin; PROMPT and other flags override them",
      {
        value: "FILE",
        readsStdin: "-",
      },
    ),
    count: flag.integer("Number of images; with --seed, each further image uses the next seed", {
      default: "1",
      short: "n",
      minimum: 1,
      maximum: 10_000,
    }),
    concurrency: flag.integer("How many images to generate at once", {
      default: "4",
      minimum: 1,
      maximum: 32,
    }),
    ...outFlags("image"),
    maxCost: flag.dollars("Do not generate if the images would cost more than this, in dollars"),
    noMetadata: flag.boolean("Do not write the settings into the image"),
    ...showFlags,
  },
  uses: ["pictures"],
  view: { kind: "lines", path: "path" },
  examples: [
    { text: "Generate an image", command: 'gpuctl image "a lighthouse at dusk" --sandbox' },
    {
      text: "Generate two wide images in a folder, with the seeds 7 and 8",
      command: 'gpuctl image "a lighthouse at dusk" --size 1536x640 --seed 7 -n 2 --out pictures/ --sandbox',
    },
    {
      text: "Generate six images, three at a time",
      command: 'gpuctl image "a lighthouse at dusk" -n 6 --concurrency 3 --out pictures/ --sandbox',
    },
  ],
  buildInput: async ({ input, flags: { size, image, from }, files, settings, say }) => {
    if (image === "-" && from === "-") {
      throw new UsageError("--image - and --from - cannot both read stdin");
    }
    const given = {
      ...input,
      ...checkedSize(size, input),
      ...(image !== undefined && { image: await referencePicture(image, files) }),
    };
    return {
      model_name: settings.profileValues["image.model"] ?? defaultPictureModel,
      ...Object.fromEntries(alwaysSent.map((field) => [field.name, field.default])),
      ...(from !== undefined &&
        (await (await import("./from.ts")).settingsFrom(from, { files, say, given }))),
      ...given,
    };
  },
  run: async ({ input, flags, ...context }) => {
    const { count, concurrency, maxCost, noMetadata } = flags;
    if (context.settings.validate) assertSane(input);
    const cost = picturePrice({
      width: numberIn(input.width),
      height: numberIn(input.height),
      steps: numberIn(input.steps),
    });
    assertWithinCost(times(cost, count), maxCost);
    const target = await outputTarget(outputOptions(flags, context));
    if (target.to.kind === "stdout" && count > 1) {
      throw new UsageError("--out - can write only one image; remove --count");
    }
    const show = await prepareToShow(flags, context);
    context.say(priceLine(count, cost));
    const options = { count, concurrency, cost, target, metadata: !noMetadata };
    return show(await generate(input, options, context));
  },
});

/** Fields that are sent even if they have the service's defaults, so that the request shows what was paid for. */
const alwaysSent = routes.generateImage.fields.filter(({ name }) =>
  ["height", "width", "steps", "cfg_scale"].includes(name),
);

/** Returns `--size`. Throws `UsageError` if it differs from `--width` or `--height`. */
function checkedSize(
  size: Size | undefined,
  { width, height }: Partial<InputOf<"generateImage">>,
): Size | undefined {
  if (size && ((width ?? size.width) !== size.width || (height ?? size.height) !== size.height)) {
    throw new UsageError(
      "--size conflicts with --width or --height: use either --size, or --width and --height",
    );
  }
  return size;
}

/** Reads a reference picture as base64. */
async function referencePicture(path: string, files: Context["files"]): Promise<string> {
  const bytes = await files.read(path, "--image", "bytes");
  const ext = sniff(bytes)?.ext;
  if (ext === undefined || !["png", "jpg", "webp"].includes(ext)) {
    const given = path === "-" ? "stdin" : path;
    throw new UsageError(`--image must be a PNG, JPEG or WebP image; ${given} is ${ext ?? "none of them"}`);
  }
  return Buffer.from(bytes).toString("base64");
}

/** A field as a number. With --no-validate, it may have any type, and `Number` would throw for some objects. */
const numberIn = (value: unknown): number => Number(scalarText(value));

/** Rejects what the service allows but no one wants to pay for. */
function assertSane({ prompt, steps }: InputOf<"generateImage">): void {
  if (prompt.trim() === "") throw new UsageError("PROMPT must not be empty");
  if (Number(steps) < 1) {
    throw new UsageError(`--steps must be at least 1, not ${steps}`);
  }
}
