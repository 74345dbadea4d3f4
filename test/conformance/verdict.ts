import * as z from "zod";
import { faultHeader } from "../../src/core/sandbox.ts";
import { routing } from "../support/conformance.ts";
import type { Exchange, Finding, Report } from "./proxy.ts";

/** A description, as far as the verdict reads it itself. */
export const described = z.looseObject({
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

export type Description = z.output<typeof described>;

/** What each environment describes, by its name; the one without a name is the whole. */
export type Descriptions = Readonly<Record<string, Description>>;

/** All that any of them describes. What two of them describe they describe alike. */
export function together(descriptions: Descriptions): Description {
  const all = Object.values(descriptions);
  const paths: Record<string, Description["paths"][string]> = {};
  for (const [path, methods] of all.flatMap((one) => Object.entries(one.paths))) {
    paths[path] = { ...paths[path], ...methods };
  }
  const schemas = Object.fromEntries(all.flatMap(({ components }) => Object.entries(components.schemas)));
  return { ...all[0], components: { ...all[0]?.components, schemas }, paths };
}

export interface Verdict {
  /** Exchanges that were looked at, and the ones in which the description and what happened differ. */
  readonly checked: number;
  readonly mismatched: number;
  /** What is wrong, each reported once, with the number of times. */
  readonly mismatches: readonly string[];
  /** Operations without a response in any exchange. */
  readonly unseen: readonly string[];
}

/**
 * Whether what was sent and answered is what the description says. Two things are as they should be: a request that is
 * wrong and was refused, and an answer that a fault spoilt, which says so itself.
 * @throws when the proxy's findings are not of the exchanges that it kept
 */
export function verdictOn({ exchanges, findings }: Report, descriptions: Descriptions): Verdict {
  const finders = new Map(Object.entries(descriptions).map(([name, one]) => [name, finder(one)]));
  const operationOf: Finder = (one) => finders.get(environmentOf(one))?.(one);
  const wrong = new Map<number, string[]>(exchanges.map((one, at) => [at, ownFindings(one, operationOf)]));
  for (const finding of findings) {
    const about = exchanges[finding.exchange];
    if (about === undefined || !isOf(finding, about)) throw new Error(`no such exchange: ${finding.message}`);
    if (finding.target === "response" || !isRefused(about))
      wrong.get(finding.exchange)?.push(finding.message);
  }
  const expected = exchanges.flatMap((one, at) =>
    spoilt(one) ? [] : (wrong.get(at) ?? []).map((message) => ({ at, text: `${titleOf(one)}: ${message}` })),
  );
  const seen = new Set(
    exchanges
      .filter((one) => one.response.status === 200 && !spoilt(one))
      .map((one) => operationOf(one)?.operationId),
  );
  return {
    checked: exchanges.length,
    mismatched: new Set(expected.map(({ at }) => at)).size,
    mismatches: counted(expected.map(({ text }) => text)),
    unseen: operations(together(descriptions)).flatMap(({ operation }) =>
      seen.has(operation.operationId) ? [] : [operation.operationId],
    ),
  };
}

/** The proxy looks at bodies, and at none of these: the status, the type and the headers of a response. */
function ownFindings(one: Exchange, operationOf: Finder): string[] {
  const { status, headers } = one.response;
  const operation = operationOf(one);
  if (operation === undefined) return status === 404 ? [] : [`status ${status} of what is not described`];
  const response = operation.responses[status];
  if (response === undefined) return [`status ${status} is not described`];
  const type = header(one, "content-type")?.split(";")[0]?.trim();
  const types = Object.keys(response.content ?? {});
  const names = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
  return [
    ...((type === undefined ? types.length > 0 : !types.includes(type))
      ? [`an answer of type ${type} is not described`]
      : []),
    ...headers
      .filter(({ name }) => !names.has(name.toLowerCase()) && !needsNoWord.test(name))
      .map(({ name }) => `header ${name} is not described`),
  ];
}

/** Headers of HTTP itself, those that let pages read a response, and the mark of every response of a sandbox. */
const needsNoWord =
  /^(access-control-.*|cache-control|connection|content-.*|date|keep-alive|transfer-encoding|vary|x-gpuctl-sandbox)$/i;

const refusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 413]);
const isRefused = ({ response }: Exchange): boolean => refusals.has(response.status);

const environmentOf = ({ request }: Exchange): string =>
  request.headers.find(({ name }) => name.toLowerCase() === routing.environment)?.value ?? "";

const header = ({ response }: Exchange, wanted: string): string | undefined =>
  response.headers.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())?.value;

const spoilt = (one: Exchange): boolean => header(one, faultHeader) !== undefined;

const isOf = ({ method, path, status }: Finding, { request, response }: Exchange): boolean =>
  method === request.method && path === new URL(request.url).pathname && status === response.status;

const titleOf = ({ request, response }: Exchange): string =>
  `${request.method} ${new URL(request.url).pathname} ${response.status}`;

const operations = ({ paths }: Description) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

/** Finds the operation that an exchange was about. */
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
