import { describe, expect, test } from "vitest";
import type { CommandNode, Example } from "../../src/command-kit/tree.ts";
import type { Question } from "../../src/system/types.ts";
import { type Cli, createCli, type Outcome, type Responder, type RunOptions } from "../support/cli.ts";
import { commands, operationsOf } from "../support/commands.ts";
import { runShown, withFlags } from "../support/examples.ts";
import { control, type Hostility, hostileResponder } from "../support/hostile.ts";
import { overNetwork } from "../support/service.ts";

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

/** A user at a terminal without colors who accepts everything, and every text that a prompt would show. */
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

/** Everything that a run showed. The screen of a watched list and the line ends of CSV are gpuctl's own. */
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

/** Whether a command may read what a service sent: also those that use its description or the sandbox's controls. */
function usesService({ path: [noun = ""] }: CommandNode): boolean {
  return !["completion", "config", "help", "profile"].includes(noun);
}

/** As people see it, and in the formats of scripts, at which people look as well. */
const variantsOf: Readonly<Record<Hostility, readonly Variant[]>> = {
  everything: [{ flags: "" }],
  texts: [{ flags: "" }, { flags: "-o json" }, { flags: "-o csv" }],
  failures: [{ flags: "--debug" }, { flags: "-o json" }],
};

const firstExample = ({ examples: [first] }: CommandNode): Example => {
  if (!first) throw new Error("a command has no example");
  return first;
};

describe.each<Hostility>(["everything", "texts", "failures"])("%s from a hostile service", (hostility) => {
  test.each(calling.map((spec) => ({ name: spec.path.join(" "), spec })))(
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

  test.each([
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
  ])("cannot control the terminal of %s", async (line) => {
    // Progress is a line for each text on a dumb terminal.
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

test("a network service is no different", async () => {
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
