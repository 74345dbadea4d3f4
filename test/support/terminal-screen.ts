import { Terminal as Emulator, type IBuffer } from "@xterm/headless";

/**
 * Lines as a person reads them, without blanks at their ends. The last `window` rows as they stand on the screen, or
 * everything, where rows that one long line went on in are one line.
 */
export function lines(buffer: IBuffer, { window }: { window?: number } = {}): readonly string[] {
  const first = window === undefined ? 0 : buffer.baseY;
  const last = window === undefined ? buffer.length : buffer.baseY + window;
  const read: string[] = [];
  for (let at = first; at < last; at++) {
    const goesOn = window === undefined && buffer.getLine(at + 1)?.isWrapped === true;
    const row = buffer.getLine(at)?.translateToString(!goesOn) ?? "";
    if (window === undefined && buffer.getLine(at)?.isWrapped) read.push(`${read.pop() ?? ""}${row}`);
    else read.push(row);
  }
  while (read.at(-1) === "") read.pop();
  return read;
}

/** What is not as a program finds a new terminal. */
export async function leftovers(emulator: Emulator, bytes: string): Promise<readonly string[]> {
  const fresh = new Emulator({ allowProposedApi: true });
  const left = Object.entries(emulator.modes).flatMap(([mode, value]) =>
    Object.entries(fresh.modes).some(([name, usual]) => name === mode && usual !== value) ? [mode] : [],
  );
  fresh.dispose();
  if (cursorMoves(bytes).last === "hidden") left.push("hidden cursor");
  if (emulator.buffer.active.type !== "normal") left.push("alternate screen");
  if (await isStyled(emulator)) left.push("style");
  return left;
}

/** How often the cursor was hidden and shown, and what came last. */
export function cursorMoves(bytes: string) {
  const moves = [...bytes.matchAll(/\u001b\[\?25([hl])/g)].map(([, move]) =>
    move === "l" ? "hidden" : "shown",
  );
  const count = (wanted: string) => moves.filter((move) => move === wanted).length;
  return { hidden: count("hidden"), shown: count("shown"), last: moves.at(-1) };
}

/** Whether the next letter would be drawn in a colour or a style. */
async function isStyled(emulator: Emulator): Promise<boolean> {
  await new Promise<void>((resolve) => emulator.write("\rx", resolve));
  const { active } = emulator.buffer;
  return (
    active
      .getLine(active.baseY + active.cursorY)
      ?.getCell(0)
      ?.isAttributeDefault() === false
  );
}
