import { expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { failureOf } from "../../src/cli/report/failure.ts";
import { BudgetExceeded, SomeFailed } from "../../src/core/errors.ts";
import {
  InterruptedWrite,
  NetworkError,
  ServiceError,
  UnknownOutcome,
} from "../../src/core/service-errors.ts";

const request = { method: "POST", url: "https://api.example.com/v2" };
const refused = new ServiceError({ status: 409, code: "X", message: "no", issues: [] }, request);
const unknown = new UnknownOutcome("broken", undefined, request);
const network = new NetworkError("down", "ECONNREFUSED", request);
const interrupted = new InterruptedWrite(request);

test.each([
  ["is that of the failures if all items fail alike", [refused, refused], 0, exit.refused],
  ["is 12 if some items fail and another succeeds", [refused, refused], 1, exit.someFailed],
  ["is 12 if items fail in different ways", [refused, network], 0, exit.someFailed],
  ["is 10 if the outcome of an item is unknown", [refused, unknown], 1, exit.unknownOutcome],
  ["is 10 if the outcome of the first item is unknown", [unknown, refused], 0, exit.unknownOutcome],
  ["is 130 if an item is interrupted", [refused, interrupted], 3, exit.interrupted],
  ["is 130 rather than 10 if an item is interrupted", [unknown, interrupted], 0, exit.interrupted],
  ["is 11 if the only failure is a cost limit", [new BudgetExceeded("too much")], 0, exit.budget],
])("the exit code of a command for several items %s", (_what, errors, succeeded, code) => {
  const failures = errors.map((error, at) => ({ name: String(at), error }));
  expect(failureOf(new SomeFailed("some failed", { failures, succeeded }))).toMatchObject({
    exitCode: code,
    retryable: false,
  });
});
