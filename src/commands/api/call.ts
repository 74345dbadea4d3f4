import type { Description } from "../../client/document.ts";
import type { Context } from "../../context/context.ts";
import { UsageError } from "../errors.ts";
import { noDescription } from "../shared/no-description.ts";
import type { Args, Verb } from "../spec.ts";
import { printed } from "./answer.ts";
import { checkRequest } from "./check.ts";
import { destroys } from "./destroys.ts";
import { findOperation, isPlaced, type Named, namedBy } from "./find.ts";
import { allPages } from "./paginate.ts";
import { type Request, requestOf } from "./request-of.ts";
import { type Drawing, shown } from "./shown.ts";
import { typedFields } from "./typed-fields.ts";

export const verb: Verb<Request> = {
  input: async (args, context) => {
    const named = namedBy(args);
    const { flags } = args;
    const fields = await typedFields(flags, context.files);
    const input =
      typeof flags.input === "string"
        ? new TextDecoder().decode(await context.files.read(flags.input))
        : undefined;
    const description = await describedFor(named, context);
    const found = findOperation(named, description);
    const request = requestOf({ named, found, fields, input });
    if (found === undefined) {
      context.say(
        `The description lists no ${request.parts.method} ${request.parts.path}: it is sent unchecked.`,
      );
    }
    checkFlags(request, flags, context.settings);
    if (context.settings.validate) await checkRequest(request, description, context);
    return request;
  },
  question: ({ parts: { method, path }, operation }) =>
    destroys({ method, path, ...(operation && { id: operation.id }) })
      ? `Send ${method} ${path}? It may destroy something.`
      : undefined,
  run: async (request, context, { flags }) => {
    const { settings, files } = context;
    if (flags.paginate === true) return shown(await allPages(request, context), settings);
    return printed(await context.request(request.parts), {
      operation: request.operation,
      head: flags.include === true,
      terminal: files.stdoutIsTerminal,
      settings,
    });
  },
};

/** What is documented stands in for a description that cannot be had. Throws `NoDescription` where it knows too little. */
async function describedFor(named: Named, { describe }: Pick<Context, "describe">): Promise<Description> {
  try {
    return await describe({ orDocumented: (documented) => isPlaced(named, documented) });
  } catch (error) {
    const wanted = "id" in named ? JSON.stringify(named.id) : `${named.method} ${named.path}`;
    throw noDescription(
      error,
      `the service has the operation ${wanted}`,
      "A method and a path are sent without it: `gpuctl api call METHOD PATH`. `gpuctl api spec --refresh` asks for it anew.",
    );
  }
}

/** Throws `UsageError` for flags that do not go together. */
function checkFlags({ parts: { method } }: Request, flags: Args["flags"], settings: Drawing): void {
  const { output, tableTyped } = settings;
  if (flags.include === true && (tableTyped || (output !== "table" && output !== "json"))) {
    throw new UsageError("--include prints the answer as it came: leave out --output and --columns");
  }
  if (flags.paginate !== true) return;
  if (method !== "GET") throw new UsageError(`--paginate is for GET, not for ${method}`);
  if (flags.include === true) throw new UsageError("--include and --paginate exclude each other");
}
