import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { MissingPrograms } from "./test/support/missing-programs.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: [join(import.meta.dirname, "test/support/run-folder.ts")],
    // Long enough for a busy machine. Property tests with more runs than their default take longer.
    testTimeout: process.env.GPUCTL_TEST_RUNS ? 3_600_000 : 180_000,
    hookTimeout: 60_000,
    // A missing snapshot fails the test, also outside CI. Only `-u` writes snapshots.
    update: "none",
    allowOnly: false,
    reporters: ["default", new MissingPrograms()],
    // Two more workers than cores, because most tests wait for processes that they started.
    maxWorkers: availableParallelism() + 2,
    // Each worker loads a module only once, not once for every test file. So tests keep no state in modules, and each test
    // file registers its own cleanup.
    isolate: false,
    coverage: { provider: "v8", include: ["src/**/*.ts"], reporter: ["text-summary", "lcov"] },
  },
});
