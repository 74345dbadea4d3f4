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

/** All that is printed, in its pieces. */
export async function pieces(value: Value, view: View, options: RenderOptions): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const piece of render(value, view, options)) all.push(piece);
  return all;
}

export async function drawn(data: unknown, view: View, options: RenderOptions): Promise<string> {
  return (await pieces({ data }, view, options)).join("");
}

/** Lines as one text that ends at a line end. */
export function text(...lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** Records that come by and by. */
export async function* batched(batches: readonly (readonly unknown[])[]): AsyncGenerator<readonly unknown[]> {
  yield* batches;
}
