import { createHash, scryptSync } from "node:crypto";
import { stat } from "node:fs/promises";
import { posix, relative, sep } from "node:path";
import { defaultWaitTimeout } from "../../../client/rentals/waiting.ts";
import type { Attendance, Context, Ports } from "../../../command-kit/context.ts";
import { type FlagValues, flag } from "../../../command-kit/flag.ts";
import { leaseFileFlag } from "../../../command-kit/rentals/lease-file.ts";
import { Unavailable, UsageError } from "../../../core/errors.ts";
import { isOwnVariable } from "../../../core/urls.ts";
import { assertLease, duration } from "../../../core/values/durations.ts";
import { decimalText } from "../../../core/values/money.ts";
import { placeOf } from "../../../jobs/copy.ts";
import type { JobPlan } from "../../../jobs/journal.ts";

export const runFlags = {
  sync: flag.text("Folder to copy to the working folder of the command", { value: "DIR" }),
  fetch: flag.texts(
    "Path to copy back to the current folder afterwards, even if the command fails; absolute, or relative to the working folder of the command",
    { value: "PATH" },
  ),
  env: flag.texts("Environment variable for the command; NAME alone passes on its local value", {
    value: "NAME[=VALUE]",
  }),
  maxBurn: flag.dollars(
    "Do not rent if the active rentals and the new one would cost more than this, in dollars an hour",
  ),
  maxCost: flag.dollars("Stop the command when the rental has cost about this much, in dollars", {
    // `budget.maxCost` limits what one command generates, not what a rental costs.
    ignoresConfig: true,
    conflictsWith: ["detach"],
  }),
  timeLimit: flag.duration("Stop the command this long after the rental was requested", {
    conflictsWith: ["detach"],
  }),
  waitTimeout: flag.duration("Maximum time to wait until the rental can be reached", {
    default: duration(defaultWaitTimeout),
  }),
  lease: flag.age(
    "Give the rental a lease of this length; `gpuctl rentals guard` ends the rental when the lease is over",
  ),
  ...leaseFileFlag,
  keep: flag.boolean("Do not end the rental"),
  detach: flag.boolean("Start the command and leave it running; requires --lease or --keep"),
};

type Flags = FlagValues<typeof runFlags>;

/** Throws `UsageError` for values that cannot work, before anything is sent. */
export function checkRunFlags(
  { detach, keep, lease, maxCost, timeLimit }: Flags,
  [program = "", ...more]: readonly string[],
): void {
  if (lease !== undefined) assertLease(lease, "--lease");
  if (timeLimit === 0) throw new UsageError("--time-limit must be greater than 0");
  if (maxCost === 0n) throw new UsageError("--max-cost must be greater than 0");
  if (detach && !keep && lease === undefined) {
    throw new UsageError("--detach requires --lease or --keep", {
      hint: "No one waits for the command, so `gpuctl rentals guard` has to know when to end the rental. Nothing was sent.",
    });
  }
  if (more.length === 0 && /\s/.test(program)) {
    throw new UsageError(`COMMAND is one word with spaces: ${JSON.stringify(program)}`, {
      hint: "Remove the quotes around the whole command, or use a shell: -- sh -c 'COMMAND'. Nothing was sent.",
    });
  }
}

/**
 * Warns of a path that looks like a pattern. --fetch does not support patterns, so it is probably a mistake, but a file
 * may really have this name.
 */
export function warnOfPatterns({ fetch }: Pick<JobPlan, "fetch">, { say }: Pick<Context, "say">): void {
  for (const path of fetch.filter((one) => /[*?]/.test(one))) {
    say(
      `Warning: --fetch ${path} is used as the name of one file or folder, because --fetch does not expand * and ?.`,
    );
  }
}

/** The plan of a job. Throws `UsageError` for a path that cannot be used. */
export async function planOf(
  { sync, fetch, env, keep, detach, waitTimeout, timeLimit, maxCost }: Flags,
  command: readonly string[],
  { files }: Pick<Context, "files">,
): Promise<JobPlan> {
  const folder = sync === undefined ? undefined : files.resolve(sync);
  if (folder !== undefined) await assertFolder(folder, sync ?? "");
  const into = files.resolve(".");
  const fetched = fetch.map(fetchPath);
  assertApart(fetched, into);
  return {
    command,
    ...(folder !== undefined && { sync: folder }),
    fetch: fetched,
    into,
    variables: env.map(nameOf),
    keep,
    detached: detach,
    waitTimeout,
    ...(timeLimit !== undefined && { timeLimit }),
    ...(maxCost !== undefined && { maxCost: decimalText(maxCost) }),
  };
}

async function assertFolder(folder: string, typed: string): Promise<void> {
  if (typed === "") throw new UsageError("--sync must not be empty", { hint: "Nothing was sent." });
  const facts = await stat(folder).catch(() => undefined);
  if (facts?.isDirectory()) return;
  throw new UsageError(`--sync ${typed}: ${facts ? "it is not a folder" : "no such folder"}`, {
    hint: "Nothing was sent.",
  });
}

