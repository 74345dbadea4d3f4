import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failureOf } from "../../src/cli/report/failure.ts";

/** Errors that the command line never reports: they are caught earlier, or their cause is reported instead. */
const internal = [
  "Incomplete",
  "ConnectionFailed",
  "ConnectionReset",
  "ConnectionLost",
  "DryRun",
  "LockLost",
  "ApiError",
  "NoSpeakableText",
  "UnreadableReference",
  "TimeLimitExceeded",
  "InputTooLarge",
  "CannotJoin",
  "EngineFailure",
  "BodyTooLarge",
];

/** The names of all error classes, except those in src/library, which the command line never throws. */
const names = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.startsWith("library"))
  .flatMap((file) => [
    ...readFileSync(join("src", file), "utf8").matchAll(/override readonly name = "(\w+)"/g),
  ])
  .map(([, name = ""]) => name);

test.each(names.filter((name) => !internal.includes(name)))(
  "%s is not reported as a bug in gpuctl",
  (name) => {
    const error = Object.assign(new Error("what happened"), { name });
    expect(failureOf(error)).not.toMatchObject({ code: "FAULT" });
  },
);

test("an unexpected error is reported as a bug in gpuctl", () => {
  expect(failureOf(new TypeError("oops"))).toMatchObject({ code: "FAULT", exitCode: 1, retryable: false });
});

test("an error is not retryable after a change was made", () => {
  const error = Object.assign(new Error("no response"), { name: "NetworkError" });
  expect(failureOf(error)).toMatchObject({ retryable: true, hint: expect.stringContaining("safe") });
  expect(failureOf(error, { completedBefore: "Rental 7 was created." })).toMatchObject({
    retryable: false,
    hint: "Rental 7 was created.",
  });
});
