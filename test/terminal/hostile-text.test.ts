import { describe, expect, onTestFinished, test } from "vitest";
import { parse as parseYaml } from "yaml";
import type { CommandNode, Example } from "../../src/command-kit/tree.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { serve } from "../../src/sandbox/serve.ts";
import type { Question } from "../../src/system/types.ts";
import {
  type Cli,
  createCli,
  type Outcome,
  type Responder,
  type RunOptions,
  seenRequest,
} from "../support/cli.ts";
import { commands, operationsOf } from "../support/commands.ts";
import { runShown, withFlags } from "../support/examples.ts";
import { control, type Hostility, hostile, hostileResponder } from "../support/hostile.ts";
import { createHome } from "../support/process.ts";
import { always, overNetwork } from "../support/service.ts";
import { thorough } from "../support/thorough.ts";

/** A CLI whose service becomes hostile after the given lines. */
async function hostileCli(before: readonly string[], hostility: Hostility, onRequest = () => {}) {
  let responder: Responder | undefined;
  const respond: Responder = (seen) => {
    if (responder) onRequest();
    return responder?.(seen);
  };
  const cli: Cli = await createCli({ negotiates: true, respond });
  for (const line of before) expect(await runShown(cli, line), line).toMatchObject({ code: 0 });
  responder = hostileResponder(cli.sandbox, hostility);
  return cli;
}

/** Options for a user who accepts everything at a terminal without colors. `asked` collects the prompts' texts. */
function terminal() {
  const asked: string[] = [];
  const see = ({ message, validate }: Question) => {
    asked.push(message, validate?.("no valid answer") ?? "");
  };
  const options: RunOptions = {
    terminal: 80,
    env: { NO_COLOR: "1" },
    prompts: {
      text: async (question) => {
        see(question);
        asked.push(question.initial ?? "");
        return question.initial ?? "1";
      },
      secret: async (question) => {
        see(question);
        return "gpuctl-sandbox-full";
      },
      confirm: async ({ message }) => {
        asked.push(message);
        return true;
      },
      choose: async (question) => {
        const { choices, labels = {}, initial } = question;
        see(question);
        asked.push(...choices.map((choice) => labels[choice] ?? choice));
        return initial ?? choices[0] ?? "";
      },
      report: (_outcome, text) => asked.push(text),
    },
  };
  return { asked, options };
}

