import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mutations } from "../../scripts/mutations.ts";

describe("every mutation", () => {
  test.each(mutations.map(({ name, ...mutation }) => [name, mutation] as const))(
    "changes text that its file contains exactly once, and its tests exist: %s",
    (_, { file, from, tests }) => {
      expect(readFileSync(file, "utf8").split(from)).toHaveLength(2);
      expect(tests.filter((one) => !existsSync(one))).toEqual([]);
    },
  );
});
