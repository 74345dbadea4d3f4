import { type Check, failure, ok, warning } from "../finding.ts";

const octal = (mode: number): string => `0${mode.toString(8)}`;

/** The configuration can be read, belongs to the user, and is for nobody else. */
export const config: Check = async ({ configPath, configProblem, stat, userId, platform }) => {
  const problem = configProblem();
  if (problem !== undefined) return failure(problem, "Mend it or move it away.");
  const file = await stat(configPath);
  if (file === undefined) return ok(`${configPath} is not there yet`);
  if (platform === "win32") return ok(configPath);
  if (userId !== undefined && file.owner !== userId) {
    return warning(`${configPath} belongs to another user`, `Take it over: chown ${userId} '${configPath}'`);
  }
  const folderPath = configPath.replace(/\/[^/]*$/, "");
  const folder = await stat(folderPath);
  const open = [
    { path: configPath, mode: file.mode, most: 0o600 },
    { path: folderPath, mode: folder?.mode ?? 0o700, most: 0o700 },
  ].filter(({ mode, most }) => (mode & ~most) !== 0);
  const [first] = open;
  if (first === undefined) return ok(`${configPath}, mode ${octal(file.mode)}`);
  return failure(
    `it may hold keys, and others may get at it: ${open.map(({ path, mode }) => `${path} has mode ${octal(mode)}`).join(", ")}`,
    open.map(({ path, most }) => `chmod ${octal(most).slice(1)} '${path}'`).join("; "),
  );
};