/** Everything that a run showed, without gpuctl's own sequences: those of a watched list, and CSV line ends. */
const shownBy = ({ out, err, shown }: Outcome, asked: readonly string[]): string =>
  [out, err, ...shown, ...asked].join("\n").replace(/\u001b\[\?1049[hl]|\u001b\[[HJ]|\r\n/g, "\n");

interface Variant {
  readonly flags: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs each variant of a line from the same state of the sandbox. */
async function expectHarmless(
  line: string,
  before: readonly string[],
  hostility: Hostility,
  variants: readonly Variant[],
): Promise<void> {
  const cli = await hostileCli(before, hostility);
  const start = JSON.stringify(cli.sandbox.snapshot());
  for (const [at, { flags, env }] of variants.entries()) {
    if (at > 0) cli.sandbox.restore(start);
    const { asked, options } = terminal();
    const outcome = await runShown(cli, withFlags(line, flags), {
      ...options,
      env: { ...options.env, ...env },
    });
    const text = shownBy(outcome, asked);
    expect(JSON.stringify(text.match(control)), `${line} ${flags}\n${JSON.stringify(text)}`).toBe("null");
  }
}

const calling = commands.filter((spec) => operationsOf(spec).length > 0 || usesService(spec));

/** Whether a command may read text from a service, from the service's description or from the sandbox's controls. */
function usesService({ path: [noun = ""] }: CommandNode): boolean {
  return !["completion", "config", "help", "profile"].includes(noun);
}

/** Flags for each hostility: tables as people see them, and formats for scripts, which people look at, too. */
const variantsOf: Readonly<Record<Hostility, readonly Variant[]>> = {
  everything: [{ flags: "" }],
  texts: [{ flags: "" }, { flags: "-o csv" }],
  failures: [{ flags: "--debug" }, { flags: "-o json" }],
};

const hostilities: readonly Hostility[] = ["everything", "texts", "failures"];

const firstExample = ({ examples: [first] }: CommandNode): Example => {
  if (!first) throw new Error("a command has no example");
  return first;
};

describe.each(hostilities)("%s from a hostile service", (hostility) => {
  /** The cases for this hostility: all in a thorough run, otherwise a third, a different one for each hostility. */
  const share = <Case>(cases: readonly Case[]): readonly Case[] =>
    cases.filter((_, position) => thorough || position % 3 === hostilities.indexOf(hostility));

  test.each(share(calling.map((spec) => ({ name: spec.path.join(" "), spec }))))(
    "cannot control the terminal of $name",
    async ({ spec }) => {
      const { command, after = [] } = firstExample(spec);
      const timeout = command.startsWith("gpuctl rentals wait") ? "--wait-timeout 10s" : "";
      const line = withFlags(command.replace(/ --yes\b| > .*$/g, ""), timeout);
      await expectHarmless(line, after, hostility, variantsOf[hostility]);
    },
  );

  const rental = "gpuctl rentals create vm --gpus 1 --label train --sandbox --yes";
  const volume = "gpuctl volumes create --label data --size-in-gb 512 --region us-central-1 --sandbox --yes";

  const others = [
    "gpuctl rentals terminate --sandbox",
    "gpuctl rentals terminate 1001 --sandbox",
    "gpuctl rentals terminate train --sandbox",
    "gpuctl rentals create vm --sandbox",
    "gpuctl rentals create vm --gpus 1 --wait --wait-timeout 20s --sandbox",
    "gpuctl rentals create vm --gpus 1 --max-burn 1 --sandbox",
    "gpuctl rentals wait 1001 --for terminated --wait-timeout 20s --sandbox",
    "gpuctl rentals get --sandbox",
    "gpuctl rentals ssh 1001 --sandbox",
    "gpuctl rentals list --columns label,more --sandbox",
    "gpuctl volumes attach --sandbox",
    "gpuctl reserve convert --sandbox",
    "gpuctl chat Hello --usage --sandbox",
    "gpuctl chat Hello --no-stream --sandbox",
    "gpuctl api call nothing --sandbox",
    "gpuctl api call getActiveRentalSummary -i --sandbox",
    "gpuctl api call POST /v2/user/nothing -f a=b --sandbox",
    "gpuctl ssh-keys remove --sandbox",
    "gpuctl api-keys revoke --sandbox",
  ];

  test.each(share(others))("cannot control the terminal of %s", async (line) => {
    // On a dumb terminal, each text of the progress is a line of its own.
    const variants = [{ flags: "" }, { flags: "--debug", env: { TERM: "dumb" } }];
    await expectHarmless(line, [rental, volume], hostility, variants);
  });

  test("cannot control the terminal of a watched list", async () => {
    const stop = new AbortController();
    let requests = 0;
    const cli = await hostileCli([rental], hostility, () => {
      requests += 1;
      if (requests === 7) stop.abort();
    });
    const { asked, options } = terminal();
    const watched = await cli.run("rentals list --watch 5s --sandbox", { ...options, signal: stop.signal });
    expect(shownBy(watched, asked)).not.toMatch(control);
  });
});

test("texts from a hostile service on the network cannot control the terminal", async () => {
  const { asked, options } = terminal();
  const cli = await createCli({
    negotiates: true,
    respond: (seen) => hostileResponder(cli.sandbox, "texts")(seen),
  });
  const account = overNetwork({ GPUCTL_API_KEY: cli.sandbox.keys.full, NO_COLOR: "1" });
  await cli.run("rentals create vm --gpus 1 --label train --yes", account);
  for (const line of ["rentals list", "rentals terminate 1001", "doctor", "auth status", "api spec"]) {
    expect(shownBy(await cli.run(line, { ...options, ...account }), asked)).not.toMatch(control);
  }
  expect(asked.join()).toContain("1001 (train");
});

describe("JSON and YAML contain no control characters, but keep the value that was received", () => {
  const label = `a${hostile}\u061c\u200f\n\tb`;
  const listing = () => Response.json([{ id: 1, label }]);

  test.each([
    ["-o json", (out: string) => JSON.parse(out)[0].label],
    ["-o jsonl", (out: string) => JSON.parse(out).label],
    ["--jq .[0]", (out: string) => JSON.parse(out).label],
    ["-o yaml", (out: string) => parseYaml(out)[0].label],
  ])("in the result of volumes list %s", async (flags, labelIn) => {
    const { run } = await createCli({ respond: listing });
    for (const terminal of [undefined, 80]) {
      const { out } = await run(`volumes list ${flags}`, { ...overNetwork(), ...(terminal && { terminal }) });
      expect(out).not.toMatch(control);
      expect(out).not.toMatch(/\p{Bidi_Control}/u);
      expect(labelIn(out)).toBe(label);
    }
  });

  test("in an error document", async () => {
    const { run } = await createCli({
      respond: always(422, { code: "NO", message: label, issues: [label] }),
    });
    const { err } = await run("volumes list -o json", overNetwork());
    expect(err).not.toMatch(control);
    expect(err).not.toMatch(/\p{Bidi_Control}/u);
    expect(JSON.parse(err).error).toMatchObject({ message: label, issues: [label] });
  });
});

describe.skipIf(process.platform === "win32")("on a real terminal", () => {
  /** A home for a hostile service that has a rental. */
  async function hostileHome() {
    const sandbox = await createSandbox({ file: ":memory:" });
    const respond = hostileResponder(sandbox, "texts");
    const served = {
      ...sandbox,
      fetch: async (request: Request) => (await respond(await seenRequest(request))) ?? new Response(),
    };
    const { url, close } = await serve(served, { host: "127.0.0.1", port: 0 });
    onTestFinished(async () => {
      await close();
      sandbox.close();
    });
    const home = await createHome({ GPUCTL_BASE_URL: url, GPUCTL_API_KEY: sandbox.keys.full });
    await home.run("rentals create vm --gpus 1 --label train --yes");
    return home;
  }

  /** Sequences of the hostile text that gpuctl and its prompts never use. */
  const foreign = /\u001b[\]P]|\u0007|\u001b\[38;5;123m|[\x7f-\x9f\u202e\u2066]/;

  test("a question shows a hostile label, but the terminal obeys none of its control sequences", async () => {
    const terminal = (await hostileHome()).onTerminal("rentals terminate 1001");
    await terminal.waitFor("(y/N)");
    expect(terminal.text()).toMatch(/Terminate 1001 \(train0;title/);
    terminal.type("n");
    terminal.press("enter");
    expect(await terminal.ended()).toMatchObject({ code: 130 });
    expect(terminal.bytes()).not.toMatch(foreign);
  });

  test.each(["rentals terminate", "rentals wait 1001 --for terminated --wait-timeout 100ms --debug"])(
    "the terminal obeys no control sequence of a hostile label: %s",
    async (line) => {
      const terminal = (await hostileHome()).onTerminal(line);
      await terminal.waitFor(line.includes("wait") ? "timed out" : "train");
      if (!line.includes("wait")) terminal.press("ctrl-c");
      await terminal.ended();
      expect(terminal.bytes()).not.toMatch(foreign);
    },
  );
});
