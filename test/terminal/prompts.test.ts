import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { lookup } from "../e2e/third-party-records.ts";
import { send, serveThirdParty } from "../e2e/third-party-server.ts";
import { description } from "../support/described.ts";
import { createHome, firstChunk, key } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { createRentedHome } from "../support/rented-home.ts";
import type { Terminal } from "../support/terminal.ts";
import { sample } from "../support/thorough.ts";

/** The equivalent command line that gpuctl prints after prompts. */
function printedLine(terminal: Terminal): string {
  const [, line] = /^To run this again without prompts: (gpuctl .*)$/m.exec(terminal.text()) ?? [];
  if (line === undefined) throw new Error(`no command line was printed:\n${terminal.text()}`);
  return line;
}

/** Enters an invalid number of GPUs, then a valid one. */
async function enterGpuCount(terminal: Terminal): Promise<void> {
  await terminal.waitFor("(--gpu-count)");
  terminal.type("12");
  terminal.press("enter");
  await terminal.waitFor("--gpu-count must be a multiple of 8");
  terminal.press("backspace", "backspace");
  terminal.type("8");
  terminal.press("enter");
}

async function confirmRental(terminal: Terminal): Promise<void> {
  await terminal.waitFor("(y/N)");
  terminal.type("y");
  terminal.press("enter");
}

/** Creates a rental of eight GPUs from prompts, with values that are entered manually instead of an offer. */
async function rentFromPrompts(terminal: Terminal): Promise<void> {
  await terminal.waitFor("manually");
  terminal.press("up", "enter");
  // The choices are drawn after their question.
  await terminal.waitFor(/\(--gpu-type\)[^❯]*❯/);
  terminal.press("enter");
  await enterGpuCount(terminal);
  await terminal.waitFor(/\(--region\)[^❯]*❯/);
  terminal.press("enter");
  await terminal.waitFor(/\(--network-type\)[^❯]*❯/);
  terminal.press("down", "enter");
  await confirmRental(terminal);
}

describe.skipIf(process.platform === "win32")("a prompt", () => {
  test("can be answered after text that was typed on stdin", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl sandbox seed -");
    await terminal.waitFor("press Ctrl-D to end it");
    terminal.type('{"rentals":[]}');
    terminal.press("enter");
    await terminal.waitFor('{"rentals":[]}');
    terminal.press("ctrl-d");
    await terminal.waitFor("(y/N)");
    terminal.type("y");
    terminal.press("enter");
    expect(await terminal.ended(), terminal.text()).toEqual({ code: 0, signal: 0 });
    expect(terminal.text()).toContain("balance:");
    expect(await terminal.leftovers()).toEqual([]);
  });
});

describe.skipIf(process.platform === "win32")("a rental for which gpuctl prompts", () => {
  test("has the entered values, and the printed command line sends the same request", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl rentals create bare-metal --sandbox");
    await rentFromPrompts(terminal);
    expect(await terminal.ended()).toEqual({ code: 0, signal: 0 });
    expect(await terminal.leftovers()).toEqual([]);

    const { out } = await home.shell("gpuctl rentals list --sandbox -o json").ended;
    expect(JSON.parse(out)).toMatchObject([{ networkType: "ethernet", gpuCount: 8 }]);
    const line = printedLine(terminal);
    expect(line).toBe(
      "gpuctl rentals create bare-metal --sandbox --gpu-type h100 --gpu-count 8 --region us-central-1 --network-type ethernet --yes",
    );
    const dry = await home.shell(`${line} --dry-run -o json`).ended;
    expect(JSON.parse(dry.out)).toMatchObject({
      request: { body: { networkType: "ethernet", gpuCount: 8 } },
    });
  });

  test("is created on a service with the same request that the printed command line sends", async () => {
    const server = await serveThirdParty({ key });
    onTestFinished(() => server.close());
    const home = await createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key });
    const terminal = home.shellOnTerminal("gpuctl rentals create bare-metal --label 'my \"first\" box'");
    await terminal.waitFor("ethernet");
    terminal.press("down", "enter");
    await enterGpuCount(terminal);
    await confirmRental(terminal);
    expect(await terminal.ended()).toMatchObject({ code: 0 });
    expect(await home.shell(printedLine(terminal)).ended).toMatchObject({ code: 0 });
    const [prompted, typed, ...more] = server.requests.filter(({ method }) => method === "POST");
    expect(prompted?.body).toEqual({ networkType: "ethernet", gpuCount: 8, label: 'my "first" box' });
    expect([typed, ...more]).toEqual([prompted]);
  });

  test("is not created if the answer is the default, no", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl rentals create vm --gpus 1 --sandbox");
    await terminal.waitFor("(y/N)");
    terminal.press("enter");
    expect(await terminal.ended()).toMatchObject({ code: 130 });
    expect(terminal.text()).toContain("nothing was changed");
    expect((await home.shell("gpuctl rentals list --sandbox -o json").ended).out).toBe("[]\n");
  });

  test("can be chosen by typing parts of an offer", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl rentals create vm --sandbox", { columns: 100 });
    await terminal.waitFor("type to search");
    terminal.type("h200 eu-north-4 5.20");
    await terminal.waitFor(/❯ 2 x h200 +eu-north-4 +ethernet +\$5\.20\/h/);
    terminal.press("enter");
    await terminal.waitFor("Rent a virtual machine with 2 x h200 in eu-north-4 (on-demand)?");
    await confirmRental(terminal);
    expect(await terminal.ended()).toMatchObject({ code: 0 });
  });

  test.each(sample([80, 60], 1))(
    "is confirmed with a question that breaks between words (%i columns)",
    async (columns) => {
      const home = await createHome();
      const terminal = home.shellOnTerminal("gpuctl rentals create vm --gpus 1 --sandbox", { columns });
      await terminal.waitFor("(y/N)");
      expect(terminal.screen().join(" ")).toContain(
        "Rent a virtual machine with 1 x h100 in us-central-1 (on-demand)? It will cost about $2.00 an hour, based on the service's rental options. It is billed until it ends. (Sandbox: no real resources are affected.) (y/N)",
      );
      terminal.press("enter");
      expect(await terminal.ended()).toMatchObject({ code: 130 });
    },
  );

  test("is created even if the terminal is resized at a prompt", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl rentals create bare-metal --sandbox");
    await terminal.waitFor("manually");
    terminal.resize(24, 8);
    terminal.press("up");
    await terminal.waitFor("❯ Enter");
    terminal.resize(120, 40);
    await rentFromPrompts(terminal);
    expect(await terminal.ended()).toMatchObject({ code: 0 });
    expect(await terminal.leftovers()).toEqual([]);
  });

  test("is created even if gpuctl is stopped with Ctrl-Z and continued with fg", async (context) => {
    skipWithout("bash", context);
    const home = await createHome();
    const terminal = home.interactiveShell();
    await terminal.waitFor("$ ");
    terminal.type("gpuctl rentals create vm --gpus 1 --sandbox");
    terminal.press("enter");
    await terminal.waitFor("(y/N)");
    terminal.press("ctrl-z");
    await terminal.waitFor("Stopped");
    terminal.type("fg");
    terminal.press("enter");
    terminal.type("y");
    await terminal.waitFor(/\(y\/N\) y$/);
    terminal.press("enter");
    await terminal.waitFor("ENDED:");
    terminal.type("exit $?");
    terminal.press("enter");
    expect(await terminal.ended()).toMatchObject({ code: 0 });
  });
});

