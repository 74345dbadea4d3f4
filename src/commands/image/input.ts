import type { Context } from "../../context/context.ts";
import { sniff } from "../../media/sniff.ts";
import { UsageError } from "../errors.ts";
import { fieldsOf } from "../flags.ts";
import type { Args } from "../spec.ts";
import { sizeOf } from "./size.ts";

/** The model when neither a flag nor the profile names one. */
const usualModel = "SDXL1.0-base";

/** Always sent, so that the request says what was paid for. */
const alwaysSent = ["height", "width", "steps", "cfg_scale"];

/** The request: the service's defaults for what is always sent, then what was typed. */
export async function imageInput(args: Args, { files, settings }: Context): Promise<object> {
  const { image } = args.flags;
  const defaults = fieldsOf({ operations: ["generateImage"] })
    .filter(({ name }) => alwaysSent.includes(name))
    .map((field) => [field.name, field.default]);
  return {
    model_name: settings.defaults.imageModel ?? usualModel,
    ...Object.fromEntries(defaults),
    ...args.fields,
    ...sizeOf(args),
    ...(typeof image === "string" && { image: await reference(image, files) }),
  };
}

const readable = ["png", "jpg", "webp"];

/** A reference picture as base64. */
async function reference(path: string, files: Context["files"]): Promise<string> {
  const bytes = await files.read(path);
  const ext = sniff(bytes)?.ext;
  if (ext === undefined || !readable.includes(ext)) {
    throw new UsageError(`--image must be a PNG, JPEG or WebP picture; ${path} is ${ext ?? "none of them"}`);
  }
  return Buffer.from(bytes).toString("base64");
}
