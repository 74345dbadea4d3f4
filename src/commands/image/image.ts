import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag, type Size } from "../../command-kit/flag.ts";
import {
  assertWithinCost,
  outFlags,
  outputOptions,
  picturePrice,
  receivedJson,
} from "../../command-kit/inference.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { InputOf } from "../../contract/index.ts";
import {
  EmptyResult,
  type FailedItem,
  ResultTruncated,
  SomeFailed,
  StoredElsewhere,
  UsageError,
} from "../../core/errors.ts";
import { asList, asRecord, asText, isRecord } from "../../core/json.ts";
import type { Result } from "../../core/result.ts";
import { dollarNumber, dollarText, type Money } from "../../core/values/money.ts";
import {
  type Decoded,
  decodeMedia,
  type OutputTarget,
  outputTarget,
  type SavedFile,
  saveElsewhere,
  saveMedia,
  warnOfFormat,
} from "../../media/output-target.ts";
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
    assertWithinCost(times(cost, count), maxCost);
    const target = await outputTarget(outputOptions(flags, context));
    if (target.to.kind === "stdout" && count > 1) {
      throw new UsageError("--out - can write only one picture; remove --count");
    }
    context.say(priceLine(count, cost));
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
  const bytes = await files.read(path, "--image", "bytes");
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

const times = (cost: Money | undefined, count: number): Money | undefined => cost && cost * BigInt(count);

/** The number of pictures and their total price, from the price of each. */
function priceLine(count: number, cost: Money | undefined, spent = ""): string {
  const total = times(cost, count);
  const price =
    total === undefined
      ? "price unknown"
      : `${dollarText(total)}${spent} (estimated from the documented price)`;
  return `${count} picture${count === 1 ? "" : "s"}, ${price}`;
}

interface GenerateOptions {
  readonly count: number;
  /** The price of one picture; undefined if unknown. */
  readonly cost: Money | undefined;
  readonly target: OutputTarget;
  /** Write the settings into a PNG. */
  readonly metadata: boolean;
}

/**
 * Requests the pictures one after the other and saves each; with `--out -`, returns the bytes of the first one instead.
 * A picture that cannot be used, is truncated, or cannot be saved where it should be, hides no other. After a response
 * without a usable picture, no more are requested.
 */
async function generate(
  input: InputOf<"generateImage">,
  { count, cost, target, metadata }: GenerateOptions,
  context: Pick<Context, "call" | "progress" | "setFailureContext" | "say" | "serviceNow" | "settings">,
): Promise<Result> {
  const { call, progress, setFailureContext, serviceNow, settings } = context;
  const saved: (SavedFile & Readonly<Record<string, unknown>>)[] = [];
  const failures: FailedItem[] = [];
  let toPrint: Decoded | undefined;
  let responses = 0;
  const requests = Array.from({ length: count }, (_, index) =>
    input.seed === undefined ? input : { ...input, seed: input.seed + index },
  );
  if (settings.dryRun) await Promise.all(requests.map((request) => call("generateImage", request)));
  for (const [index, request] of requests.entries()) {
    const text = count === 1 ? "Generating" : `Generating ${index + 1} of ${count}`;
    const response = await progress(text, () => call("generateImage", request));
    responses += 1;
    const { image: _, ...shown } = request;
    const { prompt, model_name: model, width, height } = request;
    const unusable: FailedItem[] = [];
    const pictures = picturesOf(response);
    for (const { base64, seed: reported } of pictures) {
      const seed = reported ?? request.seed;
      const names = {
        date: new Date(serviceNow()),
        prompt,
        fallback: "picture",
        model: String(model),
        index: index + 1,
        seed: /^-?\d+$/.test(String(seed)) ? Number(seed) : undefined,
      };
      const embedded = seed === undefined ? request : { ...request, seed };
      const finish = (bytes: Uint8Array) =>
        metadata ? addPngText(bytes, embedded, settings.version) : bytes;
      const name = `picture ${saved.length + failures.length + unusable.length + 1}`;
      try {
        const picture = decodeMedia({ base64, kind: "image", count, names, finish });
        if (target.to.kind === "stdout" && toPrint === undefined && !picture.isTruncated) {
          toPrint = picture;
          continue;
        }
        const { file, problem } = await savePicture(picture, target);
        if (problem) failures.push({ name, error: problem });
        if (problem instanceof ResultTruncated) continue;
        saved.push({
          ...file,
          seed: seed ?? null,
          model,
          size: `${width}x${height}`,
          cost: cost === undefined ? null : dollarNumber(cost),
          request: shown,
        });
      } catch (error) {
        // The response is kept once.
        const isFirst = unusable.length === 0 && error instanceof EmptyResult;
        unusable.push({
          name,
          error: isFirst ? new EmptyResult(error.message, receivedJson(response)) : error,
        });
      }
    }
    failures.push(...unusable);
    if (saved.length > 0) {
      setFailureContext(`Saved before the failure: ${saved.map(({ path }) => path).join(", ")}.`);
    }
    if (unusable.length === pictures.length) break;
  }
  reportSpent(responses, cost, context);
  const failure = failureOf(failures, saved.length + (toPrint ? 1 : 0));
  if (toPrint === undefined) return { data: saved, failure };
  warnOfFormat(toPrint, "written unchanged", context.say);
  return { bytes: toPrint.bytes, paid: true, failure };
}

/** Saves a picture. Only one can go to stdout, so others are then saved as files, which is not a failure. */
async function savePicture(
  picture: Decoded,
  target: OutputTarget,
): Promise<{ readonly file: SavedFile; readonly problem?: Error }> {
  const { to } = target;
  if (to.kind !== "stdout") return saveMedia(picture, { ...target, to });
  const { file, problem } = await saveElsewhere(picture, "Standard output takes only one picture", target);
  if (problem instanceof ResultTruncated) return { file, problem };
  target.say(problem.message);
  return { file };
}

/**
 * What to report when pictures failed, some of which may have been saved elsewhere. Throws it when there is no picture
 * where it should be.
 */
function failureOf(failures: readonly FailedItem[], kept: number): Error | undefined {
  if (failures.length === 0) return undefined;
  const misplaced = failures.filter(({ error }) => error instanceof StoredElsewhere).length;
  const succeeded = kept - misplaced;
  const total = succeeded + failures.length;
  if (total === 1) throw failures[0]?.error;
  const failure = new SomeFailed(`${failures.length} of ${total} pictures failed`, { failures, succeeded });
  if (succeeded === 0) throw failure;
  return failure;
}

function reportSpent(
  count: number,
  cost: Money | undefined,
  { say, settings }: Pick<Context, "say" | "settings">,
): void {
  say(settings.sandbox ? "Nothing is charged: this is the sandbox" : priceLine(count, cost, " spent"));
}

/** The pictures of a response, at least one: base64 text is empty where it is missing. */
function picturesOf(response: unknown): readonly { readonly base64: string; readonly seed: unknown }[] {
  const images = isRecord(response) ? asList(response.images) : [];
  const pictures = images.map(asRecord).map((entry) => ({
    base64: asText(entry.image),
    seed: entry.random_seed ?? entry.seed,
  }));
  return pictures.length > 0 ? pictures : [{ base64: "", seed: undefined }];
}
