import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { asJson, withFlags } from "../support/examples.ts";
import { createHome, type Ran } from "../support/process.ts";
import { needs } from "../support/programs.ts";
import { attendedOf, lineOf, ofEachKind, preparedHomes } from "./examples.ts";

const homeFor = preparedHomes();

/** Nothing listens there. */
const deadHost = {
  GPUCTL_BASE_URL: "http://127.0.0.1:1",
  GPUCTL_API_KEY: "key-of-no-account",
  GPUCTL_RETRIES: "0",
};

/** Those that come to a result without a person. */
const unattended = ofEachKind.filter(({ example }) => attendedOf(example.command).inPipe !== "refuses");

/** A failure is the one document on stderr, and nothing is on stdout. */
function expectFailure({ code, out, err }: Ran, exitCode: number, message = /./): void {
  expect({ code, out }, err).toEqual({ code: exitCode, out: "" });
  expect(JSON.parse(err).error).toMatchObject({ exitCode, message: expect.stringMatching(message) });
}

describe.skipIf(process.platform === "win32")("with -o json a failure is one document on stderr", () => {
  test.each(ofEachKind)("for a wrong flag: $example.command", async ({ example: { command } }) => {
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
  test.skipIf(!existsSync("/dev/full")).each(unattended)(
    "is an error: $example.command",
    async ({ example }) => {
      const { shell } = await homeFor(example);
      const full = await shell(`${asJson(lineOf(example))} > /dev/full`).ended;
      expectFailure(full, exit.fault, /no space left|ENOSPC/i);
    },
  );
});

describe.skipIf(process.platform === "win32")("stdout whose reader left", () => {
  needs("bash");

  test.each(unattended)("is no error: $example.command", async ({ example }) => {
    const { shell } = await homeFor(example);
    const line = `exec 3> >(exec true); wait $!; ${lineOf(example)} >&3`;
    const left = await shell(line, { shell: "bash" }).ended;
    expect(left).toEqual({ code: exit.done, out: "", err: expect.not.stringMatching(/EPIPE|error/i) });
  });
});
