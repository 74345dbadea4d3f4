import type { Programs } from "./context.ts";
import { ProgramFailed, Unavailable } from "./errors.ts";
import type { Interruption } from "./interruption.ts";

/** Other programs of this machine, for real. */
export const programsOf = (leaveTo: Interruption["leaveTo"]): Programs => ({
  run: async (program, args) => {
    const { execa } = await import("execa");
    const running = execa(program, args, { stdio: "inherit", reject: false, forceKillAfterDelay: false });
    const { exitCode, signal, code } = await leaveTo((request) => running.kill(request), running);
    if (exitCode !== undefined) return exitCode;
    if (signal === undefined) throw notThere(program, code);
    const { constants } = await import("node:os");
    return 128 + constants.signals[signal as NodeJS.Signals];
  },
  output: async (commandLine, { timeout }) => {
    const { execa } = await import("execa");
    const { exitCode, stdout, timedOut, signal, code } = await execa(commandLine, {
      shell: true,
      stdin: "inherit",
      stderr: "inherit",
      reject: false,
      timeout,
    });
    if (exitCode === 0) return stdout;
    const program = JSON.stringify(commandLine);
    if (timedOut) throw new ProgramFailed(`${program} did not end in time`);
    if (exitCode === undefined && signal === undefined) throw notThere(program, code);
    throw new ProgramFailed(`${program} ended with ${signal ?? `exit status ${exitCode}`}`);
  },
});

const notThere = (program: string, code: string | undefined): Unavailable =>
  new Unavailable(
    `${program} cannot be started (${code ?? "no reason given"})`,
    "It has to be installed, and to be found in PATH.",
  );