describe.skipIf(process.platform === "win32")("a terminal of 20x5", () => {
  const small = { columns: 20, rows: 5 };

  test("has room for the prompts of rentals create", async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl rentals create bare-metal --sandbox", small);
    await terminal.waitFor("manually");
    terminal.press("up", "enter");
    // The choices are drawn after their question.
    await terminal.waitFor(/gpu-type\)[^❯]*❯/);
    terminal.press("enter");
    await terminal.waitFor("gpu-count)");
    terminal.type("8");
    terminal.press("enter");
    await terminal.waitFor(/region\)[^❯]*❯/);
    terminal.press("enter");
    await terminal.waitFor(/network-type\)[^❯]*❯ infiniband\s+ethernet/);
    terminal.press("down", "enter");
    await terminal.waitFor("(y/N)");
    terminal.type("y");
    terminal.press("enter");
    expect(await terminal.ended()).toMatchObject({ code: 0 });
    expect(await terminal.leftovers()).toEqual([]);
  });

  test.each(sample(["rentals list", "rentals get 1001", "rentals summary", "volumes list"], 0, 1))(
    "has room for the result of %s",
    async (command) => {
      const home = await createRentedHome(["trainer"]);
      if (command.startsWith("volumes")) {
        const create = "gpuctl volumes create --region us-central-1 --label data --size-in-gb 1024 --sandbox";
        await home.shell(create).ended;
      }
      const terminal = home.shellOnTerminal(`gpuctl ${command} --sandbox`, small);
      expect(await terminal.ended()).toMatchObject({ code: 0 });
      expect(terminal.text()).toMatch(/1001|501|count/);
    },
  );
});

test.skipIf(process.platform === "win32")(
  "a list of only two choices can be searched by any part of a choice",
  async () => {
    const home = await createHome();
    const terminal = home.shellOnTerminal("gpuctl setup");
    await terminal.waitFor("Name of the profile");
    terminal.press("enter");
    await terminal.waitFor("type to search");
    terminal.type("sandbox");
    await terminal.waitFor("Where is the service? sandbox");
    await terminal.waitFor(() => !terminal.screen().join("\n").includes("An account"));
    terminal.press("enter");
    await terminal.waitFor(/✔ Where is the service\?\s+The sandbox on this machine/);
    terminal.press("ctrl-c");
    expect(await terminal.ended()).toMatchObject({ code: 130 });
  },
);

test.skipIf(process.platform === "win32")("a key is not echoed while the user types it", async () => {
  const home = await createHome();
  const terminal = home.shellOnTerminal("gpuctl auth login --base-url https://api.example.com");
  await terminal.waitFor("API key");
  terminal.type("key-typed-unseen-1234");
  terminal.press("enter");
  expect(await terminal.ended()).toMatchObject({ code: 0 });
  expect(terminal.bytes()).not.toContain("unseen");
});

