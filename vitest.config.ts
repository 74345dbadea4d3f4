import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { MissingPrograms } from "./test/support/missing-programs.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Long enough for a busy machine; properties that are tried more often than usual take longer.
    testTimeout: process.env.GPUCTL_TEST_RUNS ? 900_000 : 180_000,
    reporters: ["default", new MissingPrograms()],
    // One more than there are cores, because most of the tests wait for processes that they started.
    maxWorkers: availableParallelism() + 1,
    // Each module is loaded once in a worker, and not for every file: no test replaces a module or keeps state in one.
    // What has to be undone when a file ends is registered by a function that the file calls.
    isolate: false,
    coverage: { provider: "v8", include: ["src/**/*.ts"], reporter: ["text-summary", "lcov"] },
  },
});
