import { expect, test } from "vitest";
import { createAttendance } from "../../src/cli/start/attendance.ts";
import { createRedactor } from "../../src/core/redact.ts";
import type { Sink } from "../../src/system/types.ts";

const secret = "hunter2-hunter2-hunter2";

/** What a terminal shows of output that arrives in these pieces. Secrets are masked in each write to it. */
async function shown(pieces: readonly string[]): Promise<string> {
  const redactor = createRedactor();
  redactor.add(secret);
  let text = "";
  const sink: Sink = {
    isTTY: true,
    columns: 80,
    rows: 24,
    write: async (chunk) => {
      text += redactor.redact(String(chunk));
    },
  };
  const interruptible = () => Promise.reject(new Error("not used"));
  const io = { stdout: sink, stderr: sink };
  const { output, endOutput } = createAttendance({ env: {}, interruptible, io }, redactor);
  for (const piece of pieces) await output("stdout", Buffer.from(piece));
  await endOutput();
  return text;
}

const long = "x".repeat(64 * 1024);

test.each([7, 15, secret.length - 1])(
  "a key after the first 64 KiB of a line is masked even if it arrives in two pieces, the first of %i characters",
  async (at) => {
    const text = await shown([long + secret.slice(0, at), `${secret.slice(at)} end\nnext\n`]);
    expect(text).toBe(`${long}**** end\nnext\n`);
  },
);

test("if the output ends with only the start of a key, that start is shown", async () => {
  expect(await shown([long + secret.slice(0, 7)])).toBe(`${long}${secret.slice(0, 7)}\n`);
});
