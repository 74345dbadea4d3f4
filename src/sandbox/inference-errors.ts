import * as z from "zod";
import type { Issue } from "../contract/check/check.ts";
import { type ErrorBody, errorBody } from "../contract/errors.ts";
import { isRecord } from "../core/json.ts";
import { issueText } from "../core/text.ts";

/** The error that clients of the common chat-completions format read. */
const commonError = z
  .object({
    message: z.string().describe("What went wrong, with the first validation error"),
    type: z.string().describe("Kind of the error, such as invalid_request_error"),
    param: z.string().nullable().describe("Dotted path of the first invalid field"),
    code: z.string().nullable().describe("Error code, such as BAD_REQUEST"),
  })
  .describe("The same error, in the common chat-completions format");

/**
 * The body of every error response to an inference request. It has the documented fields, and the same error in the
 * common format.
 */
export const inferenceErrorBody = errorBody
  .extend({ error: commonError })
  .meta({ id: "InferenceError", description: "Body of every error response to an inference request" });

export type CommonError = z.output<typeof commonError>;

/** Whether failed requests to a path get an `inferenceErrorBody`. */
export const isInferencePath = (path: string): boolean => path.startsWith("/v1/");

/**
 * Adds the error in the common format. Its fields are derived from the documented body and the status, unless `more`
 * has them.
 */
export function withCommonError(
  body: ErrorBody,
  status: number,
  more: Partial<CommonError> = {},
): z.output<typeof inferenceErrorBody> {
  const first = body.issues.find(isIssue);
  const message = first === undefined ? body.message : `${body.message}: ${issueText(first)}`;
  const param = first === undefined || first.path.length === 0 ? null : first.path.join(".");
  return { ...body, error: { message, type: errorType(status), param, code: body.code, ...more } };
}

const isIssue = (value: unknown): value is Issue =>
  isRecord(value) && Array.isArray(value.path) && typeof value.message === "string";

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};

const errorType = (status: number): string =>
  types[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
