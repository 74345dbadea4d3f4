import type { OperationSetName } from "../../src/core/sandbox.ts";
import type { Sandbox as Opened } from "../../src/sandbox/index.ts";
import type { SeenRequest } from "./cli.ts";
import { descriptionPath, notFound } from "./described.ts";

/** A service that differs from the documented one. */
export interface NonstandardService {
  readonly name: string;
  readonly only?: OperationSetName;
  /** Returns the service's OpenAPI description, made from the sandbox's description. */
  readonly description?: (text: string) => Response | Promise<Response>;
  /** Flags that keep a test from waiting long for the service. */
  readonly timeoutFlags?: string;
  /** The maximum number of records per page, and how to convert one of the sandbox's pages. */
  readonly pages?: { readonly limit: number; readonly as?: (page: SandboxPage) => unknown };
}

interface SandboxPage {
  readonly items: readonly unknown[];
  readonly nextCursor: string | null;
}

const paged = /^\/v2\/on-demand\/rentals\/(active|history)$/;

/** The response of a nonstandard service, which uses the sandbox's state. */
export async function responseOf(
  { only = "documented", description, pages }: NonstandardService,
  sandbox: Pick<Opened, "withOperationSet">,
  seen: SeenRequest,
): Promise<Response> {
  const isPaged = pages && paged.test(seen.path);
  const query = { ...seen.query, ...(isPaged && { limit: String(pages.limit) }) };
  const response = await sandbox.withOperationSet(only).fetch(requestOf({ ...seen, query }));
  if (seen.path === descriptionPath && description) return description(await response.text());
  if (!isPaged || !pages.as || response.status !== 200) return response;
  return Response.json(pages.as(Object(await response.json())));
}

export function requestOf({ method, path, query, headers, body }: SeenRequest): Request {
  const url = new URL(path, "http://sandbox.test");
  url.search = new URLSearchParams(query).toString();
  return new Request(url, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The description without the schemas of pages. */
const withoutPages = (text: string) =>
  Response.json(
    JSON.parse(text, (key, value) => (/^(Active|Past)RentalPage$/.test(key) ? undefined : value)),
  );

const document = (text: string, paths: unknown) => Response.json({ ...JSON.parse(text), paths });

/** A response with this many megabytes, which are more than a client should read. */
function huge(megabytes: number): Response {
  const megabyte = new Uint8Array(1024 * 1024).fill(0x20);
  let left = megabytes;
  return new Response(
    new ReadableStream({
      pull: (stream) => {
        left -= 1;
        if (left < 0) stream.close();
        else stream.enqueue(megabyte);
      },
    }),
  );
}

const mapped = (text: string, to: (operation: object, path: string, method: string) => unknown) =>
  Object.fromEntries(
    Object.entries(Object(JSON.parse(text).paths)).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(Object(methods)).map(([method, one]) => [method, to(Object(one), path, method)]),
      ),
    ]),
  );

/** Services with an unusable description. */
export const undescribed: readonly NonstandardService[] = [
  { name: "responds with 404 for its description", description: notFound },
  { name: "responds with 500 for its description", description: () => new Response("", { status: 500 }) },
  {
    name: "never sends its description",
    description: () => new Promise(() => {}),
    timeoutFlags: "--timeout 400ms --retries 0",
  },
  { name: "has a description of 20 MB", description: () => huge(20) },
  {
    name: "has an HTML page instead of a description",
    description: () => new Response("<html>hello</html>"),
  },
  { name: "truncates its description", description: (text) => new Response(text.slice(0, text.length / 2)) },
  { name: "has a number for a description", description: () => Response.json(7) },
  { name: "has null for a description", description: () => Response.json(null) },
  { name: "has an empty description", description: () => Response.json({}) },
  { name: "has a list of paths", description: (text) => document(text, []) },
  { name: "has numbers for operations", description: (text) => document(text, { ...mapped(text, () => 7) }) },
  {
    name: "has nonsense in each operation",
    description: (text) =>
      document(
        text,
        mapped(text, () => ({
          operationId: 1,
          tags: "all",
          parameters: [null, 7, "cursor", { name: 1 }, { $ref: "#/nowhere" }],
          requestBody: { content: [] },
          responses: { 200: null, default: "?" },
          security: "none",
        })),
      ),
  },
  {
    name: "has nonsense in each schema",
    description: (text) =>
      Response.json(
        JSON.parse(text, (key, value) =>
          key === "schema" ? { type: 7, properties: "all", $ref: 3, enum: "x", oneOf: [null, 1] } : value,
        ),
      ),
  },
  { name: "lists nothing", description: (text) => document(text, {}) },
];

/** Services that offer the documented functions in different ways. */
export const differing: readonly NonstandardService[] = [
  { name: "serves the current user only at the deprecated path", only: "legacy" },
  {
    name: "has only the replacements of deprecated operations, two records a page",
    only: "replacements",
    pages: { limit: 2 },
  },
  {
    name: "has only the replacements of deprecated operations, two records a page, with other field names",
    only: "replacements",
    description: withoutPages,
    pages: {
      limit: 2,
      as: ({ items, nextCursor }) => ({ data: items, ...(nextCursor && { next_cursor: nextCursor }) }),
    },
  },
  {
    name: "has only the replacements of deprecated operations, without paging",
    only: "replacements",
    description: withoutPages,
    pages: { limit: 100, as: ({ items }) => items },
  },
];
