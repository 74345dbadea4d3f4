import * as z from "zod";

/** Error code -> HTTP status and message (service section 7). */
export const errors = {
  BAD_REQUEST: { status: 400, message: "Invalid input data" },
  UNAUTHORIZED: { status: 401, message: "Authorization not provided" },
  FORBIDDEN: { status: 403, message: "Insufficient access" },
  NOT_FOUND: { status: 404, message: "Not found" },
  INTERNAL_SERVER_ERROR: { status: 500, message: "Internal server error" },
} as const;

export type ErrorCode = keyof typeof errors;

/** The errors of every operation that needs a key. */
export const commonErrors = ["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN", "INTERNAL_SERVER_ERROR"] as const;
/** The errors of operations that need a key and can also fail with NOT_FOUND. */
export const lookupErrors = [...commonErrors, "NOT_FOUND"] as const;

/** The body of every error response. The service does not document the entries of `issues`. */
export const errorBody = z
  .object({
    code: z.string().describe("Error code, such as BAD_REQUEST"),
    message: z.string().describe("What went wrong, in a sentence"),
    issues: z.array(z.unknown()).describe("Validation errors; empty for other failures"),
  })
  .meta({ id: "Error", description: "Body of every error response" });

export type ErrorBody = z.infer<typeof errorBody>;
