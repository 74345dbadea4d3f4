import { describe, expect, test } from "vitest";
import { createHome } from "../support/process.ts";

describe.skipIf(process.platform === "win32")(
  "exactly the terminal state that a program does not restore is detected",
  () => {
    test.each([
      ["stty -echo", ["another mode"]],
      ["printf '\\033[?25l'", ["hidden cursor"]],
      ["printf '\\033[31mred'", ["style"]],
      ["printf '\\033[?1049h'", ["alternate screen"]],
      ["printf '\\033[?2004h'", ["bracketedPasteMode"]],
      ["printf '\\033[?25l\\033[31mred\\033[0m\\033[?25h'; stty -echo; stty echo", []],
    ])("%s", async (line, left) => {
      const terminal = (await createHome()).shellOnTerminal(line);
      expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
      expect(await terminal.leftovers()).toEqual(left);
    });
  },
);
