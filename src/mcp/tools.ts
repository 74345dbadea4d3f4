import * as z from "zod";
import { check, type Issue } from "../contract/check/check.ts";
import { wholeSchema } from "../contract/document/json-schema.ts";
import type { JsonSchema } from "../contract/document/responses.ts";
import { routes } from "../contract/generated/routes.ts";
import { type OperationId, operations } from "../contract/index.ts";
import { documentedInputOf, type Effect, type InputSchema, type Operation } from "../contract/operation.ts";

/** A tool of the server. */
export interface Tool {
  /** Such as `list_storage_volumes`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  /** Whether repeating the same call has no further effect. */
  readonly idempotent: boolean;
  readonly inputSchema: JsonSchema;
  /** What is wrong with the arguments of a call; empty if they are valid. */
  readonly issues: (args: Arguments) => readonly Issue[];
  /** The operation of the contract that the tool calls, if there is one. */
  readonly operation?: OperationId;
}

/** The arguments of a call. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The name of the tool for an operation: `createVirtualMachineRental` becomes `create_virtual_machine_rental`. */
const toolName = (id: string): string => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const ids = Object.keys(operations) as OperationId[];

/**
 * Whether an operation has a tool. The operation for the OpenAPI description has none, because its result is too large
 * for a conversation. Operations with a sunset day have none, because another operation replaces each of them.
 */
const isTool = (id: OperationId): boolean => id !== "getOpenApiDocument" && routes[id].sunset === undefined;

/** The tools for the operations of the contract. */
export const contractTools = (): readonly Tool[] => ids.filter(isTool).map(toolOf);

/** The operation whose ID or tool has this name; undefined if there is none. */
export const operationNamed = (name: string): OperationId | undefined =>
  ids.find((id) => id === name || toolName(id) === name);

/** How many records a list returns. More would not fit in a conversation. */
const listLimit = { default: 100, maximum: 1000 };

const limit = z
  .int()
  .min(1)
  .max(listLimit.maximum)
  .default(listLimit.default)
  .describe("Maximum number of records in the result");

/** The limit of a call that lists records. */
export const limitOf = ({ limit: given }: Arguments): number =>
  typeof given === "number" ? given : listLimit.default;

function toolOf(id: OperationId): Tool {
  const operation: Operation = operations[id];
  const { effect = "read", method, rules = [], summary } = operation;
  const note = notes[id];
  return {
    name: toolName(id),
    title: summary,
    description: sentences(
      summary,
      ...rules.map(({ text }) => text),
      note,
      effect === "read" ? "" : afterWrites,
    ),
    effect,
    idempotent: effect === "read" || method === "PUT" || method === "DELETE",
    operation: id,
    ...checked(operation, routes[id].list ? { limit } : id === "generateImage" ? { image: reference } : {}),
  };
}

const reference = z
  .string()
  .optional()
  .describe("Reference image for image-to-image: the path of a file in the output folder");

const sentences = (...texts: readonly (string | undefined)[]): string =>
  texts
    .filter(Boolean)
    .map((text) => `${text?.replace(/\.$/, "")}.`)
    .join(" ");

type Checked = Pick<Operation, "input" | "documentedInput" | "rules">;

/**
 * The schema of a tool's input, and the function that checks the input. `own` are fields that only the tool has, or
 * that it defines differently from the operation.
 */
function checked(operation: Checked, own: z.ZodRawShape = {}): Pick<Tool, "inputSchema" | "issues"> {
  const schema = wholeSchema(documentedInputOf(operation));
  const added = wholeSchema(z.object(own));
  const properties = { ...schema.properties, ...added.properties };
  const isOpen = schema.additionalProperties !== undefined && schema.additionalProperties !== false;
  return {
    inputSchema: { ...schema, properties, ...(!isOpen && { additionalProperties: false }) },
    issues: (args) => {
      const unknown = Object.keys(args).filter((name) =>
        isOpen ? streamFields.includes(name) : !Object.hasOwn(properties, name),
      );
      const given = Object.fromEntries(
        Object.entries(args).filter(
          ([name]) => !Object.hasOwn(own, name) || name in (schema.properties ?? {}),
        ),
      );
      return [
        ...unknown.map((name) => ({ path: [name], message: "is not a field of this tool" })),
        ...issuesOf({ input: z.object(own) }, args),
        ...issuesOf(operation, given),
      ];
    },
  };
}

