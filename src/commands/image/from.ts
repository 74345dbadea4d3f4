import type { Context } from "../../command-kit/context.ts";
import { routes } from "../../contract/generated/routes.ts";
import { modelNames } from "../../contract/image-models.ts";
import type { InputOf } from "../../contract/index.ts";
import { UsageError } from "../../core/errors.ts";
import { readSettings } from "../../media/settings/read.ts";
import { isTooLarge } from "./command-line.ts";

type Input = Partial<InputOf<"generateImage">>;

/**
 * Returns the settings stored in a picture, to generate the picture again. The settings never include the reference
 * picture.
 *
 * @throws {UsageError} if the file contains no settings, or if the picture needs a reference picture and `given` has
 * none
 */
export async function settingsFrom(
  path: string,
  { files, say, given }: Pick<Context, "files" | "say"> & { readonly given: Input },
): Promise<Input> {
  const { buffer, byteOffset, byteLength } = await files.read(path, "--from", "bytes");
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const found = readSettings((at, size) => bytes.subarray(at, at + size));
  const name = path === "-" ? "stdin" : path;
  if ("instead" in found) {
    throw new UsageError(`--from ${name}: no image settings found: the file has ${found.instead}`, {
      hint: "gpuctl writes the settings of an image into PNG and JPEG files, except with --no-metadata.",
    });
  }
  const { image, strength, ...request } = found.request;
  const isFromReference = image !== undefined || (found.source === "parameters" && strength !== undefined);
  if (isFromReference && given.image === undefined) {
    throw new UsageError(
      `--from ${name}: the image was made from a reference image; pass the reference image with --image`,
    );
  }
  const fields = Object.entries({ ...request, ...(isFromReference && { strength }) }).filter(
    ([field, value]) => known.has(field) && value !== undefined && value !== null,
  );
  const settings = Object.fromEntries(fields);
  if (given.seed === undefined && isTooLarge(settings.seed)) {
    throw new UsageError(
      `--from ${name}: the seed ${settings.seed} is too large to be sent exactly; choose another one with --seed`,
    );
  }
  const model = settings.model_name;
  // Other tools store the name of a model file, which the service may not know.
  if (found.source === "parameters" && !modelNames.some((one) => one === model)) {
    delete settings.model_name;
    if (given.model_name === undefined && model !== undefined) {
      say(
        `${name} was made with the model ${model}, which gpuctl does not know; --model chooses another one.`,
      );
    }
  }
  return settings;
}

const known: ReadonlySet<string> = new Set(routes.generateImage.fields.map(({ name }) => name));
