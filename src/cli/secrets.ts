import { NoCredential } from "../client/errors.ts";
import { fitsHeader } from "../client/request.ts";
import { UsageError } from "../commands/errors.ts";
import type { Secrets } from "../context/context.ts";
import type { World } from "../context/world.ts";
import { profileOf, readConfig } from "./config/profile.ts";
import { mayPrompt } from "./confirm.ts";
import { keySource } from "./key-source.ts";
import { type Keyring, keyFrom, read } from "./keyring.ts";
import type { Settings } from "./settings.ts";

/** Keys that are typed, piped in, printed by a program or in use already. */
export const secretsOf = (settings: Settings, world: World, keyring: Keyring): Secrets => ({
  readKey: async ({ fromStdin }) => {
    if (!fromStdin && !mayPrompt(settings, world)) {
      throw new UsageError("nobody can be asked for the key: pipe it in with --with-token");
    }
    const typed = fromStdin
      ? new TextDecoder().decode(await world.stdin.read())
      : await (await world.prompts()).secret({ message: "API key", validate: keyProblem });
    const key = typed.trim();
    const problem = keyProblem(key);
    if (problem) throw new UsageError(`the key cannot be used: ${problem}`);
    return key;
  },
  keyInUse: async () => {
    const inUse = await keyring.inUse();
    if (inUse === undefined) throw new NoCredential();
    return inUse;
  },
  keptKey: async (profile) => {
    const source = keySource({}, profileOf(readConfig(world), profile), profile);
    return source && read(source, world);
  },
  keyFrom: (commandLine) => keyFrom(commandLine, "the command", world.programs),
});

function keyProblem(key: string): string | undefined {
  if (key.trim() === "") return "it is empty";
  return fitsHeader(key.trim()) ? undefined : "it holds spaces or characters that no header can carry";
}
