import { isOfSystem, readFailed, UsageError } from "../../core/errors.ts";
import { type InputKind, InputTooLarge, inputLimits } from "../../core/values/input-limits.ts";
import { isMachineFormat } from "../../core/view.ts";
import type { Runtime } from "../start/services.ts";

/** Milliseconds after which stderr says what gpuctl is waiting for. */
const patience = 1_000;

interface StdinOptions {
  /** How to end or skip the input, to append to a message, such as `; press Ctrl-D to end it`. May be empty. */
  readonly how: string;
  /** The flag or argument that the input is for. */
  readonly from: string;
  readonly kind: InputKind;
}

/**
 * Reads stdin to its end. If that takes long, may say on stderr what gpuctl is waiting for. Throws `Interrupted` as
 * soon as the user interrupts gpuctl, and `UsageError` if the input exceeds the limit or cannot be read.
 */
export const readStdin = async (
  { settings, system }: Pick<Runtime, "settings" | "system">,
  { how, from, kind }: StdinOptions,
): Promise<Uint8Array> => {
  const { io, interrupted } = system;
  const onWait = () => {
    // With a machine format, an error is the only document on stderr, unless a person is watching.
    if (settings.quiet || (isMachineFormat(settings.output) && !io.stderr.isTTY)) return;
    void io.stderr.write(`Reading stdin until it ends${how}.\n`);
  };
  try {
    return await io.stdin.read({ signal: interrupted, onWait, patience, maxBytes: inputLimits[kind] });
  } catch (error) {
    if (error instanceof InputTooLarge) throw new UsageError(`${from} from stdin: ${error.message}`);
    if (isOfSystem(error))
      throw readFailed(from, "from stdin", error, `Nothing was sent${how.startsWith("; --") ? how : ""}.`);
    throw error;
  }
};

/** Reads an input for which the user named stdin, for example with the file name `-`. */
export const readNamedStdin = (
  runtime: Pick<Runtime, "settings" | "system">,
  options: Omit<StdinOptions, "how">,
): Promise<Uint8Array> =>
  readStdin(runtime, { ...options, how: runtime.system.io.stdin.isTTY ? "; press Ctrl-D to end it" : "" });
