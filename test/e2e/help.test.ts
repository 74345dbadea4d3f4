import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHome } from "../support/process.ts";

test.each(["help", "help rentals create vm", "help exit-codes", "rentals --help"])(
  "gpuctl %s works with a broken configuration",
  async (line) => {
    const home = await createHome();
    await mkdir(join(home.folder, "config"));
    await writeFile(join(home.folder, "config/config.json"), "{ broken");
    const { code, out, err } = await home.run(line);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.split("\n").filter((text) => text.length > 80 && !text.startsWith("  gpuctl "))).toEqual([]);
  },
);

test.each(["help nope", "nope --help", "rentals nope -h"])("gpuctl %s is an error", async (line) => {
  const home = await createHome();
  expect(await home.run(line)).toMatchObject({ code: 2, out: "" });
});
