import { describe, expect, test } from "vitest";
import { inputLimits } from "../../src/core/values/input-limits.ts";
import { createCli } from "../support/cli.ts";

describe("an input that never ends, or is too large, is refused", () => {
  test.each([
    ["chat hi -s @/dev/zero", "--system /dev/zero: it is larger than 16 MiB"],
    ["tts --file /dev/zero", "--file /dev/zero: it is larger than 16 MiB"],
    ["image cat --image /dev/zero", "--image /dev/zero: it is larger than 64 MiB"],
  ])("%s", async (line, message) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(`${line} --sandbox`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(message);
  });

  test.each([
    ["chat", "MESSAGE from stdin: it is larger than 16 MiB"],
    ["api call createVirtualMachineRental --input -", "--input from stdin: it is larger than 16 MiB"],
  ])("%s, from stdin", async (line, message) => {
    const { run } = await createCli();
    const stdin = new Uint8Array(inputLimits.text + 1).fill(0x61);
    const { code, err, requests } = await run(`${line} --sandbox`, { stdin });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(message);
  });
});
