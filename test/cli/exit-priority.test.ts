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
  ["alike", [refused, refused], 0, exit.refused],
  ["alike, and others succeeded", [refused, refused], 1, exit.someFailed],
  ["different", [refused, network], 0, exit.someFailed],
  ["one with an unknown outcome", [refused, unknown], 1, exit.unknownOutcome],
  ["one with an unknown outcome that comes first", [unknown, refused], 0, exit.unknownOutcome],
  ["one interrupted", [refused, interrupted], 3, exit.interrupted],
  ["one interrupted and one with an unknown outcome", [unknown, interrupted], 0, exit.interrupted],
  ["one, because of a cost limit", [new BudgetExceeded("too much")], 0, exit.budget],
])("the exit code of one or more failures: %s", (_what, errors, succeeded, code) => {
  const failures = errors.map((error, at) => ({ name: String(at), error }));
  expect(failureOf(new SomeFailed("some failed", { failures, succeeded }))).toMatchObject({
    exitCode: code,
    retryable: false,
  });
});
