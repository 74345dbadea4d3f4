import { stat } from "node:fs/promises";
import { dirname, isAbsolute, parse, sep } from "node:path";
import { codeOf, SaveFailed, saveFailed } from "../core/errors.ts";
import {
  checkTemplate,
  DEFAULT_TEMPLATE,
  fileName,
  type NameValues,
  suffixed,
  withExtension,
} from "./filename.ts";

/** Where results go: to stdout, to one named file, or to files in a folder with names from a template. */
export type Destination = { readonly kind: "stdout" } | FileDestination;

/**
 * A named file, or a template. A folder stands for the default template in that folder. Missing folders are created for
 * a template, but not for a named file. `isGenerated`: the user did not type the name of the file.
 */
export type FileDestination =
  | { readonly kind: "file"; readonly path: string; readonly isGenerated?: boolean }
  | { readonly kind: "template"; readonly folder: string; readonly template: string };

const endsInSeparator = (path: string) => path.endsWith("/") || path.endsWith(sep);

/** Joins without normalizing: `link/..` is not the current folder if `link` is a symbolic link. */
function within(folder: string, path: string): string {
  if (folder === "." || isAbsolute(path)) return path;
  return endsInSeparator(folder) ? folder + path : `${folder}/${path}`;
}

/**
 * Interprets `--out PATH|FOLDER|TEMPLATE|-`; the default is the folder `here`. The first match wins: `-` is stdout; an
 * existing folder gets the default template; text with `{` is a template, to which the default template is added if it
 * ends in a slash; text that ends in a slash is a folder to create; anything else is a file.
 *
 * @param here the folder that relative paths start from.
 * @throws {SaveFailed} for a path that is empty or cannot be accessed, and for a device or a pipe, which a rename would
 * replace by a file.
 * @throws {UsageError} for an invalid template, before anything is sent and paid for.
 */
export async function destination(out: string | undefined, here = "."): Promise<Destination> {
  if (out === "-") return { kind: "stdout" };
  if (out === "") throw new SaveFailed('""', "the path is empty");
  const path = out === undefined ? here : within(here, out);
  const existing = await stat(path).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw saveFailed(path, error);
  });
  if (out === undefined || existing?.isDirectory()) {
    return { kind: "template", folder: path, template: DEFAULT_TEMPLATE };
  }
  if (existing && !existing.isFile()) {
    throw new SaveFailed(path, "not a regular file; use - to write to stdout");
  }
  if (out.includes("{")) {
    const template = endsInSeparator(out) ? out + DEFAULT_TEMPLATE : out;
    checkTemplate(template);
    return { kind: "template", folder: isAbsolute(out) ? "." : here, template };
  }
  if (endsInSeparator(out)) {
    return { kind: "template", folder: path, template: DEFAULT_TEMPLATE };
  }
  return { kind: "file", path };
}

/** The deepest folder whose path is known before the result arrives. This folder can be checked in advance. */
export function folderOf(to: FileDestination): string {
  if (to.kind === "file") return dirname(to.path);
  const [beforeValues = ""] = to.template.split("{");
  return beforeValues === "" ? to.folder : dirname(within(to.folder, `${beforeValues}x`));
}

/** The extension of a result whose format is not known, unless the user typed one. */
export const unknownExtension = "bin";

/**
 * The path of one result whose format is not known, or is not of the requested kind. A named file keeps the extension
 * that the user typed, if any. A template keeps it too, or gets `values.ext` if it has none. A generated name always
 * gets `values.ext`.
 */
export function pathOfUnknown(to: FileDestination, values: NameValues, count = 1): string {
  if (to.kind === "file") {
    const path = count > 1 ? suffixed(to.path, values.index ?? 1) : to.path;
    return to.isGenerated ? `${path}.${values.ext}` : path;
  }
  const path = within(to.folder, fileName(to.template, values));
  return parse(to.template).ext === "" ? `${path}.${values.ext}` : path;
}

/**
 * The path of one result, with the extension that matches its bytes. `renamed` is true if the user typed a different
 * ending, and `replaced` if that ending was a media extension. Several results (`count`) for one named file are
 * numbered: `-1`, `-2` and so on before the extension.
 */
export function pathIn(to: FileDestination, values: NameValues, count = 1): ReturnType<typeof withExtension> {
  if (to.kind === "template") {
    return withExtension(within(to.folder, fileName(to.template, values)), values.ext);
  }
  const { path, ...how } = withExtension(to.path, values.ext);
  return { path: count > 1 ? suffixed(path, values.index ?? 1) : path, ...how };
}
