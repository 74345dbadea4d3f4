import { resolve } from "node:path";
import type { Context } from "../../command-kit/context.ts";
import { readFailed } from "../../core/errors.ts";
import { inputLimits } from "../../core/values/input-limits.ts";
import { showProgress } from "../print/progress.ts";
import { readNamedStdin } from "../prompt/stdin.ts";
import type { Connection } from "./connection.ts";
import type { Runtime } from "./services.ts";

/**
 * Creates the context that every command gets. It does not contain the key. `serviceNow` returns the service's time.
 */
export function createContext(
  runtime: Runtime,
  { calls }: Pick<Connection, "calls">,
  serviceNow: () => number,
): Context {
  const { system, services, notes, redactor } = runtime;
  const { key: _, ...settings } = runtime.settings;
  const { clock, files, interrupted, io } = system;
  return {
    ...calls,
    now: clock.now,
    serviceNow,
    sleep: (milliseconds, signal) =>
      clock.sleep(milliseconds, signal ? AbortSignal.any([interrupted, signal]) : interrupted),
    interrupted,
    say: (line) => notes.say(line),
    redactor,
    setFailureContext: notes.setFailureContext,
    progress: (text, work, lines) => showProgress(text, work, { ...settings, lines }, system),
    files: {
      read: async (path, from, kind = "text") => {
        if (path === "-") return readNamedStdin(runtime, { from, kind });
        try {
          return await files.read(resolve(files.cwd, path), inputLimits[kind], interrupted);
        } catch (cause) {
          throw readFailed(from, path, cause);
        }
      },
      resolve: (path) => resolve(files.cwd, path),
      processes: files.processes,
      temporary: files.folders.temporary,
      get state() {
        return files.folders.state;
      },
      stdoutIsTerminal: io.stdout.isTTY,
    },
    settings: {
      ...settings,
      version: services.version,
      ...(settings.sandbox && {
        baseUrl: undefined,
        inferenceBaseUrl: undefined,
      }),
    },
  };
}
