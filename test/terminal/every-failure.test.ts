import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { asJson, withFlags } from "../support/examples.ts";
import { createHome, type ProcessResult } from "../support/process.ts";
import { needs } from "../support/programs.ts";
import { sample } from "../support/thorough.ts";
import { lineOf, ofEachKind, preparedHomes, specialCaseOf } from "./examples.ts";

const homeFor = preparedHomes();

/** The environment for an account on a port where nothing listens. */
const deadHost = {
  GPUCTL_BASE_URL: "http://127.0.0.1:1",
  GPUCTL_API_KEY: "key-of-no-account",
  GPUCTL_RETRIES: "0",
};

/** The examples that can run without anyone at a terminal, and print a result. */
const unattended = ofEachKind.filter(
  ({ example: { command } }) => specialCaseOf(command).inPipe !== "refuses" && !/^gpuctl mcp/.test(command),
);

/** Expects one error document on stderr, and nothing on stdout. */
function expectFailure({ code, out, err }: ProcessResult, exitCode: number, message = /./): void {
  expect({ code, out }, err).toEqual({ code: exitCode, out: "" });
  expect(JSON.parse(err).error).toMatchObject({ exitCode, message: expect.stringMatching(message) });
}

describe.skipIf(process.platform === "win32")("with -o json, an error is one document on stderr", () => {
  test.each(sample(ofEachKind, 1))("for a wrong flag: $example.command", async ({ example: { command } }) => {
    const { shell } = await createHome();
    const wrong = await shell(withFlags(asJson(command), "--no-such-flag")).ended;
    expectFailure(wrong, exit.usage, /--no-such-flag/);
  });

  test.each(["rentals list", "rentals create vm --gpus 1", "chat hello --model llama", "user delete --yes"])(
    "when nothing listens: %s",
    async (line) => {
      const { shell } = await createHome();
      expectFailure(await shell(asJson(`gpuctl ${line}`), { env: deadHost }).ended, exit.network);
    },
  );
});

describe.skipIf(process.platform === "win32")("stdout on a full disk", () => {
  test.skipIf(!existsSync("/dev/full")).each(sample(unattended, 0, 4))(
    "is an error: $example.command",
    async ({ example }) => {
      const { shell } = await homeFor(example);
      const full = await shell(`${asJson(lineOf(example))} > /dev/full`).ended;
      expectFailure(full, exit.fault, /no space left|ENOSPC/i);
    },
  );
});

describe.skipIf(process.platform === "win32")("stdout closed by its reader", () => {
  needs("bash");

  test.each(sample(unattended, 1, 5))("is not an error: $example.command", async ({ example }) => {
    const { shell } = await homeFor(example);
    const line = `exec 3> >(exec true); wait $!; ${lineOf(example)} >&3`;
    const left = await shell(line, { shell: "bash" }).ended;
    expect(left).toEqual({ code: exit.done, out: "", err: expect.not.stringMatching(/EPIPE|error/i) });
  });
});
