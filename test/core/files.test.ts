import { join } from "node:path";
import { expect, test } from "vitest";
import { writeDurableFile, writePrivateFile } from "../../src/core/files.ts";
import { scratchFolder } from "../media/scratch.ts";
import { fillDisk } from "../support/full-disk.ts";

test.each([
  ["private", writePrivateFile],
  ["durable", writeDurableFile],
])("the error for a %s file that does not fit on the disk names the file", async (_, write) => {
  const path = join(await scratchFolder(), "job.json");
  fillDisk("job.json");
  expect(() => write(path, "{}")).toThrow(expect.objectContaining({ code: "ENOSPC", path }));
});
