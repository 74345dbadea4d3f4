import { assertNotFailed, assertNotTerminated, getRental } from "../../client/rentals/waiting.ts";
import { arg, rentalId } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { flag } from "../../command-kit/flag.ts";
import { EmptyResult, NotReady, UsageError } from "../../core/errors.ts";
import { statesOf } from "../../core/responses/rental.ts";
import { quoted } from "../../core/text.ts";
import { type SshAddress, sshAddresses } from "../../output/ssh.ts";
import { stateText, waitFor, waitTimeout } from "./waiting.ts";

export default defineCommand({
  path: "rentals ssh",
  summary: "Open a shell on a rental, or run a command there",
  details:
    "Runs the system's ssh and exits with its exit status; with -o json it prints the address instead of running ssh.",
  operation: "getRental",
  args: [
    rentalId,
    arg.texts("ARGS", "Arguments after --, passed to ssh unchanged: options, then the remote command"),
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
    const runsSsh = !flags.print && settings.output === "table" && !settings.dryRun;
    const machines = runsSsh ? await startMachines() : undefined;
    if (settings.dryRun)
      say(`After this request, gpuctl would run: ${sshLine(["-p", "PORT", "USER@HOST", ...args.args])}`);
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
      say(`Rental ${rentalId} has ${addresses.length} nodes; this is node 1. Use --node N for another.`);
    }
    const sshArgs = ["-p", String(port), user === undefined ? host : `${user}@${host}`, ...args.args];
    if (!runsSsh) return { data: { host, port, user: user ?? null, command: sshLine(sshArgs) } };
    const machineOptions = machines?.sshOptions(Number(rentalId)) ?? [];
    return { exitCode: await programs.run("ssh", [...machineOptions, ...sshArgs]) };
  },
});

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
