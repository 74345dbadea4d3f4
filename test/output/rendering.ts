import type { ListView, View } from "../../src/core/view.ts";
import type { Value } from "../../src/output/records.ts";
import type { RenderOptions } from "../../src/output/render.ts";
import { render } from "../../src/output/render.ts";

export const now = Date.UTC(2026, 8, 12, 17, 0, 0);
export const onTerminal: RenderOptions = {
  format: "table",
  header: true,
  terminal: true,
  width: 100,
  color: false,
  now,
};
export const inPipe: RenderOptions = { ...onTerminal, terminal: false, width: 0 };

export const machines: ListView = {
  kind: "list",
  columns: [
    { title: "Id", paths: ["id", "rentalId"] },
    { title: "Label", paths: ["label", "name"] },
    { title: "State", paths: ["state", "status"] },
    { title: "GPU", paths: [], format: "gpus" },
    { title: "$/h", paths: ["costPerHourCents"], format: "cents" },
    { title: "Note", paths: ["note"] },
    { title: "Age", paths: ["createdAt"], format: "time" },
  ],
  empty: "No machines.",
  id: ["id", "rentalId"],
};

/** The output in pieces, as it is printed. */
export async function pieces(value: Value, view: View, options: RenderOptions): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const piece of render(value, view, options)) all.push(piece);
  return all;
}

/** The output as one string. */
export async function rendered(data: unknown, view: View, options: RenderOptions): Promise<string> {
  return (await pieces({ data }, view, options)).join("");
}

/** The lines as one text, each with a newline at its end. */
export function text(...lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** Records that arrive in these batches. */
export async function* batched(batches: readonly (readonly unknown[])[]): AsyncGenerator<readonly unknown[]> {
  yield* batches;
}
