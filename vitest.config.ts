import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    // No test replaces a module or keeps anything in one, so that each is loaded once and not for every file.
    isolate: false,
    coverage: { provider: "v8", include: ["src/**/*.ts"], reporter: ["text-summary", "lcov"] },
  },
});