test.skipIf(process.platform === "win32")(
  "a key is not echoed if the user pastes it where setup asks for the source of the key",
  async () => {
    const home = await createHome();
    const { url } = JSON.parse(
      await firstChunk(home.start("sandbox serve --port 0 --memory -o json").stdout),
    );
    const terminal = home.shellOnTerminal("gpuctl setup");
    const answers = { "Name of the profile": "", "Where is the service": "", "Base URL": url, Inference: "" };
    for (const [question, answer] of Object.entries(answers)) {
      await terminal.waitFor(question);
      terminal.type(answer);
      terminal.press("enter");
    }
    await terminal.waitFor("API key source");
    terminal.type("key-pasted-unseen-1234");
    terminal.press("enter");
    await terminal.waitFor(/API key source.*Type or paste/);
    terminal.press("ctrl-c");
    expect(await terminal.ended()).toMatchObject({ code: 130 });
    expect(terminal.bytes()).not.toContain("unseen");
  },
);

test.skipIf(process.platform === "win32")("a failed check is drawn as a failure", async () => {
  const home = await createHome();
  const terminal = home.shellOnTerminal("gpuctl setup");
  for (const question of ["Name of the profile", "Where is the service"]) {
    await terminal.waitFor(question);
    terminal.press("enter");
  }
  await terminal.waitFor("Base URL");
  terminal.type("http://127.0.0.1:1");
  terminal.press("enter");
  await terminal.waitFor("What now?");
  terminal.press("ctrl-c");
  expect(await terminal.ended()).toMatchObject({ code: 130 });
  expect(terminal.text()).toMatch(/^✘ 127\.0\.0\.1:1 cannot be reached/m);
  expect(terminal.bytes()).toContain("\u001b[31m✘");
});

describe.skipIf(process.platform === "win32")("with stderr in a file", () => {
  test.each([
    ["sandbox reset", "--yes is required when not running interactively"],
    ["rentals create bare-metal --sandbox", "missing required input"],
  ])("%s asks nothing, because the prompt would be in the file", async (line, error) => {
    const home = await createHome();
    const terminal = home.shellOnTerminal(`gpuctl ${line} 2> err.txt`);
    expect(await terminal.ended()).toMatchObject({ code: 2 });
    const written = await readFile(join(home.folder, "err.txt"), "utf8");
    expect(written).toMatch(new RegExp(`^Error: ${error}`));
    expect(written).not.toContain("\u001b");
  });
});
describe.skipIf(process.platform === "win32")("what was typed before a question", () => {
  test.each([
    ["a line", "y\r", {}],
    ["part of a line", "y", {}],
    ["a line on a dumb terminal", "y\r", { TERM: "dumb" }],
  ])("does not answer the question: %s", async (_, typed, env) => {
    const home = await createRentedHome(["train"], env);
    const terminal = home.shellOnTerminal("gpuctl rentals terminate 1001 --sandbox");
    terminal.type(typed);
    await terminal.waitFor("(y/N)");
    terminal.press("enter");
    expect(await terminal.ended(), terminal.text()).toMatchObject({ code: 130 });
    expect((await home.shell("gpuctl rentals list --sandbox -o id").ended).out).toBe("1001\n");
  });

  test("does not answer the question if it was typed while gpuctl waited for the service", async () => {
    let respond = () => {};
    const asked = new Promise<void>((resolve) => {
      respond = resolve;
    });
    let answerLookup = () => {};
    const server = await serveThirdParty({
      key,
      instead: {
        "GET /v2/openapi.json": (_request, response) =>
          send(response, description({ "DELETE /v2/on-demand/virtual-machine-rentals/{id}": {} })),
        "GET /v2/on-demand/rental": (_request, response) => {
          answerLookup = () => send(response, lookup);
          respond();
        },
      },
    });
    onTestFinished(() => server.close());
    const home = await createHome({ GPUCTL_BASE_URL: server.url, GPUCTL_API_KEY: key });
    const terminal = home.shellOnTerminal(`gpuctl rentals terminate ${lookup.id}`);
    await asked;
    terminal.type("y\r");
    // The terminal echoes what it has received.
    await terminal.waitFor("y");
    answerLookup();
    await terminal.waitFor("(y/N)");
    terminal.press("enter");
    expect(await terminal.ended(), terminal.text()).toMatchObject({ code: 130 });
    expect(server.requests.map(({ method }) => method)).not.toContain("DELETE");
  });

  test.each([
    ["a terminal", "default", {}],
    ["a dumb terminal", "default\r", { TERM: "dumb" }],
  ])("does not count as the word that confirms a deletion: on %s", async (_, typed, env) => {
    const home = await createHome(env);
    const terminal = home.shellOnTerminal("gpuctl user delete --sandbox");
    terminal.type(typed);
    await terminal.waitFor("to confirm:");
    terminal.press("enter");
    expect(await terminal.ended(), terminal.text()).toMatchObject({ code: 130 });
  });
});
