import { dirname } from "node:path";
import { type Check, failure, ok, warning } from "../finding.ts";

/** The configuration can be read, belongs to the user, and no one else has access. */
export const configuration: Check = async ({ configPath, configProblem, stat, userId, platform }) => {
  const problem = configProblem();
  if (problem !== undefined) return failure(problem, "Fix the file, or move it away.");
  const file = await stat(configPath);
  if (file === undefined) return ok(`${configPath} does not exist yet`);
  if (platform === "win32") return ok(configPath);
  if (userId !== undefined && file.owner !== userId) {
    return warning(
      `${configPath} belongs to another user`,
      `Change its owner: chown ${userId} '${configPath}'`,
    );
  }
  const folderPath = configPath.replace(/\/[^/]*$/, "");
  const folder = await stat(folderPath);
  const open = [
    { path: configPath, mode: file.mode, maxMode: 0o600 },
    { path: folderPath, mode: folder?.mode ?? 0o700, maxMode: 0o700 },
  ].filter(({ mode, maxMode }) => (mode & ~maxMode) !== 0);
  if (open.length === 0) return ok(`${configPath}, mode ${octal(file.mode)}`);
  const modes = open.map(({ path, mode }) => `${path} has mode ${octal(mode)}`).join(", ");
  return failure(
    `it may hold keys, and other users have access: ${modes}`,
    open.map(({ path, maxMode }) => `chmod ${octal(maxMode).slice(1)} '${path}'`).join("; "),
  );
};

const octal = (mode: number): string => `0${mode.toString(8)}`;

/** The state folder is writable, or can be created. */
export const stateFolder: Check = async ({ stateFolder: folder, stat }) => {
  let path = folder;
  let found = await stat(path);
  while (found === undefined && dirname(path) !== path) {
    path = dirname(path);
    found = await stat(path);
  }
  const advice = "Make it writable, or set GPUCTL_STATE_DIR to another folder.";
  if (!found?.isFolder) return failure(`${path} is not a folder`, advice);
  if (!found.writable) return failure(`${path} is not writable`, advice);
  return ok(path === folder ? folder : `${folder} will be created when needed`);
};

/** The sandbox has its optional packages, and can open its database. */
export const sandbox: Check = async ({ sandboxHealth, settings }) => {
  const { packages, file, exists, problem } = await sandboxHealth();
  if (problem !== undefined) {
    return failure(
      `${file}: ${problem}`,
      `Move ${file} away, and run \`gpuctl sandbox reset\` to start with a new one.`,
    );
  }
  const missing = packages.filter((one) => one.problem !== undefined);
  if (missing.length > 0) {
    const message = missing.map(({ name, use, problem: why }) => `no ${use}: ${why ?? name}`).join(" ");
    const advice = `npm install ${missing.map(({ name }) => name).join(" ")}`;
    return settings.sandbox ? failure(message, advice) : warning(message, advice);
  }
  return ok(exists ? file : `${file} will be created when needed`);
};
