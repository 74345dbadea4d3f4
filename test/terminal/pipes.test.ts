import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/exit.ts";
import { outputFormats } from "../../src/output/view.ts";
import { createMachine } from "./machine.ts";

async function listing(format: string, into: string) {
  const machine = await createMachine();
  expect(await machine.pipe("gpuctl rentals create vm --gpus 1 --sandbox").ended).toMatchObject({ code: 0 });
  return machine.pipe(`gpuctl rentals list -o ${format} --sandbox ${into}`).ended;
}

describe.skipIf(process.platform === "win32").each(outputFormats)("a listing as %s", (format) => {
  test("is plain in a pipe, though the terminal has colours", async () => {
    const { code, out, err } = await listing(format, "| cat");
    expect({ code, err }).toEqual({ code: exit.done, err: "" });
    expect(out).toContain("1001");
    expect(out).not.toMatch(/\u001b/);
  });

  test.skipIf(!existsSync("/dev/full"))(
    "fails on a full disk, but not for what stands beside it",
    async () => {
      const [result, beside] = await Promise.all([
        listing(format, "> /dev/full"),
        listing(format, "--debug 2> /dev/full"),
      ]);
      expect(result).toMatchObject({ code: exit.fault, err: expect.stringMatching(/no space left|ENOSPC/i) });
      expect(result.err).not.toMatch(/^\s+at /m);
      expect(beside).toMatchObject({ code: exit.done, out: expect.stringContaining("1001") });
    },
  );
});
