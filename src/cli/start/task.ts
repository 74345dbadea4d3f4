import { orAborted } from "../../client/deadline.ts";
import type { Context, Ports, Task, TaskOptions } from "../../command-kit/context.ts";
import type { Command } from "../../command-kit/define.ts";
import type { CommandNode } from "../../command-kit/tree.ts";
import { routes } from "../../contract/generated/routes.ts";
import { effectOfRequest } from "../../contract/plain/response-limits.ts";
import { Interrupted } from "../../core/errors.ts";
import { oneLine } from "../../output/text.ts";
import { commandsWithin } from "../help/help.ts";
import { valuesOf } from "../parse/values.ts";
import { failureOf } from "../report/failure.ts";
import { keptResponse } from "../report/kept-response.ts";
import type { Connection } from "./connection.ts";
import { createContext } from "./context.ts";
import type { Runtime } from "./services.ts";

interface TaskSources {
  readonly connection: Pick<Connection, "calls">;
  /** The service's time according to its last response, in milliseconds since the epoch. */
  readonly serviceNow: () => number;
  readonly load: (words: string) => Promise<Command>;
  readonly portsFor: (command: Command) => Promise<object>;
}

/** Creates the ports of a command that runs other commands and speaks a protocol on the standard streams. */
export function createTaskPorts(
  runtime: Runtime,
  sources: TaskSources,
): Pick<Ports, "task" | "commandNode" | "failureOf" | "messages"> {
  const { system, settings } = runtime;
  const { io, files } = system;
  return {
    task: (options) => createTask(options, runtime, sources),
    commandNode,
    failureOf: async (error, doneBefore) => {
      const kept = await keptResponse(error, { files, date: new Date(sources.serviceNow()) });
      const completedBefore = [doneBefore, kept].filter(Boolean).join(" ") || undefined;
      const { serviceCode: _, ...failure } = failureOf(error, { completedBefore, sandbox: settings.sandbox });
      return failure;
    },
    messages: {
      isTerminal: io.stdin.isTTY,
      read: io.stdin.pieces,
      // A closed pipe must not end gpuctl: if the client is gone, a call that is under way must still finish.
      write: (text) => io.stdout.write(text, { reportsClosedPipe: true }),
      log: (line) => void io.stderr.write(`${oneLine(line, false)}\n`),
    },
  };
}

function createTask(
  { signal, say, setFailureContext, onProgress }: TaskOptions,
  runtime: Runtime,
  { connection, serviceNow, load, portsFor }: TaskSources,
): Task {
  const interrupted = AbortSignal.any([runtime.system.interrupted, signal]);
  const system = { ...runtime.system, interrupted };
  // No one can answer a confirmation, and the caller needs results as data.
  const settings = { ...runtime.settings, yes: true, output: "json" } as const;
  const calls = untilAborted(connection.calls, interrupted);
  const context: Context = {
    ...createContext({ ...runtime, system, settings }, { calls }, serviceNow),
    say,
    setFailureContext,
    progress: (text, work) => {
      onProgress(text);
      return work(onProgress);
    },
  };
  return {
    ...context,
    run: async (words, { input = {}, flags = {}, args = {} } = {}) => {
      const command = await load(words);
      const defaults = valuesOf({ command: commandNode(words), flags: {}, args: [], lenient: false });
      const values = {
        ...context,
        ...(await portsFor(command)),
        flags: { ...defaults.flags, ...flags },
        args: { ...defaults.args, ...args },
        input,
      };
      const built = (await command.buildInput?.(values)) ?? input;
      return command.run({ ...values, input: built });
    },
  };
}

/**
 * Returns the same calls, but a call that is made after the signal is aborted sends nothing. The abort also ends reads,
 * or the wait for them, but not a write that is under way.
 */
function untilAborted(calls: Connection["calls"], signal: AbortSignal): Connection["calls"] {
  const canceled = () => new Interrupted("canceled before the request was sent");
  const options = <Options extends { readonly signal?: AbortSignal }>(isRead: boolean, given?: Options) => {
    if (signal.aborted) throw canceled();
    if (!isRead) return given;
    return { ...given, signal: given?.signal ? AbortSignal.any([signal, given.signal]) : signal };
  };
  /** Stops waiting for a read that takes no signal of its own. Other calls may share the read, so it is not aborted. */
  const orAbandoned = async <Value>(read: () => Promise<Value>): Promise<Value> => {
    if (signal.aborted) throw canceled();
    return orAborted(read(), signal).catch((error: unknown) => {
      throw signal.aborted ? canceled() : error;
    });
  };
  const isRead = (id: keyof typeof routes) => (routes[id].effect ?? "read") === "read";
  return {
    ...calls,
    call: async (id, input, given) => calls.call(id, input, options(isRead(id), given)),
    stream: async (id, input, given) => calls.stream(id, input, options(isRead(id), given)),
    request: async (parts, given) =>
      calls.request(parts, options((parts.effect ?? effectOfRequest(parts)) === "read", given)),
    list: (id, input, given) => orAbandoned(() => calls.list(id, input, given)),
    requestList: (parts) => orAbandoned(() => calls.requestList(parts)),
    describe: (given) => orAbandoned(() => calls.describe(given)),
    prepare: async (parts) => {
      const write = await orAbandoned(() => calls.prepare(parts));
      return (body) => {
        if (signal.aborted) throw canceled();
        return write(body);
      };
    },
  };
}

const commandNode: Ports["commandNode"] = (wanted) => {
  const matches = ({ path, operation }: CommandNode) =>
    typeof wanted === "string" ? path.join(" ") === wanted : operation === wanted.operation;
  const node = commandsWithin([]).find(matches);
  if (node === undefined) throw new Error(`there is no command ${JSON.stringify(wanted)}`);
  return node;
};
