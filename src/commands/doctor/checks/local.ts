import { dirname } from "node:path";
import { completionPlace, loadsCompletions } from "../../../command-kit/completion-places.ts";
import { localeOf, usesAscii } from "../../../core/locale.ts";
import { shellOf } from "../../../core/runtime/shells.ts";
import { stateHint } from "../../../core/sandbox.ts";
import { installPlayer, players } from "../../../media/sound/players.ts";
import { type Check, failure, ok, warning } from "../finding.ts";

export const node: Check = ({ nodeVersion, neededNode }) =>
  new Intl.Collator("en", { numeric: true }).compare(nodeVersion, neededNode.replace(">=", "")) >= 0
    ? ok(`Node.js ${nodeVersion}`)
    : failure(`Node.js ${nodeVersion} is too old`, `Install Node.js ${neededNode}.`);

/** Checks that the configuration can be used, and that other users have no access to it. */
export const configuration: Check = async ({ configPath, configProblem, stat, platform }) => {
  const problem = configProblem();
  if (problem !== undefined) return failure(problem.message, problem.hint);
  const file = await stat(configPath);
  if (file === undefined) return ok(`${configPath} does not exist yet`);
  if (platform === "win32") return ok(configPath);
  const folderPath = dirname(configPath);
  const folder = await stat(folderPath);
  const open = [
    { path: configPath, mode: file.mode, maxMode: 0o600 },
    { path: folderPath, mode: folder?.mode ?? 0o700, maxMode: 0o700 },
  ].filter(({ mode, maxMode }) => (mode & ~maxMode) !== 0);
  if (open.length === 0) return ok(`${configPath}, mode ${octal(file.mode)}`);
  const modes = open.map(({ path, mode }) => `${path} has mode ${octal(mode)}`).join(", ");
  return failure(
    `permissions are too open where keys may be stored: ${modes}`,
    open.map(({ path, maxMode }) => `chmod ${octal(maxMode).slice(1)} '${path}'`).join("; "),
  );
};

const octal = (mode: number): string => `0${mode.toString(8)}`;

/** Checks that the state folder is writable, or can be created, and that its disk is not full. */
export const stateFolder: Check = async ({ stateFolder: folder, stat, freeBytes }) => {
  let path = folder;
  let found = await stat(path);
  while (found === undefined && dirname(path) !== path) {
    path = dirname(path);
    found = await stat(path);
  }
  const otherFolder = "set GPUCTL_STATE_DIR to another folder";
  if (!found?.isFolder)
    return failure(`${path} is not a folder`, `Replace it with a folder, or ${otherFolder}.`);
  if (!found.writable) return failure(`${path} is not writable`, `Make it writable, or ${otherFolder}.`);
  const free = freeBytes(path) ?? Number.POSITIVE_INFINITY;
  if (free < minFreeBytes) {
    const message = `only ${Math.floor(free / 1024)} KiB are free on the disk of ${path}`;
    const finding = free < 2 ** 20 ? failure : warning;
    return finding(message, `Free some disk space, or ${otherFolder}.`);
  }
  return ok(path === folder ? folder : `${folder} will be created when needed`);
};

/** Less than this is too little for a large picture and the state of the sandbox. */
const minFreeBytes = 16 * 2 ** 20;

/** Checks that the sandbox has its optional packages, and can open its database. */
export const sandbox: Check = async ({ sandboxHealth, settings }) => {
  const { packages, file, exists, problem, kind = "unavailable" } = await sandboxHealth();
  if (problem !== undefined) return failure(`${file}: ${problem}`, stateHint(kind));
  const missing = packages.filter((one) => one.problem !== undefined);
  if (missing.length > 0) {
    const message = missing.map(({ name, use, problem: why }) => `${name} (for ${use}) ${why}`).join("; ");
    const advice = `npm install ${missing.map(({ name }) => name).join(" ")}`;
    return settings.sandbox ? failure(message, advice) : warning(message, advice);
  }
  return ok(exists ? file : `${file} will be created when needed`);
};

export const terminal: Check = ({ terminal: { stdin, stdout, stderr, columns, color }, env, platform }) => {
  const streams = Object.entries({ stdin, stdout, stderr }).flatMap(([name, isTerminal]) =>
    isTerminal ? [name] : [],
  );
  if (streams.length === 0) return ok("not a terminal: no prompts or animations");
  const facts = [
    `${streams.join(", ")} on ${env.TERM || "a terminal without TERM"}`,
    columns > 0 ? `${columns} columns` : "unknown width",
    color ? "colors" : "no colors",
    localeOf(env) || "no locale",
  ].join("; ");
  if (platform !== "win32" && (localeOf(env) === "" || usesAscii(env))) {
    return warning(facts, "Set LANG to a UTF-8 locale such as C.UTF-8, or names may be garbled.");
  }
  return ok(facts);
};

/** Makes a check that at least one of the programs is installed. */
const installed =
  (programs: readonly string[], advice: string): Check =>
  async ({ which }) => {
    const found = (await Promise.all(programs.map(which))).find((path) => path !== undefined);
    return found ? ok(found) : warning("not found", advice);
  };

export const player = installed(
  players.map(({ program }) => program),
  installPlayer,
);
export const ssh = installed(["ssh"], "Install OpenSSH for `gpuctl rentals ssh`.");

/**
 * Starts the user's shell to see whether it completes gpuctl. Compares the installed script with the script of this
 * version.
 */
export const completions: Check = async (input) => {
  const shell = shellOf(input.env.SHELL);
  if (shell === undefined) return ok("skipped: unknown shell");
  const [{ path, startupFile, lines }, isLoaded, wanted] = await Promise.all([
    completionPlace(shell, input),
    loadsCompletions(shell, input),
    input.completionScript(shell),
  ]);
  const text = await input.readText(path);
  if (text !== undefined && text !== wanted) {
    return warning(`${path} is from another version`, `gpuctl completion ${shell} > '${path}'`);
  }
  if (isLoaded) return ok(`${shell} loads the completions`);
  if (text === undefined)
    return warning(`not installed for ${shell}`, "Run `gpuctl setup`, or see `gpuctl completion --help`.");
  return isLoaded === undefined
    ? warning(
        `cannot tell whether ${shell} loads ${path}: ${shell} did not start in time`,
        `Start ${shell}, and press Tab after \`gpuctl \`.`,
      )
    : warning(`${shell} does not load ${path}`, `Add to ${startupFile}: ${lines.join("; ")}`);
};
