import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { Unavailable } from "../../src/core/errors.ts";
import type { RunOptions } from "../support/cli.ts";
import { painter, saved, tinyPng } from "../support/pictures.ts";
import { addProgram, createHome } from "../support/process.ts";
import { overNetwork } from "../support/service.ts";

interface Started {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>> | undefined;
}

/** A machine with these programs, and a list of the programs that were started on it. */
function machine(platform: string, programs: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const started: Started[] = [];
  const network = overNetwork();
  const options: RunOptions = {
    ...network,
    env: { ...network.env, ...env },
    machine: { platform },
    programs: {
      which: async (program) => (programs.includes(program) ? `/bin/${program}` : undefined),
      start: async (program, args, added) => {
        started.push({ program, args, env: added });
      },
    },
  };
  return { started, options };
}

const display = { DISPLAY: ":0" };

describe("image --open", () => {
  test("passes the absolute path of each picture to xdg-open", async () => {
    const cli = await painter(tinyPng());
    const { started, options } = machine("linux", ["xdg-open"], display);
    const { code } = await cli.run("image cat -n 2 --open --out=-a.png", options);
    expect(code).toBe(exit.done);
    expect(await saved(cli)).toEqual(["-a-1.png", "-a-2.png"]);
    expect(started.map(({ program, args }) => [program, ...args])).toEqual([
      ["/bin/xdg-open", join(cli.folder, "-a-1.png")],
      ["/bin/xdg-open", join(cli.folder, "-a-2.png")],
    ]);
  });

  test("starts the program once for all pictures on macOS", async () => {
    const cli = await painter(tinyPng());
    const { started, options } = machine("darwin", ["open"]);
    await cli.run("image cat -n 12 --open --out a.png", options);
    expect(started).toHaveLength(1);
    expect(started[0]?.args).toHaveLength(12);
  });

  test("passes the path to PowerShell in a variable, not as a part of a command", async () => {
    const cli = await painter(tinyPng());
    const { started, options } = machine("win32", ["powershell"]);
    await cli.run(["image", "cat", "--open", "--out", "a'; calc $(x).png"], options);
    const [{ program, args, env } = { program: "", args: [], env: {} }] = started;
    expect(program).toBe("/bin/powershell");
    expect(args.join(" ")).not.toContain("calc");
    expect(env).toEqual({ GPUCTL_OPEN_PATH: join(cli.folder, "a'; calc $(x).png") });
  });

  test("uses wslview in WSL, even without a display", async () => {
    const cli = await painter(tinyPng());
    const { started, options } = machine("linux", ["wslview", "xdg-open"], { WSL_DISTRO_NAME: "Debian" });
    await cli.run("image cat --open", options);
    expect(started.map(({ program }) => program)).toEqual(["/bin/wslview"]);
  });

  test.each([
    ["linux", [], display, "--open needs the program xdg-open, which is not installed", "Install xdg-utils"],
    ["linux", ["xdg-open"], {}, "there is no display", "Use --preview"],
    ["win32", [], {}, "--open needs the program powershell or pwsh, but neither is installed", "PowerShell"],
    ["darwin", [], {}, "--open needs the program open, which is not installed", "/usr/bin"],
  ] as const)(
    "is rejected before anything is sent: %s with the programs %o",
    async (platform, programs, env, error, hint) => {
      const cli = await painter(tinyPng());
      const { started, options } = machine(platform, programs, env);
      const { code, err, requests } = await cli.run("image cat --open", options);
      expect(code).toBe(exit.usage);
      expect(err).toContain(error);
      expect(err).toContain(hint);
      expect(requests).toEqual([]);
      expect(started).toEqual([]);
    },
  );

  test("does not open a file that is not a picture, because the system could run the file", async () => {
    const cli = await painter(Buffer.from("#!/bin/sh\ntouch /tmp/run\n"));
    const { started, options } = machine("linux", ["xdg-open"], display);
    const { code, err } = await cli.run("image cat --open", options);
    expect({ code, started }).toEqual({ code: exit.done, started: [] });
    expect(err).toMatch(/\.bin is not opened, because it is not an image of a known type/);
  });

  test("opens at most ten pictures on Linux, and says so", async () => {
    const cli = await painter(tinyPng());
    const { started, options } = machine("linux", ["xdg-open"], display);
    const { err } = await cli.run("image cat -n 12 --open", options);
    expect(started).toHaveLength(10);
    expect(err).toContain("Opened the first 10 of 12 images.\n");
  });

  test("reports a viewer that cannot be started, and keeps the picture", async () => {
    const cli = await painter(tinyPng());
    const { options } = machine("linux", ["xdg-open"], display);
    const start = () => Promise.reject(new Unavailable("xdg-open cannot be started (EACCES)", ""));
    const { code, out, err } = await cli.run("image cat --open", {
      ...options,
      programs: { ...options.programs, start },
    });
    expect(code).toBe(exit.done);
    expect(out).toMatch(/\.png\n$/);
    expect(err).toContain("The images were saved, but not opened: xdg-open cannot be started (EACCES)");
  });
});

test.skipIf(process.platform !== "linux")(
  "image --open leaves the viewer running after gpuctl has ended",
  async () => {
    const home = await createHome({ DISPLAY: ":0" });
    // The viewer waits for a line that the shell writes after gpuctl has ended. The shell then waits for the viewer.
    await addProgram(
      home.folder,
      "xdg-open",
      'read -r line < "$HOME/go"; printf "%s" "$1" > "$HOME/opened"; echo > "$HOME/done"',
    );
    const { ended } = home.shell(
      'mkfifo "$HOME/go" "$HOME/done"; gpuctl image cat --sandbox --open --out a.png -q && echo > "$HOME/go" && read -r x < "$HOME/done"',
    );
    const { code, err } = await ended;
    expect(code, err).toBe(0);
    expect(await readFile(join(home.folder, "opened"), "utf8")).toBe(join(home.folder, "a.png"));
  },
);
