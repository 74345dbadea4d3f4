import { listDescribed } from "../../client/call.ts";
import type { Context } from "../../command-kit/context.ts";
import { objectOf } from "../../command-kit/responses.ts";
import { NotOffered, reasonOf } from "../../core/errors.ts";
import { ServiceError } from "../../core/service-errors.ts";
import { descriptionTimeout } from "../../core/values/defaults.ts";
import type { CallDescribed } from "../../mcp/perform.ts";
import type { DescribedTool } from "../../mcp/tools.ts";
import type { DescribedOperation } from "../../openapi/described.ts";
import type { Description } from "../../openapi/document.ts";
import { optionsListing, resourceOperation } from "../../openapi/resources.ts";
import { terminateOperations } from "../../openapi/terminate.ts";

type ReadTool = Exclude<DescribedTool, "terminate">;

const find: Readonly<Record<ReadTool, (description: Description) => DescribedOperation | undefined>> = {
  balance: (description) => resourceOperation(description, "balance", "list"),
  options: optionsListing,
};

/**
 * Returns the tools whose operations the service's description lists. If the description cannot be fetched, returns
 * none and says why.
 */
export async function listedTools({
  describe,
  say,
}: Pick<Context, "describe" | "say">): Promise<ReadonlySet<DescribedTool>> {
  const tools = new Set<DescribedTool>();
  try {
    const description = await describe({ timeout: descriptionTimeout });
    for (const tool of ["balance", "options"] as const) if (find[tool](description)) tools.add(tool);
    if (canTerminate(description)) tools.add("terminate");
  } catch (error) {
    const problem =
      error instanceof ServiceError
        ? `the service responded ${error.status}: ${error.message}`
        : reasonOf(error);
    say(
      `mcp: could not read the service's OpenAPI description (${problem}), so only tools for the documented API are available`,
    );
  }
  return tools;
}

function canTerminate(description: Description): boolean {
  try {
    return terminateOperations(description).length > 0;
  } catch {
    return false;
  }
}

export const callDescribed: CallDescribed = async (tool, task) => {
  const operation = find[tool](await task.describe());
  if (operation === undefined) {
    throw new NotOffered("the service's description lists no operation for this tool", "Use another tool.");
  }
  if (tool === "options") return listDescribed(operation, task);
  const { method, path } = operation;
  return objectOf(await task.request({ method, path, host: "compute" }));
};
