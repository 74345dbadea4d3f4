import { type Check, failure, ok, warning } from "../finding.ts";

/** The optional packages of the sandbox are there, and its state is whole. */
export const sandbox: Check = async ({ sandboxHealth, settings }) => {
  const { packages, file, exists, problem } = await sandboxHealth();
  if (problem !== undefined) {
    return failure(`${file}: ${problem}`, `Move ${file} away, and \`gpuctl sandbox reset\` begins anew.`);
  }
  const missing = packages.filter((one) => one.problem !== undefined);
  if (missing.length > 0) {
    const told = missing.map(({ name, use, problem: why }) => `no ${use}: ${why ?? name}`).join(" ");
    const advice = `npm install ${missing.map(({ name }) => name).join(" ")}`;
    return settings.sandbox ? failure(told, advice) : warning(told, advice);
  }
  return ok(exists ? file : `${file} will be made when it is needed`);
};
