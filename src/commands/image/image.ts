import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag, type Size } from "../../command-kit/flag.ts";
import { assertWithinCost, outFlags, outputOptions, picturePrice } from "../../command-kit/inference.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { InputOf } from "../../contract/index.ts";
import { EmptyResult, UsageError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { dollarNumber, dollarText, type Money } from "../../core/money.ts";
import type { Result } from "../../core/result.ts";
import { type OutputTarget, outputTarget, type SavedFile, saveMedia } from "../../media/output-target.ts";
import { addPngText } from "../../media/png-text.ts";
import { sniff } from "../../media/sniff.ts";

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
    count: flag.integer("Number of pictures", { default: "1", short: "n", minimum: 1 }),
    ...outFlags("picture"),
    maxCost: flag.dollars("Do not generate if the pictures would cost more than this, in dollars"),
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
    ...checkedSize(size, input),
    ...(image !== undefined && { image: await referencePicture(image, files) }),
  }),
  run: async ({ input, flags, ...context }) => {
    const { count, maxCost, noMetadata } = flags;
    if (context.settings.validate) assertSane(input);
    const cost = picturePrice({
      width: Number(input.width),
      height: Number(input.height),
      steps: Number(input.steps),
    });
    assertWithinCost(cost * BigInt(count), maxCost);
    const target = await outputTarget(outputOptions(flags, context));
    if (target.to.kind === "stdout" && count > 1) {
      throw new UsageError("--out - can write only one picture; remove --count");
    }
    context.say(`${priceLine(count, cost)} (estimated from the documented price)`);
    return generate(input, { count, cost, target, metadata: !noMetadata }, context);
  },
});

/** The model when neither a flag nor the profile names one. */
const defaultModel = "SDXL1.0-base";

/** Sent even when they are the service's defaults, so that the request says what was paid for. */
const alwaysSent = routes.generateImage.fields.filter(({ name }) =>
  ["height", "width", "steps", "cfg_scale"].includes(name),
);

/** Returns `--size`. Throws `UsageError` when it differs from `--width` or `--height`. */
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
    throw new UsageError(`--steps must be at least 1, not ${steps}`);
  }
}

/** The number of pictures and their total price, from the price of each. */
const priceLine = (count: number, cost: Money): string =>
  `${count} picture${count === 1 ? "" : "s"}, ${dollarText(cost * BigInt(count))}`;

interface GenerateOptions {
  readonly count: number;
  /** The price of one picture. */
  readonly cost: Money;
  readonly target: OutputTarget;
  /** Write the settings into a PNG. */
  readonly metadata: boolean;
}

/**
 * Requests the pictures one after the other and saves each; with `--out -`, returns the bytes of the only one instead.
 */
async function generate(
  input: InputOf<"generateImage">,
  { count, cost, target, metadata }: GenerateOptions,
  context: Pick<Context, "call" | "progress" | "setFailureContext" | "say" | "serviceNow" | "settings">,
): Promise<Result> {
  const { call, progress, setFailureContext, serviceNow, settings } = context;
  const saved: (SavedFile & Readonly<Record<string, unknown>>)[] = [];
  const requests = Array.from({ length: count }, (_, index) =>
    input.seed === undefined ? input : { ...input, seed: input.seed + index },
  );
  if (settings.dryRun) await Promise.all(requests.map((request) => call("generateImage", request)));
  for (const [index, request] of requests.entries()) {
    const text = count === 1 ? "Generating" : `Generating ${index + 1} of ${count}`;
    const response = await progress(text, () => call("generateImage", request));
    const { image: _, ...shown } = request;
    const { prompt, model_name: model, width, height } = request;
    for (const { base64, seed: reported } of picturesOf(response)) {
      const seed = reported ?? request.seed;
      const names = {
        date: new Date(serviceNow()),
        prompt,
        fallback: "picture",
        model: String(model),
        index: index + 1,
        seed: seed === undefined ? undefined : Number(seed),
      };
      const embedded = seed === undefined ? request : { ...request, seed };
      const finish = (bytes: Uint8Array) =>
        metadata ? addPngText(bytes, embedded, settings.version) : bytes;
      const file = await saveMedia({ base64, kind: "image", count, names, finish }, target);
      if (!("path" in file)) {
        reportSpent(count, cost, context);
        return file;
      }
      saved.push({
        ...file,
        seed: seed ?? null,
        model,
        size: `${width}x${height}`,
        cost: dollarNumber(cost),
        request: shown,
      });
    }
    setFailureContext(`Saved before the failure: ${saved.map(({ path }) => path).join(", ")}.`);
  }
  reportSpent(saved.length, cost, context);
  return { data: saved };
}

function reportSpent(count: number, cost: Money, { say, settings }: Pick<Context, "say" | "settings">): void {
  const spent = `${priceLine(count, cost)} spent (estimated from the documented price)`;
  say(settings.sandbox ? "Nothing is charged: this is the sandbox" : spent);
}

function picturesOf(response: unknown): readonly { readonly base64: string; readonly seed: unknown }[] {
  const images = isRecord(response) && Array.isArray(response.images) ? response.images : [];
  const pictures = images.flatMap((entry) =>
    isRecord(entry) && typeof entry.image === "string"
      ? [{ base64: entry.image, seed: entry.random_seed ?? entry.seed }]
      : [],
  );
  if (pictures.length === 0) throw new EmptyResult("the response contains no picture");
  return pictures;
}
