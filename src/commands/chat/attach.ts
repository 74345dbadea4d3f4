import { basename } from "node:path";
import type { Context } from "../../command-kit/context.ts";
import { readFailed, UsageError } from "../../core/errors.ts";
import { utf8Text } from "../../core/text.ts";
import { urlProblem, withoutPassword } from "../../core/urls.ts";
import { InputTooLarge, inputLimits } from "../../core/values/input-limits.ts";
import { sniff } from "../../media/sniff.ts";
import type { Content } from "../../sessions/turn.ts";

/** What is sent with a message: a text, or a picture by its URL. */
export type Attachment = { readonly text: string } | { readonly picture: string };

/** The pictures that chat models accept. */
const pictureTypes: ReadonlySet<string> = new Set(["png", "jpg", "webp", "gif"]);

/**
 * Reads attachments from files, or from stdin for `-`. URLs are passed on unchanged: the service fetches them.
 * Throws `UsageError` if a URL is invalid, or if a file cannot be read, is too long, or is neither text in UTF-8 nor an
 * accepted picture. The error names `from`, which is the flag or the command.
 */
export async function readAttachments(
  places: readonly string[],
  files: Pick<Context["files"], "read">,
  from: string,
): Promise<readonly Attachment[]> {
  const attachments: Attachment[] = [];
  for (const place of places) {
    attachments.push(/^https?:\/\//i.test(place) ? urlOf(place, from) : await fileOf(place, files, from));
  }
  return attachments;
}

function urlOf(url: string, from: string): Attachment {
  const problem = urlProblem(url, {
    what: "the URL of an image",
    example: "https://example.com/cat.png",
  });
  if (problem) {
    throw new UsageError(`${from} must be a file or ${problem}, not ${JSON.stringify(withoutPassword(url))}`);
  }
  return { picture: url };
}

async function fileOf(
  path: string,
  files: Pick<Context["files"], "read">,
  from: string,
): Promise<Attachment> {
  const bytes = await files.read(path, from, "bytes");
  const type = sniff(bytes);
  if (type && pictureTypes.has(type.ext)) {
    return { picture: `data:${type.mime};base64,${Buffer.from(bytes).toString("base64")}` };
  }
  const isPdf = Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "%PDF-";
  const text = isPdf ? undefined : utf8Text(bytes);
  if (text === undefined) {
    const problem = isPdf
      ? "a PDF file cannot be attached"
      : type
        ? `a ${type.ext} file cannot be attached`
        : "this file is neither text in UTF-8 nor an image";
    throw new UsageError(`${from} ${path}: ${problem}`, {
      hint: isPdf
        ? "Convert the PDF file to text first, for example with `pdftotext FILE.pdf -`."
        : "Attach text in UTF-8, or a PNG, JPEG, WebP or GIF image.",
    });
  }
  if (bytes.length > inputLimits.text) {
    throw readFailed(from, path, new InputTooLarge(inputLimits.text));
  }
  const name = path === "-" ? "stdin" : basename(path);
  return { text: `<file name=${JSON.stringify(name)}>\n${text.replace(/\n$/, "")}\n</file>` };
}

/** The content of a message: a text, or parts if there are pictures. Attached texts come before the message. */
export function withAttachments(message: string, attachments: readonly Attachment[]): Content {
  const texts = attachments.flatMap((one) => ("text" in one ? [one.text] : []));
  const pictures = attachments.flatMap((one) => ("picture" in one ? [one.picture] : []));
  const text = [...texts, message].join("\n\n");
  if (pictures.length === 0) return text;
  return [{ type: "text", text }, ...pictures.map((url) => ({ type: "image_url", image_url: { url } }))];
}
