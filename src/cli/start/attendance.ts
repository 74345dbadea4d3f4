import type { Attendance } from "../../command-kit/context.ts";
import type { Sink, System } from "../../system/types.ts";

/** Creates the functions for a command that stays connected to a job until the job ends. */
export function createAttendance({ env, interruptible, io }: System): Attendance {
  const streams = { stdout: passedTo(io.stdout), stderr: passedTo(io.stderr) };
  return {
    interruptible: (work) => interruptible(work, { anySignal: true }),
    output: (stream, bytes) => streams[stream].add(bytes),
    endOutput: async () => {
      await streams.stdout.end();
      await streams.stderr.end();
    },
    variable: (name) => (/^gpuctl_/i.test(name) ? undefined : env[name]),
  };
}

interface Passed {
  /** Resolves with false if no one reads the sink any longer. */
  readonly add: (bytes: Uint8Array) => Promise<boolean>;
  readonly end: () => Promise<void>;
}

/** How many characters of a line that has not ended are held. */
const maxHeld = 64 * 1024;

/**
 * Writes bytes unchanged, but only whole lines to a terminal: there, an escape sequence must not be cut in two, and
 * lines of stdout and stderr must not mix. A carriage return, which redraws a progress bar, also ends a line. A line
 * that is longer than `maxHeld` is written in parts, because it may never end. An escape sequence that this cuts in two
 * is shown as text.
 */
function passedTo(sink: Sink): Passed {
  const decoder = new TextDecoder();
  let held = "";
  let isRead = true;
  const write = async (chunk: Uint8Array | string): Promise<boolean> => {
    if (!isRead || chunk.length === 0) return isRead;
    try {
      await sink.write(chunk, { reportsClosedPipe: true });
    } catch {
      isRead = false;
    }
    return isRead;
  };
  return {
    add: (bytes) => {
      if (!sink.isTTY) return write(bytes);
      const text = held + decoder.decode(bytes, { stream: true });
      const lineEnd = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r", text.length - 2)) + 1;
      const end = text.length - lineEnd > maxHeld ? text.length : lineEnd;
      held = text.slice(end);
      return write(lines(text.slice(0, end)));
    },
    end: async () => {
      if (held !== "") await write(`${lines(held)}\n`);
      held = "";
    },
  };
}

const lines = (text: string): string => text.replace(/\r\n?/g, "\n");
