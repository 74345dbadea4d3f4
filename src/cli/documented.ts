import type { Description } from "../client/document.ts";
import { assumedOperations } from "../contract/assumed/index.ts";
import { operations } from "../contract/index.ts";
import { openApi } from "../contract/openapi.ts";

/** A description of what the service is documented to offer; with `assumed` also of what the sandbox adds to it. */
export const documentedDescription = ({ assumed }: { readonly assumed: boolean }): Description =>
  openApi([...Object.values(operations), ...(assumed ? Object.values(assumedOperations) : [])], {
    servers: [],
  });
