import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { noDescription } from "../../command-kit/responses.ts";
import { EmptyResult, UsageError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import type { Description } from "../../openapi/document.ts";
import { pages, pagingOf } from "../../openapi/paging.ts";
import { checkRequest } from "./check.ts";
import { findOperation, isPlaced, type Named, namedBy, operationArgs } from "./find.ts";
import { printed, shown } from "./print.ts";
import { destroys, type Request, requestOf } from "./request.ts";
import { typedFields } from "./typed-fields.ts";

export default defineCommand({
  path: "api call",
  summary: "Call any operation of the service",
  details:
    "Fields fill path, query and headers by name; the rest becomes the body. The request is checked against the description first. The response is printed as JSON unless --output says otherwise. null is a valid response: getRental returns it for a rental that does not exist.",
  args: operationArgs,
  flags: {
    rawField: flag.texts("A field as text; a[b]=1, a[]=1 and a[][b]=1 fill objects and lists", {
      short: "f",
      value: "KEY=VALUE",
    }),
    field: flag.texts(
      "A field that may be a number, true, false or null; @FILE reads a file, - reads stdin",
      { short: "F", value: "KEY=VALUE" },
    ),
    input: flag.text("The whole body, as JSON; - is stdin", { value: "FILE" }),
    include: flag.boolean("Print the status and the headers of the response first", {
      short: "i",
      conflictsWith: ["paginate"],
    }),
    paginate: flag.boolean("Follow the pages of a listing and print one array"),
  },
  effect: "destroy",
  view: { kind: "record", id: ["id"] },
  examples: [
    {
      text: "Call an operation by its id",
      command: "gpuctl api call getRental -f rentalId=1001 --sandbox",
    },
    {
      text: "Send a body to a method and path",
      command:
        "gpuctl api call POST /v2/on-demand/storage-volumes -f region=us-central-1 -f label=data -F sizeInGb=512 --sandbox",
    },
    {
      text: "List all billed usage, from all pages, as a table",
      command: "gpuctl api call listUsage --paginate -o table --sandbox",
    },
  ],
  buildInput: async ({ args, flags, ...context }) => {
    const { files, settings, say } = context;
    const named = namedBy(args);
    const fields = await typedFields(flags, files);
    const input =
      flags.input === undefined ? undefined : new TextDecoder().decode(await files.read(flags.input));
    const description = await describedFor(named, context);
    const found = findOperation(named, description);
    const request = requestOf({ named, found, fields, input });
    const { method, path } = request.parts;
    if (found === undefined) say(`The description lists no ${method} ${path}: the request is not checked.`);
    if (flags.include && (settings.tableTyped || !["table", "json"].includes(settings.output))) {
      throw new UsageError("--include prints the response as received: leave out --output and --columns");
    }
    if (flags.paginate && method !== "GET") throw new UsageError(`--paginate is for GET, not for ${method}`);
    if (settings.validate) await checkRequest(request, description, context);
    return request;
  },
  confirm: {
    destruction: ({ input: { parts, operation } }) =>
      destroys({ ...parts, ...(operation && { id: operation.id }) })
        ? `Send ${parts.method} ${parts.path}? It may destroy something.`
        : undefined,
  },
  run: async ({ input, flags: { include, paginate }, ...context }) => {
    const { request, settings, files } = context;
    if (paginate) return shown(await allPages(input, context), settings);
    const { operation, parts } = input;
    return printed(await request(parts), { operation, include, terminal: files.stdoutIsTerminal, settings });
  },
});

/** The documented description where the service's is unavailable. Throws `NoDescription` where that lists too little. */
async function describedFor(named: Named, { describe }: Pick<Context, "describe">): Promise<Description> {
  try {
    return await describe({ orDocumented: (documented) => isPlaced(named, documented) });
  } catch (error) {
    const wanted = "id" in named ? JSON.stringify(named.id) : `${named.method} ${named.path}`;
    throw noDescription(
      error,
      `the service has the operation ${wanted}`,
      "`gpuctl api call METHOD PATH` works without it; `gpuctl api spec --refresh` fetches it.",
    );
  }
}

/** The records of every page of a listing, as one array. */
async function allPages(
  { parts, operation }: Request,
  { request, say }: Pick<Context, "request" | "say">,
): Promise<readonly unknown[]> {
  const paging = pagingOf(operation?.parameters.map(({ name }) => name) ?? []);
  const paged = paging.cursor !== undefined || paging.page !== undefined || paging.offset !== undefined;
  const records: unknown[] = [];
  const send = async (query: NonNullable<typeof parts.query>) => {
    const page = parseJson((await request({ ...parts, query })).text());
    if (page === undefined) throw new EmptyResult("a page is not JSON");
    return page;
  };
  for await (const page of pages(send, { paging, query: parts.query ?? [], paged, warn: say })) {
    for (const record of page) records.push(record);
  }
  return records;
}
