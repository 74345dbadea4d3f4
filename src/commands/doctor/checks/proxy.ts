import { type Examined, ok, remote } from "../finding.ts";

/** Which variable sends requests through a proxy, if one does. Its value may hold a password and is not shown. */
export const proxy = remote(async (examined, baseUrl) => {
  const { host, protocol } = new URL(baseUrl);
  const name = variableFor(protocol, examined);
  if ((await examined.proxyFor(baseUrl)) !== undefined) return ok(`${name} applies to ${host}`);
  return ok(name === undefined ? "none" : `none: ${host} is asked without the one of ${name}`);
});

/** The variable that is heeded, first wins, under the name that it has in the environment. */
function variableFor(protocol: string, { env }: Pick<Examined, "env">): string | undefined {
  const names = [`${protocol.replace(":", "")}_proxy`, "all_proxy"];
  return names.flatMap((name) => [name, name.toUpperCase()]).find((name) => env[name]);
}
