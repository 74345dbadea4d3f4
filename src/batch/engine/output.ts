import { randomBytes } from "node:crypto";

/** The file with a response that cannot be used. */
export interface KeptFile {
  readonly path?: string;
  /** In hexadecimal. */
  readonly sha256?: string;
}

/** What a line of the output says about its request. */
export interface Answer {
  readonly response?: {
    readonly status: number;
    /** The service's ID for the request; null if it gave none. */
    readonly requestId: string | null;
    /** JSON. */
    readonly body: string;
  };
  readonly error?: { readonly code: string; readonly message: string } & KeptFile;
}

/**
 * The random part of the IDs of this process's lines. A number follows it, because generating a random ID for each line
 * would take longer.
 */
const idStart = `batch_req_${randomBytes(12).toString("hex")}`;
let lines = 0;

/** A line of the output, with its line feed. */
export function outputLine(id: string, { response, error }: Answer): string {
  lines += 1;
  const fields = [
    `"id":"${idStart}${lines.toString(16).padStart(8, "0")}"`,
    `"custom_id":${JSON.stringify(id)}`,
    `"response":${
      response
        ? `{"status_code":${response.status},"request_id":${JSON.stringify(response.requestId)},"body":${response.body}}`
        : "null"
    }`,
    `"error":${JSON.stringify(error ?? null)}`,
  ];
  return `{${fields.join(",")}}\n`;
}
