import { type Check, type Examined, ok, warning } from "../finding.ts";

const players = ["ffplay", "mpv", "paplay", "aplay", "afplay"];

/** Something plays what was spoken. */
export const player: Check = async ({ which }) => {
  const found = await firstOf(players, which);
  return found
    ? ok(found)
    : warning("none was found", `Install one of ${players.join(", ")} to hear speech.`);
};

/** `rentals ssh` runs it. */
export const ssh: Check = async ({ which }) => {
  const found = await which("ssh");
  return found ? ok(found) : warning("it was not found", "Install OpenSSH for `gpuctl rentals ssh`.");
};

async function firstOf(names: readonly string[], which: Examined["which"]): Promise<string | undefined> {
  const paths = await Promise.all(names.map(which));
  return paths.find((path) => path !== undefined);
}
