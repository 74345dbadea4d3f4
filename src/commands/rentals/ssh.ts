import { assertNotFailed, assertNotTerminated, getRental } from "../../client/rentals/waiting.ts";
import { arg, rentalId } from "../../command-kit/arg.ts";
import type { Context, Ports } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { flag } from "../../command-kit/flag.ts";
import { EmptyResult, NotReady, UsageError, WaitedTooLong } from "../../core/errors.ts";
import { statesOf } from "../../core/responses/rental.ts";
import { stopwatch } from "../../core/tasks/steady-clock.ts";
import { quoted } from "../../core/text.ts";
import { optionWithValue, type SshAddress, sshAddresses } from "../../output/ssh.ts";
import { stateText, waitFor, waitTimeout } from "./waiting.ts";

export default defineCommand({
  path: "rentals ssh",
  summary: "Open a shell on a rental, or run a command there",
  details: "Runs the system's ssh and exits with its exit status. With -o json, prints the address instead.",
  operation: "getRental",
  args: [
    rentalId,
    arg.texts("ARGS", "Arguments after --, passed to ssh unchanged: options, then the remote command", {
      isCommandLine: true,
    }),
  ],
  fieldsWithoutFlag: ["rentalId"],
  flags: {
    node: flag.integer("Which node to connect to, counting from 1", {
      minimum: 1,
      defaultText: "1",
    }),
    print: flag.boolean("Print the command line instead of running it"),
    wait: flag.boolean("Wait until the rental can be reached"),
    waitTimeout,
  },
  uses: ["programs", "startMachines"],
  view: { kind: "lines", path: "command" },
  examples: examplesAfter(sandboxExamples.rental, [
    {
      text: "Print the command line that opens a shell on a rental",
      command: "gpuctl rentals ssh 1001 --wait --print --sandbox",
    },
    {
      text: "Show how a command would be run on a rental",
      command: "gpuctl rentals ssh 1001 --dry-run --sandbox -- nvidia-smi -L",
    },
  ]),
  run: async ({ input: { rentalId }, args, flags, startMachines, ...context }) => {
    const { settings, say, programs } = context;
    // A format from the environment or the profile does not keep the command from being run.
    const printsOnly = flags.print || settings.formatFromCli;
    const runsSsh = !printsOnly && !settings.dryRun;
    const machines = runsSsh ? await startMachines() : undefined;
    if (settings.dryRun && !printsOnly)
      say(`After this request, gpuctl would run: ${sshLine(["-p", "PORT", "USER@HOST", ...args.args])}`);
    const passed = stopwatch(context.now);
    const reached = (rental: unknown) => sshAddresses(rental).length > 0;
    const wait = { rentalId, goal: "can be reached by ssh", reached, timeout: flags.waitTimeout };
    const rental = await (flags.wait ? waitFor(wait, context) : getRental(rentalId, context));
    const addresses = sshAddresses(rental);
    assertReachable(rentalId, addresses, rental);
    const address = addresses[(flags.node ?? 1) - 1];
    if (address === undefined) {
      throw new UsageError(
        `--node must be at most ${addresses.length} for rental ${rentalId}, not ${flags.node}`,
      );
    }
    const { host, port, user } = address;
    if (flags.node === undefined && addresses.length > 1) {
      say(`Rental ${rentalId} has ${addresses.length} nodes; this is node 1. Use --node N for another node.`);
    }
    const destination = user === undefined ? host : `${user}@${host}`;
    const sshArgs = ["-p", String(port), destination, ...args.args];
    if (flags.wait && !settings.dryRun && (runsSsh || !settings.sandbox)) {
      const options = [...(machines?.sshOptions(Number(rentalId)) ?? []), ...connectOptions(args.args)];
      const left = flags.waitTimeout - passed();
      await untilResponds(rentalId, ["-p", String(port), destination, ...options], left, context);
    }
    if (!runsSsh) return { data: { host, port, user: user ?? null, command: sshLine(sshArgs) } };
    const machineOptions = machines?.sshOptions(Number(rentalId)) ?? [];
    return { exitCode: await programs.run("ssh", [...machineOptions, ...sshArgs]) };
  },
});

