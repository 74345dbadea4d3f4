import { sanitize } from "../output/sanitize.ts";
import { exit } from "./exit.ts";
import type { ToldFailure } from "./failure.ts";
import { sentence } from "./sentence.ts";

/** A failure as the one JSON document on stderr that machine formats get. */
export const failureDocument = ({ answered: _, ...failure }: ToldFailure): string =>
  `${JSON.stringify({ error: failure })}\n`;

/** A failure in a few lines for people; text of the service is stripped of terminal control sequences. */
export function failureText(failure: ToldFailure): string {
  const { message, status, issues, hint, request, exitCode, answered } = failure;
  const said = answered === null ? status : `${status} ${answered}`;
  const where = request && status !== null ? ` (${request.method} ${request.url} answered ${said})` : "";
  const sent = request && status === null ? ` (${request.method} ${request.url})` : "";
  const lines = [
    `Error: ${exitCode === exit.unknown ? "the outcome is unknown: " : ""}${message}${where}${sent}`,
    ...issues.map((issue) => `  ${issueText(issue)}`),
    ...(hint ? [hint] : []),
  ];
  return `${lines.map((line) => sanitize(line)).join("\n")}\n`;
}

/** `{flag, message}` of ours, `{path, message}` of a service, or whatever else it holds. */
function issueText(issue: unknown): string {
  if (typeof issue === "string") return issue;
  if (typeof issue !== "object" || issue === null) return JSON.stringify(issue);
  const { flag, path, message } = issue as { flag?: unknown; path?: unknown; message?: unknown };
  if (typeof message !== "string") return JSON.stringify(issue);
  const place = typeof flag === "string" ? flag : Array.isArray(path) ? path.join(".") : path;
  return typeof place === "string" && place !== "" ? sentence({ flag: place, message }) : message;
}
