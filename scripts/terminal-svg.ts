import { displayWidth } from "../src/output/display-width.ts";

interface Span {
  readonly text: string;
  readonly style: string;
}

const cell = { width: 8.4, height: 20 };
const margin = { left: 20, top: 52, bottom: 16 };

/** The CSS class of each SGR code that gpuctl uses. */
const styles: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  9: "strike",
  31: "red",
  32: "green",
  33: "yellow",
  34: "blue",
  35: "magenta",
  36: "cyan",
};

/** The classes that each SGR code ends. */
const ended: Readonly<Record<string, readonly string[]>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  29: ["strike"],
  39: ["red", "green", "yellow", "blue", "magenta", "cyan"],
  49: [],
};

/** Styles for readers who prefer a light background. */
const light = `@media (prefers-color-scheme: light) {
.background { fill: #ffffff; stroke: #d0d7de } text { fill: #24292f } .typed { fill: #000000 } .prompt, .green { fill: #116329 } .dim { fill: #6e7781 }
.red { fill: #cf222e } .yellow { fill: #7d4e00 } .cyan { fill: #1b7c83 } .blue { fill: #0550ae } .magenta { fill: #8250df }
}
`;

/**
 * An SVG of a terminal. `text` may contain color codes but no other escape sequences. The background is dark. With
 * `adapts`, it is light for readers who prefer that.
 */
export function terminalSvg(text: string, columns: number, title: string, { adapts = false } = {}): string {
  const lines = text
    .trimEnd()
    .split(/\r?\n/)
    .flatMap((line) => rowsOf(line, columns));
  /** Styles that continue on the next line. */
  const active = new Set<string>();
  const width = Math.ceil(columns * cell.width + 2 * margin.left);
  const height = margin.top + lines.length * cell.height + margin.bottom;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d7dce2; white-space: pre }
.prompt { fill: #7ee0a1 } .typed { fill: #ffffff; font-weight: 600 } .bold { font-weight: 600 } .dim { fill: #8a94a1 }
.red { fill: #ff7b72 } .green { fill: #7ee0a1 } .yellow { fill: #e3b341 } .cyan { fill: #76d9e6 }
.blue { fill: #79b8ff } .magenta { fill: #d2a8ff } .italic { font-style: italic } .underline { text-decoration: underline } .strike { text-decoration: line-through }
${adapts ? light : ""}</style>
<rect class="background" width="${width}" height="${height}" rx="10" fill="#14181d"/>
<circle cx="24" cy="22" r="6" fill="#ff5f57"/><circle cx="44" cy="22" r="6" fill="#febc2e"/><circle cx="64" cy="22" r="6" fill="#28c840"/>
${lines.flatMap((line, row) => spansAt(line, row, active)).join("\n")}
</svg>
`;
}

/** A line as a terminal shows it: text that does not fit continues on the next row. */
function rowsOf(line: string, columns: number): readonly string[] {
  const rows = [""];
  let used = 0;
  for (const part of line.split(/(\x1b\[[\d;]*m)/)) {
    for (const piece of part.startsWith("\x1b") ? [part] : part) {
      const width = piece.startsWith("\x1b") ? 0 : displayWidth(piece, columns);
      if (used + width > columns) {
        rows.push("");
        used = 0;
      }
      rows[rows.length - 1] += piece;
      used += width;
    }
  }
  return rows;
}

/** Each span has its own x position, so that tables align in any font. */
function spansAt(line: string, row: number, active: Set<string>): readonly string[] {
  const y = margin.top + row * cell.height + 4;
  let column = 0;
  return spansOf(line, active).flatMap(({ text, style }) => {
    const x = (margin.left + column * cell.width).toFixed(1);
    const columns = displayWidth(text, 1_000);
    column += columns;
    if (text.trim() === "") return [];
    const length = (columns * cell.width).toFixed(1);
    return `<text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"${style && ` class="${style}"`}>${escaped(text)}</text>`;
  });
}

function spansOf(line: string, active: Set<string>): readonly Span[] {
  if (line.startsWith("$ "))
    return [
      { text: "$ ", style: "prompt" },
      { text: line.slice(2), style: "typed" },
    ];
  return line.split(/(\x1b\[[\d;]*m)/).flatMap((part) => {
    const codes = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes === undefined)
      return part === ""
        ? []
        : part.split(/(?<= {2})(?=\S)/).map((text) => ({ text, style: [...active].join(" ") }));
    for (const code of codes.split(";")) {
      for (const style of ended[code] ?? (code in styles ? [] : [...active])) active.delete(style);
      const started = styles[code];
      if (started !== undefined) active.add(started);
    }
    return [];
  });
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
