import { parseJson } from "../core/json.ts";
import { InvalidResponse } from "../core/service-errors.ts";
import type { DescribedOperation } from "../openapi/described.ts";
import { allRecords } from "../openapi/paging.ts";
import type { RawCall } from "./call.ts";

/**
 * Calls a list operation of the compute API that was found in the service's description. Returns the records of all
 * pages. Throws `InvalidResponse` if a page is not JSON.
 */
export const listDescribed = (
  { method, path, parameters }: DescribedOperation,
  { request, say }: { readonly request: RawCall; readonly say: (line: string) => void },
): Promise<readonly unknown[]> =>
  allRecords(
    async (query) => {
      const response = await request({ method, path, host: "compute", query });
      const page = parseJson(response.text());
      if (page !== undefined) return page;
      throw new InvalidResponse("the response is not JSON", response.status, response.request);
    },
    { parameters, warn: say },
  );