const issuesOf = (
  operation: { readonly input: InputSchema; readonly rules?: Operation["rules"] },
  args: Arguments,
) => {
  const result = check(operation, args);
  return result.ok ? [] : result.issues;
};

/** Fields that ask for a stream. They are rejected, because a tool returns its whole result at once. */
const streamFields = ["stream", "stream_options"];

const afterWrites = "If the outcome is unknown, do not call this tool again until you know what happened";

const onDemandOnly =
  "The rental is billed until it ends. This tool creates only on-demand rentals; convert_to_reserved reserves a rental afterwards, at a price that you specify";
const committed =
  "You commit to the expected price at once, and it counts against the maximum cost (--max-cost) of this server";

/** What an agent should know beyond the contract. */
const notes: Partial<Readonly<Record<OperationId, string>>> = {
  createVirtualMachineRental: onDemandOnly,
  createBareMetalRental: onDemandOnly,
  convertToReserved: committed,
  extendReserved: committed,
  generateImage: "Returns the path of the saved image, and the image itself if it is small",
  generateAudio: "Returns the path of the saved audio",
};

const rentalId = z.string().min(1).describe("ID of the rental");

/** The longest wait of a tool, in seconds. Many clients give up after a minute. */
const maxWait = 50;

export const waitToolName = "wait_for_rental";

/** The tool that waits for a rental to reach one of `states`. */
export function waitTool(states: readonly string[], initial: string): Tool {
  const input = z.strictObject({
    rentalId,
    state: z.enum(states).default(initial).describe("State to wait for"),
    timeoutSeconds: z.int().min(1).max(maxWait).default(maxWait).describe("Maximum time to wait"),
  });
  return {
    name: waitToolName,
    title: "Wait for a rental",
    description: sentences(
      `Waits up to ${maxWait} seconds until a rental has reached a state, such as running`,
      "If the data says that the state was not reached, call this tool again",
    ),
    effect: "read",
    idempotent: true,
    ...checked({ input }),
  };
}

/** Milliseconds that a call waits. */
export const waitOf = ({ timeoutSeconds }: Arguments): number =>
  1000 * (typeof timeoutSeconds === "number" ? timeoutSeconds : maxWait);

/**
 * Tools for operations that the service's documentation does not describe. A tool is available if the service's OpenAPI
 * description lists its operation.
 */
export const describedTools = {
  terminate: {
    name: "terminate_rental",
    title: "Terminate a rental",
    description: sentences("Ends a rental and its billing", "All data on it is lost", afterWrites),
    effect: "destroy",
    idempotent: true,
    ...checked({ input: z.strictObject({ rentalId }) }),
  },
  balance: {
    name: "get_balance",
    title: "Get the balance",
    description: "Gets the balance of the account.",
    effect: "read",
    idempotent: true,
    ...checked({ input: z.strictObject({}) }),
  },
  options: {
    name: "list_rental_options",
    title: "List the rental options",
    description: "Lists what can be rented: GPU, count, region, network and price an hour in cents.",
    effect: "read",
    idempotent: true,
    ...checked({ input: z.strictObject({ limit: limit.optional() }) }),
  },
} as const satisfies Readonly<Record<string, Tool>>;

export type DescribedTool = keyof typeof describedTools;

/**
 * The tool to call if the outcome of a write is unknown, by the name of the tool that writes. No tool shows what the
 * other writes did.
 */
export const lookAfter: Readonly<Record<string, string>> = {
  create_virtual_machine_rental: "list_virtual_machine_rentals",
  create_bare_metal_rental: "list_bare_metal_rentals",
  create_storage_volume: "list_storage_volumes",
  attach_storage_volume: "list_storage_volumes",
  convert_to_reserved: "get_rental",
  extend_reserved: "get_rental",
  terminate_rental: "get_rental",
  delete_current_user: "get_active_rental_summary",
};
