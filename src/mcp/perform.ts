import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { completionFailure, contentOf } from "../client/completion/chunks.ts";
import type { Ports, Task } from "../command-kit/context.ts";
import { recordsOf } from "../command-kit/responses.ts";
import { routes } from "../contract/generated/routes.ts";
import { UsageError, WaitedTooLong } from "../core/errors.ts";
import { asList, asRecord, asText } from "../core/json.ts";
import type { Result } from "../core/result.ts";
import type { Money } from "../core/values/money.ts";
import {
  type Arguments,
  type DescribedTool,
  describedTools,
  limitOf,
  type Tool,
  waitOf,
  waitToolName,
} from "./tools.ts";

/** What a call returned. */
export interface Done {
  readonly data: unknown;
  /** The paths of files that were saved. */
  readonly paths?: readonly string[];
  /** How many records there are in all, if the data has only the first ones. */
  readonly total?: number;
  /** Why a part of the result is missing. */
  readonly failure?: Error | undefined;
}

export interface PerformOptions {
  /** An existing folder for pictures and recordings. */
  readonly folder: string;
  /** Dollars an hour; undefined if there is no limit. */
  readonly maxBurn: Money | undefined;
  readonly commandNode: Ports["commandNode"];
  readonly callDescribed: CallDescribed;
}

/** Calls the operation that the service's OpenAPI description lists for a tool. */
export type CallDescribed = (tool: Exclude<DescribedTool, "terminate">, task: Task) => Promise<unknown>;

/**
 * Performs a call of a tool. The arguments must be valid. To make a change, or to generate a picture or a recording,
 * runs the command for the operation, so that the request is checked as on the command line, and sent only once. Throws
 * the same errors as the command.
 */
export async function perform(
  { name, operation }: Tool,
  args: Arguments,
  task: Task,
  options: PerformOptions,
): Promise<Done> {
  const { commandNode, folder, maxBurn } = options;
  if (operation === undefined) return performOwn(name, args, task, options);
  if (operation === "generateImage") {
    const { image, ...input } = args;
    const file = image === undefined ? {} : { image: await fileIn(folder, String(image)) };
    return saved(await task.run("image", { input, flags: { out: folder, ...file } }));
  }
  if (operation === "generateAudio") {
    // The text is not split into parts, so that one call of the tool sends one request.
    const flags = { out: folder, partLength: Number.MAX_SAFE_INTEGER };
    return saved(await task.run("tts", { input: args, flags }));
  }
  const { effect = "read", list } = routes[operation];
  if (effect !== "read" && effect !== "generate") {
    const command = commandNode({ operation }).path.join(" ");
    return resultOf(
      await task.run(command, { input: args, flags: { ...(maxBurn !== undefined && { maxBurn }) } }),
    );
  }
  if (!list) {
    const problemIn = operation === "createChatCompletion" ? problemInChat : undefined;
    return { data: await task.call(operation, args, { warn: task.say, ...(problemIn && { problemIn }) }) };
  }
  const { limit: _, ...input } = args;
  return firstRecords(await task.call(operation, input, { warn: task.say }), args);
}

/** Why a response is not a whole chat completion; undefined if it is one. */
const problemInChat = (value: unknown): string | undefined =>
  completionFailure(value) ??
  (contentOf(value) === undefined ? "the response is not a chat completion" : undefined);

async function performOwn(name: string, args: Arguments, task: Task, options: PerformOptions): Promise<Done> {
  const rentalId = String(args.rentalId);
  switch (name) {
    case waitToolName:
      return waitFor(rentalId, args, task);
    case describedTools.terminate.name:
      return resultOf(await task.run("rentals terminate", { args: { rental: [rentalId] } }));
    case describedTools.balance.name:
      return { data: await options.callDescribed("balance", task) };
    case describedTools.options.name:
      return firstRecords(await options.callDescribed("options", task), args);
    default:
      throw new Error(`no code for the tool ${name}`);
  }
}

/**
 * Waits for a rental. If that takes too long, returns a result that says so, not an error, so that the client can call
 * again.
 */
async function waitFor(rentalId: string, args: Arguments, task: Task): Promise<Done> {
  const flags = { waitTimeout: waitOf(args), ...(args.state !== undefined && { for: args.state }) };
  try {
    const { data } = resultOf(await task.run("rentals wait", { input: { rentalId }, flags }));
    return { data: { reached: true, rental: data } };
  } catch (error) {
    if (!(error instanceof WaitedTooLong)) throw error;
    return { data: { reached: false, message: error.message } };
  }
}

const resultOf = (result: Result): Done =>
  "data" in result ? { data: result.data, failure: result.failure } : { data: null };

/** The result of a command that saves files. The records in its data name the paths. */
function saved(result: Result): Done {
  const { data, failure } = resultOf(result);
  const paths = [data].flat().map((one) => asText(asRecord(one).path));
  return { data, paths, failure };
}

function firstRecords(page: unknown, args: Arguments): Done {
  const limit = limitOf(args);
  const records = recordsOf(page);
  // A page in an unknown format is returned unchanged.
  if (records.length === 0 && asList(page).length === 0 && !Array.isArray(page)) return { data: page };
  return records.length <= limit
    ? { data: records }
    : { data: records.slice(0, limit), total: records.length };
}

/** The path of a file in the folder, with symbolic links resolved. Throws `UsageError` for any other file. */
async function fileIn(folder: string, path: string): Promise<string> {
  const unusable = (problem: string) =>
    new UsageError(`image ${JSON.stringify(path)} ${problem} ${folder}`, { hint: "Nothing was sent." });
  const real = await realpath(resolve(folder, path)).catch(() => {
    throw unusable("is not a file in");
  });
  const inside = relative(await realpath(folder), real);
  if (inside === "" || inside.split(sep)[0] === ".." || isAbsolute(inside)) throw unusable("is outside");
  return real;
}
