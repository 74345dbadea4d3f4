import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { addProgram, createHome, key } from "../support/process.ts";
import { virtualMachine } from "./third-party-records.ts";
import { send, serveThirdParty } from "./third-party-server.ts";

const record = {
  ...virtualMachine,
  status: "Running",
  providerData: { sshNetworking: [{ host: "203.0.113.7", port: 30022, user: "ubuntu" }] },
};

/** A home where ssh is a shell script. */
async function withSsh(script: string) {
  const server = await serveThirdParty({
    key,
    instead: { "GET /v2/on-demand/rental": (_request, response) => send(response, record) },
  });
  onTestFinished(() => server.close());
  const home = await createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key });
  await addProgram(home.folder, "ssh", script);
  return home;
}

describe.skipIf(process.platform === "win32")("rentals ssh", () => {
  test.each([0, 3, 255])("exits with ssh's exit status %i", async (status) => {
    const { run } = await withSsh(`exit ${status}`);
    expect(await run("rentals ssh 18026")).toEqual({ code: status, out: "", err: "" });
  });

  test.each([
    ["TERM", 143],
    ["KILL", 137],
  ])("exits with 128 plus the signal number when SIG%s ended ssh", async (signal, code) => {
    const { run } = await withSsh(`kill -${signal} $$`);
    expect((await run("rentals ssh 18026")).code).toBe(code);
  });

  test("passes arguments, stdin, stdout and stderr through unchanged, without a shell", async () => {
    const { run } = await withSsh('for word in "$@"; do echo "<$word>"; done; cat; echo problem >&2');
    const words = ["a b", "$HOME; rm *", "", "it's", "--print"];
    const { code, out, err } = await run(["rentals", "ssh", "18026", "--", ...words], {
      input: "from stdin",
    });
    expect({ code, err }).toEqual({ code: 0, err: "problem\n" });
    expect(out).toBe(
      `${["-p", "30022", "ubuntu@203.0.113.7", ...words].map((word) => `<${word}>\n`).join("")}from stdin`,
    );
  });

  test("passes on the environment without the API key, which ssh might send to the rental", async () => {
    const { run, env } = await withSsh("env");
    const { code, out } = await run("rentals ssh 18026", { env: { OTHER: "other value" } });
    expect(code).toBe(0);
    expect(out).not.toContain(key);
    expect(out).toContain("OTHER=other value\n");
    expect(out).toContain(`HOME=${env.HOME}\n`);
  });

  test("says what to do when ssh is not installed", async () => {
    const { env } = await withSsh("exit 0");
    const { run } = await createHome({ ...env, PATH: "/nowhere" });
    const { code, err } = await run("rentals ssh 18026");
    expect(code).toBe(2);
    expect(err).toMatch(/^Error: ssh cannot be started .*\n.*installed.*\n$/);
  });

  test("leaves every Ctrl-C to ssh", async () => {
    const home = await withSsh('trap "echo got it" INT; echo ready; until read line; do :; done; exit 7');
    const terminal = home.onTerminal("rentals ssh 18026");
    await terminal.waitFor(/ready/);
    for (let times = 1; times <= 8; times += 1) {
      terminal.press("ctrl-c");
      await terminal.waitFor(new RegExp(`(got it[\\s\\S]*){${times}}`));
    }
    terminal.type("done\n");
    expect(await terminal.ended()).toMatchObject({ code: 7 });
    expect(terminal.text()).not.toContain("interrupted");
  });

  test("forwards SIGTERM to ssh, and exits with ssh's exit status", async () => {
    const home = await withSsh(
      'trap "echo ended > ended; exit 9" TERM; echo ready; while :; do sleep 0.05; done',
    );
    const child = home.start("rentals ssh 18026");
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    child.kill("SIGTERM");
    expect(await child).toMatchObject({ exitCode: 9 });
    expect(await readFile(join(home.folder, "ended"), "utf8")).toBe("ended\n");
  });
});
