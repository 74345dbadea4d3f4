import { reasonOf, UsageError } from "../../core/errors.ts";
import { decoded } from "../../openapi/document.ts";
import type { Found, Named } from "../../openapi/find.ts";
import { type DescribedRequest, requestOf } from "../../openapi/request.ts";

interface RequestInputs {
  readonly named: Named;
  readonly found: Found | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  /** A whole body, as JSON text. */
  readonly input: string | undefined;
}

/** Builds a request, as `requestOf` does. Also throws `UsageError` if the input is not JSON. */
export const typedRequest = ({ input, ...inputs }: RequestInputs): DescribedRequest =>
  requestOf({
    ...inputs,
    whole: input === undefined ? undefined : { value: parsed(input), text: input },
    advice: {
      missing: (name) => `: pass it with -f ${name}=VALUE`,
      key: ": use `gpuctl auth login` or GPUCTL_API_KEY",
    },
  });

/** Whether a request may destroy something, judging by its method, path and operation id. */
export const destroys = ({ method, path, id = "" }: { method: string; path: string; id?: string }): boolean =>
  method === "DELETE" ||
  (method !== "GET" &&
    method !== "HEAD" &&
    /terminat|delete|revoke|destroy|remove/i.test(`${id} ${decoded(path)}`));

function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch (error) {
    throw new UsageError(`--input is not JSON: ${reasonOf(error)}`);
  }
}
