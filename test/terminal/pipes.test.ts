import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { outputFormats } from "../../src/core/view.ts";
import { needs } from "../support/programs.ts";
import { createRentedHome } from "../support/rented-home.ts";
import { sample } from "../support/thorough.ts";

async function listing(format: string, into: string) {
  const home = await createRentedHome(["trainer"]);
  return home.shell(`gpuctl rentals list -o ${format} --sandbox ${into}`).ended;
}

describe.skipIf(process.platform === "win32").each(sample(outputFormats, 0, 1))(
  "a listing as %s",
  (format) => {
    test("has no colors in a pipe", async () => {
      const { code, out, err } = await listing(format, "| cat");
      expect({ code, err }).toEqual({ code: exit.done, err: "" });
      expect(out).toContain("1001");
      expect(out).not.toMatch(/\u001b/);
    });

    test.skipIf(!existsSync("/dev/full"))(
      "fails on a full disk, but not if only stderr is on a full disk",
      async () => {
        const [result, beside] = await Promise.all([
          listing(format, "> /dev/full"),
          listing(format, "--debug 2> /dev/full"),
        ]);
        expect(result).toMatchObject({
          code: exit.fault,
          err: expect.stringMatching(/no space left|ENOSPC/i),
        });
        expect(result.err).not.toMatch(/^\s+at /m);
        expect(beside).toMatchObject({ code: exit.done, out: expect.stringContaining("1001") });
      },
    );
  },
);

describe.skipIf(process.platform === "win32")("a command whose parts can fail", () => {
  needs("bash");

  const closed = "exec 3> >(exec true); wait $!";
  const full = "exec 3> /dev/full";
  const terminations = {
    fault: "--operation terminateVirtualMachineRental --status 403 --after 1",
    line: "rentals terminate --all --yes",
    message: /1 of 3 rentals could not be terminated[\s\S]*Terminated: 100\d, 100\d\./,
    code: exit.someFailed,
  };
  const listings = {
    fault: "--operation listBareMetalRentals --status 403",
    line: "rentals list",
    message: /returned 403[\s\S]*Only virtual machines are listed/,
    code: exit.forbidden,
  };

  test.each([
    [terminations, closed, ""],
    [terminations, full, "Also, the result cannot be written: "],
    [listings, closed, ""],
    [listings, full, "Also, the result cannot be written: "],
  ])("keeps its error and exit code if its result is lost: $line, $1", async (failing, into, reason) => {
    if (into === full && !existsSync("/dev/full")) return;
    const { fault, line, message, code } = failing;
    const home = await createRentedHome(["one", "two", "three"]);
    const script = `gpuctl sandbox fault add ${fault} > made; ${into}; gpuctl ${line} --sandbox >&3`;
    const outcome = await home.shell(script, { shell: "bash" }).ended;
    expect(outcome.code, outcome.err).toBe(code);
    expect(outcome.err).toMatch(message);
    expect(outcome.err).toContain(reason);
  });

  test("ends quietly if no part fails and the reader has closed the pipe", async () => {
    const home = await createRentedHome(["one"]);
    const script = `${closed}; gpuctl rentals list --sandbox >&3`;
    expect(await home.shell(script, { shell: "bash" }).ended).toMatchObject({ code: exit.done, err: "" });
  });
});

describe.skipIf(!existsSync("/dev/full"))("a guard whose events cannot be written", () => {
  needs("bash");

  test("goes on after a warning", async () => {
    const home = await createRentedHome(["trainer", "other"]);
    const script = `mkfifo log; exec 3<>log
gpuctl rentals guard --every 1h --yes --sandbox > /dev/full 2> log & child=$!
until read -r line < log; [[ $line == *Warning* ]]; do :; done
echo "$line"
kill -TERM $child; wait $child; echo "exit $?"`;
    const { out } = await home.shell(script, { shell: "bash" }).ended;
    expect(out).toMatch(/^Warning: .*no space left .*The command continues\.\nexit 130\n$/);
  });

  test("prints events again once there is room in the file", async () => {
    const home = await createRentedHome(["trainer"]);
    // The file is as large as a file may be. When it is emptied, writes succeed again.
    const script = `trap '' XFSZ; ulimit -f 1000000; truncate -s 1000000K events; mkfifo log; exec 3<>log
gpuctl rentals guard --every 10s --yes --sandbox >> events 2> log & child=$!
until read -r line < log; [[ $line == *Warning* ]]; do :; done
echo "$line"; : > events
gpuctl rentals create vm --gpus 1 --label later --yes -q --sandbox -o id
until grep -q later events; do :; done
kill -TERM $child; wait $child; echo "exit $?"; cat events`;
    const { out } = await home.shell(script, { shell: "bash" }).ended;
    expect(out).toMatch(/^Warning: .*The command continues\.\n1002\nexit 130\n.*later.*\n$/);
  });
});

describe.skipIf(process.platform === "win32")("a guard whose reader has closed the pipe", () => {
  needs("bash");

  test.each(["", " -o jsonl"])(
    "fails, and says that it no longer ends rentals: --every%s",
    async (format) => {
      const home = await createRentedHome(["trainer"]);
      const guard = `gpuctl rentals guard --every 1h --yes --sandbox${format}`;
      const { code, err } = await home.shell(`exec 3> >(exec true); wait $!; ${guard} >&3`, { shell: "bash" })
        .ended;
      expect(code).toBe(exit.fault);
      expect(err).toContain("the pipe was closed");
      expect(err).toContain("The guard has ended: no rental is ended until it runs again.");
    },
  );
});
