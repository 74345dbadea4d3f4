import type { Context, Ports } from "../../command-kit/context.ts";
import { flag } from "../../command-kit/flag.ts";
import { reasonOf, UsageError } from "../../core/errors.ts";
import { asList, asRecord, asText } from "../../core/json.ts";
import type { Result } from "../../core/result.ts";

/** The flags for looking at pictures once they are saved. */
export const showFlags = {
  preview: flag.boolean("Draw the saved images in the terminal"),
  open: flag.boolean("Open the saved images with the system's viewer"),
};

interface ShowOptions {
  readonly preview: boolean;
  readonly open: boolean;
  readonly out: string | undefined;
}

/**
 * Checks that the pictures can be shown, before anything is paid for. Returns a function that shows the pictures of a
 * result. If a preview cannot be drawn, only reports that. Throws `UsageError` if pictures are to be shown although
 * `--out -` saves none, or if `--open` finds no viewer or no display.
 */
export async function prepareToShow(
  { preview, open, out }: ShowOptions,
  { pictures, files, say }: Pick<Ports, "pictures"> & Pick<Context, "files" | "say">,
): Promise<(result: Result) => Promise<Result>> {
  if (out === "-" && (preview || open)) {
    const name = preview ? "--preview" : "--open";
    throw new UsageError(
      `${name} shows saved images, but --out - does not save them: use only one of these flags`,
    );
  }
  const openPaths = open ? await pictures.findViewer() : undefined;
  const terminal = preview ? pictures.terminal() : undefined;
  if (terminal && "problem" in terminal) say(`No preview: ${terminal.problem}.`);
  return async (result) => {
    const saved = "data" in result ? asList(result.data).map((one) => asText(asRecord(one).path)) : [];
    const paths = saved.map(files.resolve);
    if (terminal && !("problem" in terminal)) await drawAll(paths, terminal, { pictures, say });
    if (openPaths) await openAll(await knownPictures(paths, say), openPaths, say);
    return result;
  };
}

async function drawAll(
  paths: readonly string[],
  screen: Exclude<ReturnType<Ports["pictures"]["terminal"]>, { readonly problem: string }>,
  { pictures, say }: Pick<Ports, "pictures"> & Pick<Context, "say">,
): Promise<void> {
  const [{ drawPictures }, { clipStart, displayWidth }, { oneLine }, { basename }] = await Promise.all([
    import("../../media/preview/draw.ts"),
    import("../../output/display-width.ts"),
    import("../../output/text.ts"),
    import("node:path"),
  ]);
  const problems: string[] = [];
  const shown = paths.map((path, at) => ({
    path,
    caption: (columns: number) => {
      const number = `${at + 1} `;
      const text = number + clipStart(oneLine(basename(path), true), Math.max(1, columns - number.length));
      return { text, width: displayWidth(text, columns) };
    },
  }));
  const onProblem = (path: string, reason: string) => problems.push(`${path} cannot be drawn: ${reason}.`);
  for await (const text of drawPictures(shown, { screen, onProblem })) await pictures.draw(text);
  for (const problem of problems) say(problem);
}

/** Returns the files that are pictures. Other files are not opened, because the system might run them as programs. */
async function knownPictures(paths: readonly string[], say: Context["say"]): Promise<readonly string[]> {
  const { sniffFile } = await import("../../media/sniff.ts");
  const known: string[] = [];
  for (const path of paths) {
    const type = await sniffFile(path).catch(() => undefined);
    if (type?.kind === "image") known.push(path);
    else say(`${path} is not opened, because it is not an image of a known type.`);
  }
  return known;
}

/** Opens the pictures. If the viewer does not start, only reports that, because the pictures are saved. */
async function openAll(
  paths: readonly string[],
  openPaths: (paths: readonly string[]) => Promise<number>,
  say: Context["say"],
): Promise<void> {
  if (paths.length === 0) return;
  try {
    const opened = await openPaths(paths);
    if (opened < paths.length) say(`Opened the first ${opened} of ${paths.length} images.`);
  } catch (error) {
    say(`The images were saved, but not opened: ${reasonOf(error)}.`);
  }
}
