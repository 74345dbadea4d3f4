import { expect, test } from "vitest";
import { globalFlags } from "../../src/cli/parse/globals.ts";
import { createNotes } from "../../src/cli/print/notes.ts";
import { print } from "../../src/cli/print/print.ts";
import { resolveSettings } from "../../src/config/settings.ts";
import type { Frame } from "../../src/core/result.ts";
import type { ListView } from "../../src/core/view.ts";
import { nodeSystem } from "../../src/system/node.ts";
import type { Sink } from "../../src/system/types.ts";

const view: ListView = {
  kind: "list",
  columns: [{ title: "LABEL", paths: ["label"] }],
  empty: "Nothing.",
  id: ["label"],
};

test("a refreshed list follows the width of the terminal", async () => {
  const written: string[] = [];
  let columns = 80;
  const sink: Sink = {
    isTTY: true,
    get columns() {
      return columns;
    },
    rows: 24,
    write: async (chunk) => void written.push(String(chunk)),
  };
  const label = "x".repeat(60);
  const frame: Frame = { data: [{ label }], notes: [], status: "now", failed: false, stale: false };
  async function* frames(): AsyncGenerator<Frame> {
    yield frame;
    columns = 40;
    yield frame;
  }
  const settings = resolveSettings({ cli: {}, flags: globalFlags, env: {}, config: {}, for: "use" });
  const system = await nodeSystem();
  const io = { ...system.io, stdout: sink, stderr: sink, hideCursor: async () => () => {} };
  const notes = createNotes(settings, sink);
  await print({ frames: frames(), view }, view, {
    settings,
    system: { ...system, env: {}, io },
    notes,
    filter: undefined,
  });
  expect(written).toHaveLength(2);
  expect(written[0]).toContain(label);
  expect(written[1]).not.toContain(label);
});
