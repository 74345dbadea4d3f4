import * as z from "zod";
import { faultHeader, replyHeader } from "../../src/core/sandbox.ts";
import { routing } from "../support/conformance.ts";
import type { Exchange, Finding, Report } from "./proxy.ts";

/** The parts of a description that the verdict reads. */
export const descriptionSchema = z.looseObject({
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        responses: z.record(
          z.string(),
          z.looseObject({
            headers: z.record(z.string(), z.unknown()).optional(),
            content: z.record(z.string(), z.unknown()).optional(),
          }),
        ),
      }),
    ),
  ),
});

export type Description = z.output<typeof descriptionSchema>;

/** The description of each operation set, by the name of the set; "" is the sandbox's default. */
export type Descriptions = Readonly<Record<string, Description>>;

/** One description with all paths and schemas. Descriptions with the same operation or schema must agree on it. */
export function mergeDescriptions(descriptions: Descriptions): Description {
  const all = Object.values(descriptions);
  const paths: Record<string, Description["paths"][string]> = {};
  for (const [path, methods] of all.flatMap((one) => Object.entries(one.paths))) {
    paths[path] = { ...paths[path], ...methods };
  }
  const schemas = Object.fromEntries(all.flatMap(({ components }) => Object.entries(components.schemas)));
  return { ...all[0], components: { ...all[0]?.components, schemas }, paths };
}

export interface Verdict {
  /** The number of exchanges. */
  readonly checked: number;
  /** The number of exchanges that do not match the description. */
  readonly mismatched: number;
  /** Each mismatch once, with a count if it occurred several times. */
  readonly mismatches: readonly string[];
  /** The IDs of the operations for which no exchange has a 200 response that is unaltered. */
  readonly unseen: readonly string[];
}

/**
 * Compares the recorded exchanges with the description. These deviations are expected: an invalid request that the
 * sandbox rejected, a response that a fault altered, a reply from a chat script, and the 429 of a rate limit.
 * @throws when a finding does not belong to a recorded exchange
 */
export function verdictOn({ exchanges, findings }: Report, descriptions: Descriptions): Verdict {
  const finders = new Map(Object.entries(descriptions).map(([name, one]) => [name, finder(one)]));
  const operationOf: Finder = (one) => finders.get(operationSetOf(one))?.(one);
  const wrong = new Map<number, string[]>(exchanges.map((one, at) => [at, ownFindings(one, operationOf)]));
  for (const finding of findings) {
    const about = exchanges[finding.exchange];
    if (about === undefined || !matches(finding, about))
      throw new Error(`no such exchange: ${finding.message}`);
    if (finding.target === "response" || !isRejected(about))
      wrong.get(finding.exchange)?.push(finding.message);
  }
  const expected = exchanges.flatMap((one, at) =>
    isAltered(one)
      ? []
      : (wrong.get(at) ?? []).map((message) => ({ at, text: `${titleOf(one)}: ${message}` })),
  );
  const seen = new Set(
    exchanges
      .filter((one) => one.response.status === 200 && !isAltered(one))
      .map((one) => operationOf(one)?.operationId),
  );
  return {
    checked: exchanges.length,
    mismatched: new Set(expected.map(({ at }) => at)).size,
    mismatches: counted(expected.map(({ text }) => text)),
    unseen: operations(mergeDescriptions(descriptions)).flatMap(({ operation }) =>
      seen.has(operation.operationId) ? [] : [operation.operationId],
    ),
  };
}

/** Mismatches that the proxy does not find: in the status, content type or headers of a response. */
function ownFindings(one: Exchange, operationOf: Finder): string[] {
  const { status, headers } = one.response;
  const operation = operationOf(one);
  if (operation === undefined)
    return status === 404 ? [] : [`status ${status} from an undescribed operation`];
  const response = operation.responses[status];
  if (response === undefined) return [`status ${status} is not described`];
  const type = header(one, "content-type")?.split(";")[0]?.trim();
  const types = Object.keys(response.content ?? {});
  const names = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
  return [
    ...((type === undefined ? types.length > 0 : !types.includes(type))
      ? [`content type ${type} is not described`]
      : []),
    ...headers
      .filter(({ name }) => !names.has(name.toLowerCase()) && !undescribedHeaders.test(name))
      .map(({ name }) => `header ${name} is not described`),
  ];
}

/** Headers that need no description: those of HTTP and CORS, and the header that every sandbox response has. */
const undescribedHeaders =
  /^(access-control-.*|cache-control|connection|content-.*|date|keep-alive|transfer-encoding|vary|x-gpuctl-sandbox)$/i;

const rejections: ReadonlySet<number> = new Set([400, 401, 403, 404, 413]);
const isRejected = ({ response }: Exchange): boolean => rejections.has(response.status);

const operationSetOf = ({ request }: Exchange): string =>
  request.headers.find(({ name }) => name.toLowerCase() === routing.operationSet)?.value ?? "";

const header = ({ response }: Exchange, wanted: string): string | undefined =>
  response.headers.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())?.value;

/** Whether a fault, the chat script or a rate limit shaped the response, so that it need not match the description. */
const isAltered = (one: Exchange): boolean =>
  (one.response.status === 429 && header(one, "retry-after") !== undefined) ||
  [faultHeader, replyHeader].some((name) => header(one, name) !== undefined);

const matches = ({ method, path, status }: Finding, { request, response }: Exchange): boolean =>
  method === request.method && path === new URL(request.url).pathname && status === response.status;

const titleOf = ({ request, response }: Exchange): string =>
  `${request.method} ${new URL(request.url).pathname} ${response.status}`;

const operations = ({ paths }: Description) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

/** Finds the operation that an exchange calls. */
type Finder = (one: Exchange) => Description["paths"][string][string] | undefined;

function finder(description: Description): Finder {
  const known = operations(description).map(({ path, ...about }) => ({ ...about, pattern: patternOf(path) }));
  return ({ request }) =>
    known.find(
      ({ method, pattern }) => method === request.method && pattern.test(new URL(request.url).pathname),
    )?.operation;
}

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .split("/")
      .map((part) => (part.startsWith("{") ? "[^/]+" : part.replaceAll(".", "\\.")))
      .join("/")}$`,
  );

function counted(texts: readonly string[]): readonly string[] {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  return [...times].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
}
