import type { Context } from "../../context/context.ts";
import type { InputOf } from "../../contract/index.ts";
import { sshAddresses } from "../../output/ssh.ts";
import { NotFound, NotReady, RentalFailed, UselessAnswer } from "../errors.ts";
import { durationFlag } from "../shared/values.ts";
import type { Args, Verb } from "../spec.ts";
import { intervalOf } from "./interval.ts";
import { chosenNode, nodeFlag } from "./node.ts";
import { sshArgs, sshLine } from "./ssh-line.ts";
import { statesOf, stateText } from "./states.ts";
import { waitFor } from "./waiting.ts";

export const verb: Verb<InputOf<"getRental">> = {
  run: async ({ rentalId }, context, { flags, words }) => {
    const number = nodeFlag(flags);
    const more = [words.ARGS ?? []].flat();
    if (context.settings.dryRun) context.say(`Then: ${sshLine(["-p", "PORT", "USER@HOST", ...more])}`);
    const addresses = sshAddresses(await reachable(rentalId, context, flags));
    const address = chosenNode(addresses, number, rentalId);
    if (number === undefined && addresses.length > 1) {
      context.say(
        `Rental ${rentalId} has ${addresses.length} nodes; this is node 1. --node N takes another one.`,
      );
    }
    const args = sshArgs(address, more);
    if (flags.print === true || context.settings.output !== "table") {
      return { data: { ...address, user: address.user ?? null, command: sshLine(args) } };
    }
    return { exitCode: await context.programs.run("ssh", args) };
  },
};

/** The rental's record, once it has an address. Throws what says why it has none. */
async function reachable(rentalId: string, context: Context, flags: Args["flags"]): Promise<unknown> {
  const timeout = durationFlag(flags, "wait-timeout");
  if (flags.wait === true) {
    const hasAddress = (rental: unknown) => sshAddresses(rental).length > 0;
    return waitFor(
      { rentalId, goal: "can be reached by ssh", reached: hasAddress, interval: intervalOf(flags), timeout },
      context,
    );
  }
  const rental: unknown = await context.call("getRental", { rentalId });
  if (rental === null) throw new NotFound(`no rental ${rentalId} belongs to you`);
  const states = statesOf(rental);
  if (states.includes("terminated")) throw new NotFound(`rental ${rentalId} has ended`);
  if (sshAddresses(rental).length > 0) return rental;
  if (states.includes("failed")) throw new RentalFailed(`rental ${rentalId} has failed; it may still bill`);
  if (states.includes("running")) {
    throw new UselessAnswer(`rental ${rentalId} runs, but the service tells no address for ssh`);
  }
  throw new NotReady(
    `rental ${rentalId} is not ready yet: it is ${stateText(states)} and has no address for ssh`,
    "It takes some minutes to start; --wait waits for it.",
  );
}
