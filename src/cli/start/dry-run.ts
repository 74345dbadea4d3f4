import {
  type RequestParts,
  rawRequest,
  type Target,
  type WireRequest,
  wireRequest,
} from "../../client/request.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { OperationId } from "../../contract/index.ts";
import type { Result } from "../../core/result.ts";
import { isMachineFormat, type OutputFormat } from "../../core/view.ts";

/** Ends a command in a dry run. */
export class DryRun extends Error {
  override readonly name = "DryRun";
}

/** A request as it would be sent, without the key. */
export interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The request of an operation, with the key masked. A dry run works without a key. */
export const shownRequest = (id: OperationId, input: object, target: Target): ShownRequest =>
  shown(wireRequest(routes[id], { ...input }, withAnyKey(target)));

/** The same for a request given as plain values. */
export const shownParts = (parts: RequestParts, target: Target, accept?: string): ShownRequest =>
  shown(rawRequest(parts, withAnyKey(target), accept));

const withAnyKey = (target: Target): Target => ({ ...target, apiKey: target.apiKey ?? "none" });

function shown({ method, url, headers, body }: WireRequest): ShownRequest {
  const hidden = headers.Authorization ? { ...headers, Authorization: "Bearer ****" } : headers;
  return { method, url, headers: hidden, body: body === undefined ? null : JSON.parse(body) };
}

/** What a dry run prints instead of the command's result. */
export const dryRunResult = (requests: readonly ShownRequest[], output: OutputFormat): Result =>
  isMachineFormat(output)
    ? { data: dryRunDocument(requests), view: { kind: "document" } }
    : { text: [requests.map(requestText).join("\n")] };

const dryRunDocument = (requests: readonly ShownRequest[]): object =>
  requests.length === 1 ? { dry_run: true, request: requests[0] } : { dry_run: true, requests };

const requestText = ({ method, url, headers, body }: ShownRequest): string =>
  [
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : ["", JSON.stringify(body, null, 2)]),
    "",
  ].join("\n");
