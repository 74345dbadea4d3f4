import { type Check, ok, warning } from "../finding.ts";

export const terminal: Check = ({ terminal: { stdin, stdout, stderr, columns, color }, env, platform }) => {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  const streams = Object.entries({ stdin, stdout, stderr }).flatMap(([name, is]) => (is ? [name] : []));
  if (streams.length === 0) return ok("none: nothing is asked, coloured or animated");
  const told = [
    `${streams.join(", ")} on ${env.TERM || "a terminal without a name"}`,
    columns > 0 ? `${columns} columns` : "of unknown width",
    color ? "colours" : "no colours",
    locale || "no locale",
  ].join("; ");
  if (platform !== "win32" && !/utf-?8/i.test(locale)) {
    return warning(told, "Set LANG to a UTF-8 locale such as C.UTF-8, or names may be garbled.");
  }
  return ok(told);
};
