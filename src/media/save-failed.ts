const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is too large for the file system",
  EACCES: "not permitted",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  EISDIR: "is a folder",
  ENOENT: "no such folder",
  ENOTDIR: "is not a folder, or lies below a file",
  ENAMETOOLONG: "the name is too long",
  EINVAL: "the file system does not take this name",
  ELOOP: "the symbolic links go round in a circle",
  EMFILE: "too many files are open",
  EIO: "the disk failed",
  ERR_INVALID_ARG_VALUE: "the name holds a NUL character",
};

/** The error code of Node.js behind a failed call, such as `EEXIST`; empty where there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** A file could not be written, or would not be: nothing of it was left behind. */
export class SaveFailed extends Error {
  override readonly name = "SaveFailed";
  /** The file or folder at fault. */
  readonly path: string;
  /** What is wrong with it, in words for a user. */
  readonly reason: string;

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`cannot save ${path}: ${reason}`, options);
    this.path = path;
    this.reason = reason;
  }
}

/** The failure of a call on `path` as a {@link SaveFailed}; one that already is stays as it is. */
export function saveFailed(path: string, error: unknown): SaveFailed {
  if (error instanceof SaveFailed) return error;
  const reason = REASONS[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
  return new SaveFailed(path, reason, { cause: error });
}
