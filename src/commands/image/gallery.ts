import { readSync } from "node:fs";
import { type FileHandle, open, readdir, readFile, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { isShardFolder } from "../../batch/shard.ts";
import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { routes } from "../../contract/generated/routes.ts";
import { codeOf, readFailed, reasonOf, UsageError } from "../../core/errors.ts";
import { type GalleryPicture, galleryPage, isGalleryPage } from "../../media/gallery/page.ts";
import { save } from "../../media/save.ts";
import { readSettings } from "../../media/settings/read.ts";
import { sniff } from "../../media/sniff.ts";
import { plainText } from "../../output/text.ts";
import { commandLine } from "./command-line.ts";

export default defineCommand({
  path: "image gallery",
  summary: "Write an HTML page of a folder's images with their settings",
  details:
    "The page needs no server. It links to the images; with --embed it contains them, so that it can be moved or sent as one file. An existing page written by gpuctl is replaced; any other existing file is replaced only with --force.",
  args: [arg.text("FOLDER", "The folder with the images", { required: true })],
  flags: {
    out: flag.text("Where to write the page", { value: "FILE", defaultText: "index.html in FOLDER" }),
    embed: flag.boolean("Put the images into the page"),
    force: flag.boolean("Replace an existing file that is not a gallery"),
  },
  view: { kind: "lines", path: "path" },
  examples: [
    {
      text: "Write pictures/index.html",
      command: "gpuctl image gallery pictures",
      after: [examplePictures()],
    },
    {
      text: "Write a page that can be sent as one file",
      command: "gpuctl image gallery pictures --embed --out pictures.html",
      after: [examplePictures()],
    },
  ],
  run: async ({ args: { folder: given }, flags: { out, embed, force }, files, settings, say }) => {
    if (out === "-") throw new UsageError("--out must be a file: the page is not written to stdout");
    const folder = files.resolve(given);
    const path = out === undefined ? join(folder, "index.html") : files.resolve(out);
    const names = await fileNames(folder, given);
    const replaces = await mayReplace(path, force);
    let count = 0;
    const counted = async function* () {
      for (const name of names) {
        const picture = await pictureOf(join(folder, name), embed ? undefined : dirname(path)).catch(
          (error: unknown) => {
            say(`${join(given, name)} was left out: ${reasonOf(error)}.`);
            return undefined;
          },
        );
        if (picture === undefined) continue;
        count += 1;
        yield picture;
      }
    };
    const pictures = counted();
    // Find the first picture before the page is written, so that no page is left if there are no pictures.
    const first = await pictures.next();
    if (first.done) throw new UsageError(`no image that a browser can display could be read in ${given}`);
    const all = async function* () {
      yield first.value;
      yield* pictures;
    };
    const page = galleryPage(all(), { title: titleOf(folder), embeds: embed });
    if (settings.dryRun) for await (const _ of page);
    else await save(path, page, { force: replaces, failIfExists: true });
    return { data: { path, pictures: count } };
  },
});

function examplePictures(): string {
  return 'gpuctl image "a lighthouse at dusk" --seed 7 -n 2 --out pictures/ --sandbox';
}

/**
 * The paths of a folder's files, relative to the folder, in natural order: `cat-2` is before `cat-10`. Includes the
 * files in the folders of a batch's shards. Hidden files are left out.
 */
async function fileNames(folder: string, given: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw readFailed("FOLDER", given, cause);
  });
  const { compare } = new Intl.Collator("en", { numeric: true });
  const names = entries.map(async (entry) => {
    if (entry.name.startsWith(".")) return [];
    if (!entry.isDirectory()) return [entry.name];
    if (!isShardFolder(entry.name)) return [];
    const inShard = await fileNames(join(folder, entry.name), join(given, entry.name));
    return inShard.map((name) => join(entry.name, name));
  });
  return (await Promise.all(names)).flat().sort(compare);
}

const titleOf = (folder: string): string => folder.split(sep).findLast((part) => part !== "") ?? folder;

/** How many bytes to read to recognize the type of a file, or a gallery page. */
const headLength = 1024;

/** Whether an existing file may be replaced: always with `force`, otherwise only if it is a gallery. */
async function mayReplace(path: string, force: boolean): Promise<boolean> {
  if (force) return true;
  try {
    // Opening a pipe would block.
    if (!(await stat(path)).isFile()) return false;
    return await withFile(path, async (file) => isGalleryPage(await headOf(file)));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw readFailed("--out", path, error);
  }
}

/** The formats that browsers can display. */
const shown: readonly string[] = ["png", "jpg", "webp", "gif", "avif"];

/**
 * Returns a picture with its settings, or undefined if browsers cannot display the file. `base` is the folder of the
 * page that links to the picture; undefined for a page that contains the picture.
 */
async function pictureOf(path: string, base: string | undefined): Promise<GalleryPicture | undefined> {
  if (!(await stat(path)).isFile()) return undefined;
  return withFile(path, async (file) => {
    const type = sniff(await headOf(file));
    if (type === undefined || !shown.includes(type.ext)) return undefined;
    const found = readSettings((at, size) => {
      const bytes = Buffer.allocUnsafe(size);
      return bytes.subarray(0, readSync(file.fd, bytes, 0, size, at));
    });
    const settings = "request" in found ? found.request : {};
    const { line, notes } = commandLine(settings);
    const { prompt, model_name: model, width, height, seed } = settings;
    const size = width === undefined ? undefined : `${plainText(width)}×${plainText(height)}`;
    return {
      name: titleOf(path),
      url:
        base === undefined
          ? `data:${type.mime};base64,${await readFile(path, "base64")}`
          : urlFrom(base, path),
      prompt: plainText(prompt),
      // The seed comes first, because it distinguishes pictures with the same prompt.
      summary: [seed === undefined ? undefined : `seed ${plainText(seed)}`, size, model]
        .filter((part) => part !== undefined)
        .map(plainText),
      settings: [
        ...(size === undefined ? [] : [["Size", size] as const]),
        ...labels.flatMap(({ name, label }) =>
          settings[name] === undefined ? [] : [[label, valueText(settings[name])] as const],
        ),
      ],
      command: line,
      notes,
    };
  });
}

/**
 * The page's labels for fields, in the order of the documented API. The prompt and the size are shown
 * separately.
 */
const labels = routes.generateImage.fields
  .map(({ name }) => ({ name, label: labelOf(name) }))
  .filter(({ name }) => !["prompt", "width", "height"].includes(name));

function labelOf(name: string): string {
  if (name === "image") return "Reference";
  const words = name
    .replace(/_name$/, "")
    .replaceAll("_", " ")
    .replace("cfg", "CFG")
    .replace("lora", "LoRA");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const valueText = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? Object.entries(value)
        .map(([name, weight]) => `${name} ${plainText(weight)}`)
        .join(", ")
    : plainText(value);

/** Returns a URL relative to `base`, or an absolute one if the picture is on another drive. */
function urlFrom(base: string, path: string): string {
  const way = relative(base, resolve(path));
  return isAbsolute(way) ? pathToFileURL(way).href : way.split(sep).map(encodeURIComponent).join("/");
}

async function withFile<Value>(path: string, use: (file: FileHandle) => Promise<Value>): Promise<Value> {
  const file = await open(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function headOf(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headLength), 0, headLength, 0);
  return buffer.subarray(0, bytesRead);
}
