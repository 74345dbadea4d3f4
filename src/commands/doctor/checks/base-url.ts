import { type Check, failure, ok } from "../finding.ts";

export const baseUrl: Check = ({ settings }) => {
  const { sandbox, baseUrl: base, inferenceBaseUrl } = settings;
  if (sandbox) return ok("the sandbox");
  if (base === undefined) {
    return failure(
      "no service to talk to: no base URL is set",
      "`gpuctl setup` asks for one; --sandbox needs neither account nor host.",
    );
  }
  const other = inferenceBaseUrl === undefined ? "" : `, inference at ${shown(inferenceBaseUrl)}`;
  return ok(`${shown(base)}${other}`);
};

/** Without a user and a password, which some write into a URL. */
function shown(text: string): string {
  const url = new URL(text);
  url.username = "";
  url.password = "";
  return url.href;
}
