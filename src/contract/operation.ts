import type * as z from "zod";
import type { ErrorCode } from "./errors.ts";

/** The tag groups of service section 9; `inference` holds the three operations under the inference host. */
export type Group =
  | "openapi"
  | "rentals"
  | "virtual-machine-rentals"
  | "bare-metal-rentals"
  | "storage-volumes"
  | "billing"
  | "users"
  | "balances"
  | "api-keys"
  | "ssh-keys"
  | "inference";

/** What takes the place of a deprecated operation, as the service names it. */
export interface Replacement {
  readonly method: Method;
  readonly path: string;
  /** Fields that the replacement needs beyond the ones of the deprecated operation. */
  readonly with?: Readonly<Record<string, string>>;
  /** The replacement answers a page at a time. */
  readonly paged?: true;
}

/** A limit that spans several fields. `violations` gets an input that already passed the schema, defaults filled in. */
export interface Rule<Input> {
  readonly id: string;
  readonly text: string;
  /** Where the rule is broken and why, or nothing. */
  violations(input: Input): readonly Violation[];
}

export interface Violation {
  readonly field: string;
  readonly message: string;
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * What an operation does to the account: `read` changes nothing, `write` changes something that neither costs nor
 * ends, `spend` commits to a price, `destroy` ends something for good, `generate` is one paid inference call.
 */
export type Effect = "read" | "write" | "spend" | "destroy" | "generate";

/** Fields: those of an object, or of one of several objects that a field tells apart. */
export type InputSchema = z.ZodObject | z.ZodDiscriminatedUnion<readonly z.ZodObject[]>;

/** One operation of the service: all there is to know about it, and the source of everything derived. */
export interface Operation<
  Id extends string = string,
  Input extends InputSchema = InputSchema,
  Output extends z.ZodType = z.ZodType,
  Does extends Effect = Effect,
> {
  readonly id: Id;
  readonly method: Method;
  /** `read` when left out. */
  readonly effect?: Does;
  readonly path: string;
  readonly host: "compute" | "inference";
  readonly group: Group;
  readonly summary: string;
  /** Where the input travels; an operation without fields has `none`. */
  readonly in: "body" | "query" | "path" | "none";
  readonly input: Input;
  readonly output: Output;
  readonly errors: readonly ErrorCode[];
  readonly rules?: readonly Rule<z.output<Input>>[];
  /** The service only names what it belongs to: this shape of it is the sandbox's own assumption. */
  readonly assumed?: true;
  /** No credential is needed. */
  readonly open?: true;
  readonly deprecated?: true;
  readonly replacedBy?: Replacement;
  /** The day from which a deprecated path is no longer served. */
  readonly sunset?: string;
  /** A successful answer may come as this kind of stream instead, when asked for. */
  readonly streams?: "text/event-stream";
}

/** Checks an entry of the table and keeps its literal types. */
export const operation = <
  const Id extends string,
  Input extends InputSchema,
  Output extends z.ZodType,
  const Does extends Effect = "read",
>(
  entry: Operation<Id, Input, Output, Does>,
): Operation<Id, Input, Output, Does> => entry;
