import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHome } from "../support/process.ts";
import { needs } from "../support/programs.ts";
import { sample } from "../support/thorough.ts";

describe.skipIf(process.platform === "win32")("stdin", () => {
  needs("bash");

  it("is left to the shell loop that reads it, if gpuctl runs with --no-stdin", async () => {
    const home = await createHome();
    await writeFile(join(home.folder, "list"), "first\nsecond\nthird\n");
    const loop = 'while read -r line; do gpuctl chat "$line" --no-stdin --sandbox; done < list';
    const { out } = await home.shell(loop).ended;
    expect(out.match(/first|second|third/g)).toEqual(["first", "second", "third"]);
  });

  it.each(["< /dev/null", "<&-"])("may be empty or closed: %s", async (redirection) => {
    const home = await createHome();
    const { code, out, err } = await home.shell(`gpuctl chat Hello --sandbox ${redirection}`).ended;
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/: Hello\n$/);
  });

  it("that cannot be read is an error", async () => {
    const home = await createHome();
    const { code, out, err } = await home.shell("gpuctl chat Hello --sandbox 0> /dev/null").ended;
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^Error: MESSAGE from stdin: .*\nNothing was sent; --no-stdin skips it\.\n$/);
  });

  it.runIf(process.platform === "linux").each([
    ["the stdin that nohup provides", "gpuctl sandbox serve --port 0 --memory 0> /dev/null"],
    [
      "a stdin that is not from nohup",
      "env _=/usr/bin/nohup gpuctl sandbox serve --port 0 --memory < /dev/null",
    ],
  ])("under nohup does not matter: gpuctl ignores SIGHUP with %s", async (_name, line) => {
    const home = await createHome();
    // A server that obeyed SIGHUP would not answer.
    const script = `mkfifo out; exec 3<>out
${line} > out 2> log & child=$!
read -r line < out
kill -HUP $child; kill -HUP $child
gpuctl sandbox status --base-url "\${line##* }" > status; echo "status $?"
kill -TERM $child; wait $child; echo "exit $?"`;
    const { out } = await home.shell(script, { shell: "bash" }).ended;
    expect(out).toBe("status 0\nexit 0\n");
  });

  it.each(sample(["INT", "TERM", "HUP"], 1))(
    "that stays open is reported, and SIG%s ends gpuctl",
    async (signal) => {
      const home = await createHome();
      // The shell itself keeps the pipe open, so no other program has to be ended.
      const script = `mkfifo pipe log; exec 3<>pipe
gpuctl chat Hello --sandbox < pipe 2> log & child=$!
read -r line < log; echo "$line"
kill -${signal} $child; wait $child; echo "exit $?"
gpuctl sandbox requests -o json`;
      const { out } = await home.shell(script, { shell: "bash" }).ended;
      expect(out).toBe("Reading stdin until it ends; --no-stdin skips it.\nexit 130\n[]\n");
    },
  );
});
