import { writeFile } from "node:fs/promises";
import { constants as os } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { serveThirdParty } from "../e2e/third-party-server.ts";
import { createHome, type Home, key } from "../support/process.ts";
import { needs } from "../support/programs.ts";
import { sample } from "../support/thorough.ts";

/** A prompt of each kind, and a command that shows it. */
const prompts = [
  { kind: "a choice", line: "gpuctl rentals create bare-metal", prompt: "ethernet" },
  {
    kind: "a number",
    line: "gpuctl rentals create bare-metal --network-type ethernet",
    prompt: "(--gpu-count)",
  },
  { kind: "an argument", line: "gpuctl rentals get", prompt: "(RENTAL)" },
  { kind: "a confirmation", line: "gpuctl rentals create vm --gpus 1", prompt: "(y/N)" },
  { kind: "a confirmation of a deletion", line: "gpuctl user delete", prompt: "to confirm:" },
  { kind: "a key", line: "gpuctl auth login --base-url https://api.example.com", prompt: "API key" },
];

/** A home with an account at a server. `changes` returns the requests that could change something there. */
async function machineWithAccount() {
  const server = await serveThirdParty({ key });
  onTestFinished(() => server.close());
  const home = await createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key });
  return { home, changes: () => server.requests.filter(({ method }) => method !== "GET") };
}

const rentalsOf = async (home: Home): Promise<readonly unknown[]> =>
  JSON.parse((await home.shell("gpuctl rentals list --sandbox -o json").ended).out);

describe.skipIf(process.platform === "win32").each(["ctrl-c", "ctrl-d"] as const)("%s", (pressed) => {
  test.each(pressed === "ctrl-c" ? sample(prompts, 0, 3, 5) : sample(prompts, 1, 2, 4))(
    "at $kind exits 130 and changes nothing",
    async ({ line, prompt }) => {
      const { home, changes } = await machineWithAccount();
      const terminal = home.shellOnTerminal(line);
      await terminal.waitFor(prompt);
      terminal.press(pressed);
      expect(await terminal.ended()).toEqual({ code: exit.interrupted, signal: 0 });
      expect(await terminal.leftovers()).toEqual([]);
      expect(changes()).toEqual([]);
    },
  );
});

describe.skipIf(process.platform === "win32")("Ctrl-C", () => {
  test("at a prompt in the sandbox rents nothing", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl rentals create vm --gpus 1 --sandbox");
    await terminal.waitFor("(y/N)");
    terminal.press("ctrl-c");
    expect(await terminal.ended()).toMatchObject({ code: exit.interrupted });
    expect(await rentalsOf(home)).toEqual([]);
  });

  test("during a wait reports the created rental", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl rentals create vm --gpus 1 --wait --yes --sandbox");
    await terminal.waitFor("Waiting until it is running");
    terminal.press("ctrl-c");
    expect(await terminal.ended()).toMatchObject({ code: exit.interrupted });
    expect(await terminal.leftovers()).toEqual([]);
    expect(terminal.text()).toContain("Rental 1001 was created and is billed. Do not create it again.");
    expect(await rentalsOf(home)).toMatchObject([{ id: 1001 }]);
  });
});

describe.skipIf(process.platform === "win32")("SIGINT from another program", () => {
  test.each(sample(prompts, 4))(
    "at $kind ends the process at once and changes nothing",
    async ({ line, prompt }) => {
      const { home, changes } = await machineWithAccount();
      const terminal = home.onTerminal(line.replace("gpuctl ", ""));
      await terminal.waitFor(prompt);
      terminal.kill("SIGINT");
      expect(await terminal.ended()).toMatchObject({ code: exit.interrupted });
      expect(await terminal.leftovers()).toEqual([]);
      expect(changes()).toEqual([]);
    },
  );
});

describe.skipIf(process.platform === "win32")("closing the terminal", () => {
  test.each(sample(prompts, 1))("at $kind ends the process and changes nothing", async ({ line, prompt }) => {
    const { home, changes } = await machineWithAccount();
    const terminal = home.shellOnTerminal(`exec ${line}`);
    await terminal.waitFor(prompt);
    terminal.close();
    expect(await terminal.ended()).toEqual({ code: 0, signal: os.signals.SIGHUP });
    expect(changes()).toEqual([]);
  });

  test("ends the process during a wait; the created rental remains", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("exec gpuctl rentals create vm --gpus 1 --wait --yes --sandbox");
    await terminal.waitFor("Waiting until it is running");
    terminal.close();
    expect(await terminal.ended()).toEqual({ code: 0, signal: os.signals.SIGHUP });
    expect(await rentalsOf(home)).toMatchObject([{ id: 1001 }]);
  });

  describe("of a shell that runs a job", () => {
    needs("bash");
    needs("ssh");
    needs("sshd");

    test("ends the rental, although the signal arrives twice", async () => {
      const home = await createHome();
      await home.run("sandbox boot add --outcome slow --after 0s --sandbox");
      // The command does not end at once, so that gpuctl is still stopping it when the second signal arrives.
      const script = "trap '' TERM; echo started; while :; do sleep 1; done";
      await writeFile(join(home.folder, "script"), script);
      const shell = home.interactiveShell();
      // The shell passes the signal on before it runs this trap. The kernel sends the signal again when the shell ends.
      shell.type("trap 'until grep -q Interrupted: log; do sleep 0.1; done' EXIT\r");
      shell.type('gpuctl rentals run --gpus 1 --sandbox --yes -- sh -c "$(cat script)" 2> log\r');
      await shell.waitFor(/^started$/m);
      expect(await rentalsOf(home)).toMatchObject([{ id: 1001 }]);
      shell.close();
      await shell.ended();
      await expect.poll(() => rentalsOf(home), { timeout: 60_000 }).toEqual([]);
    });
  });

  test("stops sandbox serve", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("exec gpuctl sandbox serve --port 0");
    await terminal.waitFor(/http:\S+/);
    terminal.close();
    expect(await terminal.ended()).toEqual({ code: 0, signal: os.signals.SIGHUP });
  });
});
