import { stat } from "node:fs/promises";
import { dirname, isAbsolute, sep } from "node:path";
import { numbered, withExtension } from "./extension.ts";
import { checkTemplate, DEFAULT_TEMPLATE, fileName, type NameValues } from "./filename.ts";
import { codeOf, SaveFailed, saveFailed } from "./save-failed.ts";

/** Where results go: the bytes to stdout, one named file, or files named by a template in a folder. */
export type Destination =
  | { readonly kind: "stdout" }
  | { readonly kind: "file"; readonly path: string; readonly makeFolders: false }
  | {
      readonly kind: "template";
      readonly folder: string;
      readonly template: string;
      /** Whether a missing folder is made: the user named a folder or a pattern of them, not one file. */
      readonly makeFolders: true;
    };

const endsInSeparator = (path: string) => path.endsWith("/") || path.endsWith(sep);

/** `path` seen from `folder`. Nothing is shortened: `link/..` is not where it seems to be when `link` is a link. */
function within(folder: string, path: string): string {
  if (folder === "." || isAbsolute(path)) return path;
  return endsInSeparator(folder) ? folder + path : `${folder}/${path}`;
}

/**
 * What `--out PATH|FOLDER|TEMPLATE|-` means; left out, the current folder. First that holds: `-` is stdout; a
 * folder that is there gets the default template; a text with `{` is a template (of folders, when it ends in
 * a slash); one that ends in a slash is a folder to be made; anything else is a file.
 *
 * @param here the folder that relative paths start from.
 * @throws {SaveFailed} for a path that is empty or that the system does not take, and for a device or a pipe,
 * which cannot be written beside and renamed.
 * @throws {BadTemplate} at once, so that nothing is paid for that has no name.
 */
export async function destination(out: string | undefined, here = "."): Promise<Destination> {
  if (out === "-") return { kind: "stdout" };
  if (out === "") throw new SaveFailed('""', "the path is empty");
  const path = out === undefined ? here : within(here, out);
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw saveFailed(path, error);
  });
  if (out === undefined || found?.isDirectory()) {
    return { kind: "template", folder: path, template: DEFAULT_TEMPLATE, makeFolders: true };
  }
  if (found && !found.isFile()) {
    throw new SaveFailed(path, "is not a file: - writes the bytes to standard output");
  }
  if (out.includes("{")) {
    const template = endsInSeparator(out) ? out + DEFAULT_TEMPLATE : out;
    checkTemplate(template);
    return { kind: "template", folder: isAbsolute(out) ? "." : here, template, makeFolders: true };
  }
  if (endsInSeparator(out)) {
    return { kind: "template", folder: path, template: DEFAULT_TEMPLATE, makeFolders: true };
  }
  return { kind: "file", path, makeFolders: false };
}

/** The deepest folder that is known before there is a result, for `canSaveTo`. */
export function folderOf(to: Exclude<Destination, { kind: "stdout" }>): string {
  if (to.kind === "file") return dirname(to.path);
  const [beforeValues = ""] = to.template.split("{");
  return beforeValues === "" ? to.folder : dirname(within(to.folder, `${beforeValues}x`));
}

/**
 * The path of one result. Its extension is that of the bytes, whatever was asked for; `renamed` says that the
 * user typed another. Of several results (`count`) in one named file, each gets `-1`, `-2`... before the extension.
 */
export function pathIn(
  to: Exclude<Destination, { kind: "stdout" }>,
  values: NameValues,
  count = 1,
): { path: string; renamed: boolean } {
  if (to.kind === "template") {
    return withExtension(within(to.folder, fileName(to.template, values)), values.ext);
  }
  const { path, renamed } = withExtension(to.path, values.ext);
  return { path: count > 1 ? numbered(path, values.index ?? 1) : path, renamed };
}