/**
 * Normalizes a path on the rental. Throws `UsageError` for an empty path, for `/`, and for a relative path that starts
 * with `~` or leads out of the working folder.
 */
function fetchPath(typed: string): string {
  const path = posix.normalize(typed).replace(/(?<=.)\/+$/, "");
  if (typed === "" || path === "/" || path === ".." || path.startsWith("../") || path.startsWith("~")) {
    throw new UsageError(
      `--fetch ${JSON.stringify(typed)} is neither a path inside the command's working folder on the rental nor a path below /`,
    );
  }
  return path;
}

/**
 * Throws `UsageError` if files of two paths could have the same local path, because the later file would replace the
 * earlier one. Files of the working folder keep their relative paths, so two of them can collide only on a disk that
 * ignores case or Unicode forms, as most disks of macOS and Windows do.
 */
function assertApart(paths: readonly string[], into: string): void {
  const folderOf = (path: string) => (path.startsWith("/") ? posix.dirname(path) : "");
  for (const [index, path] of paths.entries()) {
    for (const earlier of paths.slice(0, index)) {
      const places = [placeOf(earlier, into), placeOf(path, into)];
      if (outerOf(places.map((place) => place.normalize("NFC").toLowerCase())) === undefined) continue;
      const outer = outerOf(places);
      if (outer !== undefined && folderOf(path) === folderOf(earlier)) continue;
      const both = `--fetch ${earlier} and --fetch ${path}`;
      throw new UsageError(
        outer === undefined
          ? `${both} would be copied to the same place on a disk that ignores case or Unicode forms`
          : `${both} would both be copied to ${relative(into, outer) || "the current folder"}`,
        {
          hint: "Files of one could replace files of the other. Let the command copy them to its working folder under different names. Nothing was sent.",
        },
      );
    }
  }
}

/**
 * Of two local paths, the one that contains the other, or either if they are the same. Undefined if neither contains
 * the other.
 */
function outerOf(places: readonly string[]): string | undefined {
  const [outer = "", inner = ""] = places.toSorted((one, other) => one.length - other.length);
  return relative(outer, inner).split(sep).includes("..") ? undefined : outer;
}

export const nameOf = (variable: string): string => variable.split("=", 1)[0] ?? "";

/** The environment variables of the command. Throws `UsageError` if one is invalid or is not set on this machine. */
export function variablesOf(
  { env }: Pick<Flags, "env">,
  { variable }: Pick<Attendance, "variable">,
): Readonly<Record<string, string>> {
  const entries = env.map((typed): [string, string] => {
    const name = nameOf(typed);
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      throw new UsageError(
        `--env must be NAME=VALUE or NAME, and ${JSON.stringify(name)} is not a valid name: use letters, digits and _, and do not start with a digit`,
      );
    }
    const value = typed === name ? variable(name) : typed.slice(name.length + 1);
    if (value === undefined) {
      const reason = isOwnVariable(name)
        ? "variables of gpuctl are not passed on"
        : "this variable is not set here";
      throw new UsageError(`--env ${name}: ${reason}`);
    }
    if (value.includes("\0")) throw new UsageError(`--env ${name} must not contain a NUL character`);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

/** Throws `Unavailable` if ssh is not installed. If there are files to copy, rsync or scp must be installed, too. */
export async function assertPrograms(
  { programs }: Pick<Ports, "programs">,
  { sync, fetch }: Pick<JobPlan, "sync" | "fetch">,
): Promise<void> {
  const hint = "Install OpenSSH, and rsync for faster copies. Nothing was sent.";
  if ((await programs.which("ssh")) === undefined) throw new Unavailable("ssh is not installed", hint);
  if (sync === undefined && fetch.length === 0) return;
  const found = await Promise.all([programs.which("rsync"), programs.which("scp")]);
  if (found.every((path) => path === undefined))
    throw new Unavailable("neither rsync nor scp is installed", hint);
}

/**
 * A hash of the values of `--env NAME=VALUE`; undefined if there are none. The values may be secrets, so the hash is
 * slow to compute, and salted with the ID of the job.
 */
export function hashOfValues(env: readonly string[], jobId: string): string | undefined {
  // The last value of a variable applies, and the order of different variables does not matter.
  const last = new Map(env.map((variable) => [nameOf(variable), variable]));
  const given = [...last.values()].filter((variable) => variable.includes("=")).sort();
  return given.length === 0 ? undefined : scryptSync(JSON.stringify(given), jobId, 32).toString("hex");
}

/** A hash that is equal for equal command lines. Callers leave out the values of `--env`: see `hashOfValues`. */
export const lineOf = (...parts: readonly unknown[]): string =>
  createHash("sha256")
    .update(JSON.stringify(parts, (_, value) => (typeof value === "bigint" ? String(value) : value)))
    .digest("hex");
