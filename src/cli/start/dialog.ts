import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Dialog } from "../../command-kit/context.ts";
import { ProgramFailed } from "../../core/errors.ts";
import { uniqueHex } from "../../core/text.ts";
import type { View } from "../../core/view.ts";
import { oneLine } from "../../output/text.ts";
import type { System } from "../../system/types.ts";
import type { Invocation } from "../parse/program.ts";
import { canConverse } from "../prompt/confirm.ts";
import type { Runtime } from "./services.ts";

export interface DialogOptions {
  readonly invocation: Invocation;
  /** The view of the command. */
  readonly view: View;
}

/** Creates the functions for a conversation on the terminal. */
export function createDialog(
  { settings, system, notes, redactor }: Runtime,
  { invocation, view }: DialogOptions,
): Dialog {
  const { io, interruptible, files, clock } = system;
  const kept = async (error: unknown): Promise<string | undefined> => {
    const { keptResponse } = await import("../report/kept-response.ts");
    return keptResponse(error, { files, date: new Date(clock.now()) });
  };
  return {
    isPossible: canConverse(settings, io),
    lineEditor: io.lineEditor,
    interruptible,
    print: async (result) => {
      const { print } = await import("../print/print.ts");
      await print(result, view, { settings, system, notes, redactor, filter: undefined });
    },
    show: (...lines) => {
      for (const line of lines) void io.stderr.write(`${oneLine(line, false)}\n`);
    },
    report: async (error) => {
      const { failureOf, failureText } = await import("../report/failure.ts");
      const completedBefore = await kept(error);
      const failure = failureOf(error, { invocation, sandbox: settings.sandbox, completedBefore });
      await io.stderr.write(failureText(failure));
    },
    kept,
    edit: (text) => edited(text, system),
    copy: async (text) => {
      const isSent = io.copy(text);
      for (const { program, args = [], encode = String } of clipboardTools(system)) {
        const found = await system.programs.which(program);
        if (found && (await system.programs.feed(program, args, encode(text)))) return "copied";
      }
      return isSent ? "sent" : "too long";
    },
  };
}

/** The clipboard programs to try on this system, in order. */
function clipboardTools({ env, machine: { platform } }: Pick<System, "env" | "machine">) {
  const tools: readonly ClipboardTool[] = [
    { program: "pbcopy", works: platform === "darwin" },
    { program: "wl-copy", works: Boolean(env.WAYLAND_DISPLAY) },
    { program: "xclip", args: ["-selection", "clipboard"], works: Boolean(env.DISPLAY) },
    {
      program: "clip.exe",
      works: platform === "win32" || Boolean(env.WSL_DISTRO_NAME),
      // Without a byte order mark, clip.exe reads its input in the code page of the console.
      encode: (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
    },
  ];
  return tools.filter(({ works }) => works);
}

interface ClipboardTool {
  readonly program: string;
  readonly args?: readonly string[];
  readonly works: boolean;
  /** Default: UTF-8. */
  readonly encode?: (text: string) => Uint8Array;
}

/**
 * Opens the text in the user's editor and returns what the editor saves. $VISUAL and $EDITOR may hold a whole command
 * line.
 */
async function edited(text: string, { env, files, machine, programs }: System): Promise<string> {
  const isWindows = machine.platform === "win32";
  const editor = env.VISUAL || env.EDITOR || (isWindows ? "notepad" : "vi");
  const path = join(files.folders.temporary, `gpuctl-message-${uniqueHex(24)}.md`);
  await mkdir(files.folders.temporary, { recursive: true });
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
  try {
    const [program = "", ...args] = isWindows
      ? [...editor.split(" "), path]
      : ["sh", "-c", `${editor} "$1"`, "sh", path];
    const status = await programs.run(program, args);
    if (status !== 0) throw new ProgramFailed(`the editor ${editor} exited with status ${status}`);
    return (await readFile(path, "utf8")).replace(/\n$/, "");
  } finally {
    await rm(path, { force: true });
  }
}
