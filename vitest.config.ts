import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    // Each module is loaded once and not for every file: no test replaces one or keeps anything in one. What is to be
    // undone when a file ends is registered by a function that the file calls.
    isolate: false,
    coverage: { provider: "v8", include: ["src/**/*.ts"], reporter: ["text-summary", "lcov"] },
  },
});
