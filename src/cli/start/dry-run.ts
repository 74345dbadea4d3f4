import { type RequestParts, type Target, wireRequest } from "../../client/request.ts";
import type { Result } from "../../core/result.ts";
import { isMachineFormat, type OutputFormat } from "../../core/view.ts";

/** Thrown in a dry run when a request would be sent. Ends the command. */
export class DryRun extends Error {
  override readonly name = "DryRun";
}

/** A request as it would be sent, with the key masked. */
export interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The request that would be sent. Works without a key. */
export function shownRequest(parts: RequestParts, target: Target, accept?: string): ShownRequest {
  const withAnyKey = { ...target, apiKey: target.apiKey ?? "none" };
  const { method, url, headers, body } = wireRequest(parts, withAnyKey, accept);
  const masked = headers.Authorization ? { ...headers, Authorization: "Bearer ****" } : headers;
  return { method, url, headers: masked, body: body === undefined ? null : JSON.parse(body) };
}

/** What a dry run prints instead of the command's result. */
export const dryRunResult = (requests: readonly ShownRequest[], output: OutputFormat): Result =>
  isMachineFormat(output)
    ? { data: dryRunDocument(requests), view: { kind: "document" } }
    : { text: [requests.map(requestText).join("\n")], view: { kind: "lines", path: "" } };

const dryRunDocument = (requests: readonly ShownRequest[]): object =>
  requests.length === 1 ? { dry_run: true, request: requests[0] } : { dry_run: true, requests };

const requestText = ({ method, url, headers, body }: ShownRequest): string =>
  [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ["", JSON.stringify(body, null, 2)]),
    "",
  ].join("\n");
