import type * as z from "zod";
import type { ErrorCode } from "./errors.ts";

/** The tags of service section 9, and `inference` for the operations on the inference host. */
export const groups = {
  openapi: "The OpenAPI description.",
  rentals: "Rentals of both types, and reserved terms.",
  "virtual-machine-rentals": "Deprecated: virtual machines. Use rentals.",
  "bare-metal-rentals": "Deprecated: bare-metal machines. Use rentals.",
  "storage-volumes": "Storage volumes and their attachments.",
  billing: "Usage and billing.",
  users: "The current user.",
  balances: "Balances.",
  "api-keys": "API keys.",
  "ssh-keys": "SSH public keys.",
  inference: "Chat, images and speech.",
} as const;

/** The documented replacement of a deprecated operation. */
export interface Replacement {
  readonly method: Method;
  readonly path: string;
  /** Fields that the replacement requires in addition to those of the deprecated operation. */
  readonly with?: Readonly<Record<string, string>>;
  /** The replacement returns one page at a time. */
  readonly paged?: true;
}

/** A limit across several fields. `violations` gets an input that matches the schema and includes defaults. */
export interface Rule<Input> {
  readonly id: string;
  readonly text: string;
  /** Returns an empty list if the input follows the rule. */
  violations(input: Input): readonly { readonly field: string; readonly message: string }[];
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * What an operation does to the account: `read` changes nothing, `spend` commits to a price, `destroy` deletes
 * something for good, `generate` is one paid inference call, and `write` makes any other change.
 */
export type Effect = "read" | "write" | "spend" | "destroy" | "generate";

/** An object, or one of several objects with a discriminating field. */
export type InputSchema = z.ZodObject | z.ZodDiscriminatedUnion<readonly z.ZodObject[]>;

/** One operation of the service. Help, types, documents and checks are all derived from it. */
export interface Operation<
  Id extends string = string,
  Input extends InputSchema = InputSchema,
  Output extends z.ZodType = z.ZodType,
  OperationEffect extends Effect = Effect,
> {
  readonly id: Id;
  readonly method: Method;
  /** `read` by default. */
  readonly effect?: OperationEffect;
  readonly path: string;
  readonly host: "compute" | "inference";
  readonly group: keyof typeof groups;
  readonly summary: string;
  /** Where the input is sent; `none` for an operation without fields. */
  readonly in: "body" | "query" | "path" | "none";
  /** What clients and the sandbox accept. */
  readonly input: Input;
  /**
   * What the service documents, if `input` accepts more than that. Help and the description show the documented input.
   */
  readonly documentedInput?: InputSchema | undefined;
  readonly output: Output;
  readonly errors: readonly ErrorCode[];
  readonly rules?: readonly Rule<z.output<Input>>[];
  /** Sentences for the description, in addition to the rules. */
  readonly notes?: readonly string[];
  /** The service documents only the name of the group. The operation itself is an assumption of the sandbox. */
  readonly assumed?: true;
  /** No credential is needed. */
  readonly open?: true;
  readonly deprecated?: true;
  readonly replacedBy?: Replacement;
  /** The day on which a deprecated path is removed. */
  readonly sunset?: string;
  /** On request, a successful response is a stream of this media type. */
  readonly streams?: "text/event-stream";
}

/** The fields that the service documents. */
export const documentedInputOf = ({
  input,
  documentedInput,
}: Pick<Operation, "input" | "documentedInput">): InputSchema => documentedInput ?? input;

/** Type-checks an operation and keeps its literal types. */
export const operation = <
  const Id extends string,
  Input extends InputSchema,
  Output extends z.ZodType,
  const OperationEffect extends Effect = "read",
>(
  entry: Operation<Id, Input, Output, OperationEffect>,
): Operation<Id, Input, Output, OperationEffect> => entry;