/**
 * Waits until the ssh server of a rental responds: a rental may have an address before its server runs. A login that is
 * refused is a response, too. Also returns after a problem that waiting does not solve: the user's ssh reports it.
 * Throws `WaitedTooLong` if the server does not respond in time.
 */
async function untilResponds(
  rentalId: string,
  args: readonly string[],
  timeout: number,
  { programs, now, sleep, progress }: Pick<Context, "now" | "sleep" | "progress"> & Pick<Ports, "programs">,
): Promise<void> {
  if ((await programs.which("ssh")) === undefined) return;
  const passed = stopwatch(now);
  const title = `Waiting until the ssh server of rental ${rentalId} responds`;
  await progress(title, async (show) => {
    for (;;) {
      const { status, stderr } = await programs.runQuietly(
        "ssh",
        [...probeOptions, ...args, "true"],
        noPrompts,
      );
      const problem = stillStarting(stderr);
      if (status !== 255 || problem === undefined) return;
      show(`${title}; ${problem}`);
      if (passed() + probePause > timeout) {
        throw new WaitedTooLong(
          `the ssh server of rental ${rentalId} did not respond in time: ${problem}`,
          "The rental was not changed and is still billed.",
        );
      }
      await sleep(probePause);
    }
  });
}

/** With these options, ssh never prompts for a login, forwards nothing and shares no connection. */
const probeOptions = [
  "BatchMode=yes",
  "ConnectTimeout=10",
  "ClearAllForwardings=yes",
  "ControlMaster=no",
  "ControlPath=none",
  "ServerAliveInterval=5",
  "ServerAliveCountMax=2",
].flatMap((one) => ["-o", one]);

/**
 * `probeOptions` do not apply to the connection to a jump host, whose prompts would appear on the terminal. With these
 * variables, those prompts fail.
 */
const noPrompts = { SSH_ASKPASS: "false", SSH_ASKPASS_REQUIRE: "force" };

/** The line that shows that the machine, or its ssh server, is still starting; undefined if no line does. */
function stillStarting(stderr: string): string | undefined {
  const lines = stderr.split(/\r?\n/);
  if (/permission denied|host key verification failed|could not resolve/i.test(stderr)) return undefined;
  const unreachable =
    /connection (refused|reset)|timed out|no route to host|network is unreachable|host is down/i;
  const found = lines.find((line) => unreachable.test(line));
  // If a jump host or a proxy closed the connection, the last line names an unknown port. Then only an `unreachable`
  // line shows that the machine is still starting.
  if (found !== undefined || /\bUNKNOWN port\b/.test(stderr)) return found;
  return lines.find((line) => /banner exchange|kex_exchange_identification|connection closed/i.test(line));
}

/** Milliseconds between two attempts to connect. */
const probePause = 2_000;

/** Of the options before the remote command, those that determine how ssh connects, such as `-i`, `-J` and `-o`. */
function connectOptions(args: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let index = 0; args[index]?.startsWith("-"); index += 1) {
    const word = args[index] ?? "";
    const takesNext = optionWithValue.test(word);
    if (/^-[46iJFolbBcm]/.test(word))
      found.push(word, ...(takesNext ? args.slice(index + 1, index + 2) : []));
    if (takesNext) index += 1;
  }
  return found;
}

/** The command line, quoted for a shell. */
const sshLine = (args: readonly string[]): string => ["ssh", ...args].map(quoted).join(" ");

/** Throws when a rental has ended or has no address; the error says why. */
function assertReachable(rentalId: string, addresses: readonly SshAddress[], rental: unknown) {
  const states = statesOf(rental);
  assertNotTerminated(rentalId, states);
  if (addresses.length > 0) return;
  assertNotFailed(rentalId, states);
  if (states.includes("running")) {
    throw new EmptyResult(`rental ${rentalId} is running, but the service reports no address for ssh`);
  }
  throw new NotReady(
    `rental ${rentalId} is not ready yet: it is ${stateText(rental)} and has no address for ssh`,
    "A rental takes a few minutes to start; --wait waits for it.",
  );
}
