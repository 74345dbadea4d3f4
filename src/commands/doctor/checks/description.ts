import { reasonOf } from "../../errors.ts";
import { isRecord } from "../../shared/records.ts";
import { failure, ok, remote } from "../finding.ts";

/** The service serves its OpenAPI description, and it lists operations. */
export const description = remote(async (examined) => {
  let document: unknown;
  try {
    document = await examined.description();
  } catch (error) {
    return failure(
      reasonOf(error),
      "Check the base URL, the network and the proxy; --debug shows the request.",
    );
  }
  const count = operationsIn(document);
  if (count === undefined) {
    return failure(
      "what it serves is no OpenAPI description",
      "Check the base URL: it may be another service's.",
    );
  }
  return ok(`${count} operation${count === 1 ? "" : "s"}`);
});

const methods = ["get", "put", "post", "delete", "patch", "head", "options", "trace"];

function operationsIn(document: unknown): number | undefined {
  if (!isRecord(document) || typeof document.openapi !== "string" || !isRecord(document.paths))
    return undefined;
  const items = Object.values(document.paths).filter(isRecord);
  return items.flatMap((item) => methods.filter((method) => isRecord(item[method]))).length;
}
