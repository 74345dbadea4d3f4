import type { Attendance } from "../../command-kit/context.ts";
import { CannotPrint, codeOf, reasonOf } from "../../core/errors.ts";
import type { Redactor } from "../../core/redact.ts";
import { isOwnVariable } from "../../core/urls.ts";
import type { Io, Sink, System } from "../../system/types.ts";

/** Creates the functions for a command that stays connected to a job until the job ends. */
export function createAttendance(
  {
    env,
    interruptible,
    io,
  }: Pick<System, "env" | "interruptible"> & { readonly io: Pick<Io, "stdout" | "stderr"> },
  redactor: Pick<Redactor, "stream">,
): Attendance {
  const streams = { stdout: passedTo(io.stdout, redactor), stderr: passedTo(io.stderr, redactor) };
  return {
    interruptible: (work) => interruptible(work, { anySignal: true }),
    output: (stream, bytes) => streams[stream].add(bytes),
    endOutput: async () => {
      await streams.stdout.end();
      await streams.stderr.end();
    },
    outputFailure: () => streams.stdout.failure() ?? streams.stderr.failure(),
    variable: (name) => (isOwnVariable(name) ? undefined : env[name]),
  };
}

interface Passed {
  /** Resolves with false if the pipe was closed, or if a write failed. Then nothing more is written. */
  readonly add: (bytes: Uint8Array) => Promise<boolean>;
  readonly end: () => Promise<void>;
  /** Why a write failed, other than because of a closed pipe. */
  readonly failure: () => Error | undefined;
}

/** The maximum number of characters that are held of an unfinished line. */
const maxHeld = 64 * 1024;

/**
 * Writes bytes unchanged if the sink is not a terminal. To a terminal, writes only whole lines, so that no escape
 * sequence is cut in two, and lines of stdout and stderr do not mix. A carriage return, which redraws a progress bar,
 * also ends a line. A line that is longer than `maxHeld` is written in parts, because it may never end. An escape
 * sequence that is split between two parts is shown as text. A secret in text for a terminal is masked even if it is
 * split, because the redactor holds back the start of a secret.
 */
function passedTo(sink: Sink, redactor: Pick<Redactor, "stream">): Passed {
  const masked = redactor.stream();
  const decoder = new TextDecoder();
  let held = "";
  let isRead = true;
  let failure: Error | undefined;
  const write = async (chunk: Uint8Array | string): Promise<boolean> => {
    if (!isRead || chunk.length === 0) return isRead;
    try {
      await sink.write(chunk, { reportsClosedPipe: true, reportsErrors: true });
    } catch (cause) {
      isRead = false;
      if (codeOf(cause) !== "EPIPE") {
        failure = new CannotPrint(`the output cannot be written: ${reasonOf(cause)}`, codeOf(cause));
      }
    }
    return isRead;
  };
  return {
    failure: () => failure,
    add: (bytes) => {
      if (!sink.isTTY) return write(bytes);
      const text = held + decoder.decode(bytes, { stream: true });
      const lineEnd = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r", text.length - 2)) + 1;
      const end = text.length - lineEnd > maxHeld ? text.length : lineEnd;
      held = text.slice(end);
      return write(lines(masked.add(text.slice(0, end))));
    },
    end: async () => {
      const rest = masked.add(held) + masked.end();
      held = "";
      if (rest !== "") await write(`${lines(rest)}\n`);
    },
  };
}

const lines = (text: string): string => text.replace(/\r\n?/g, "\n");
