import { isMachineFormat } from "../../core/view.ts";
import type { Runtime } from "../start/services.ts";

/** Milliseconds after which stderr says what gpuctl is waiting for. */
const patience = 1_000;

/**
 * Reads stdin to its end, and says on stderr when that takes long; `how` says how to end or skip it. Throws `Interrupted`
 * at once when the user interrupts.
 */
export const readStdin = (
  { settings, system }: Pick<Runtime, "settings" | "system">,
  how: string,
): Promise<Uint8Array> => {
  const { io, interrupted } = system;
  const onWait = () => {
    // With a machine format, an error is the only document on stderr, unless a person is watching.
    if (settings.quiet || (isMachineFormat(settings.output) && !io.stderr.isTTY)) return;
    void io.stderr.write(`Reading standard input until it ends${how}.\n`);
  };
  return io.stdin.read({ signal: interrupted, onWait, patience });
};

/** Reads what the user asked to read from stdin, such as the file `-`. */
export const readNamedStdin = (runtime: Pick<Runtime, "settings" | "system">): Promise<Uint8Array> =>
  readStdin(runtime, runtime.system.io.stdin.isTTY ? "; press Ctrl-D to end it" : "");
