import { createCli, type Responder } from "./cli.ts";
import { type Connection, createRemote, type Trouble } from "./remote.ts";
import { overNetwork } from "./service.ts";

interface Options {
  readonly respond?: Responder;
  readonly trouble?: (connection: Connection) => Trouble | undefined | Promise<Trouble | undefined>;
}

/** A CLI for a service whose rentals the fake `ssh` and `scp` of `remote.ts` can reach. */
export async function createRenter({ respond, trouble }: Options = {}) {
  const cli = await createCli({ negotiates: true, ...(respond && { respond }) });
  const remote = await createRemote(cli.folder, trouble);
  const network = (env = {}) => overNetwork({ GPUCTL_API_KEY: cli.sandbox.keys.full, ...env });
  const options = { ...network(), programs: remote.programs };
  return {
    ...cli,
    remote,
    network,
    run: (line: string | readonly string[], more: Parameters<typeof cli.run>[1] = {}) =>
      cli.run(line, { ...options, ...more }),
    active: async () => JSON.parse((await cli.run("rentals list -o json", options)).out),
    jobs: async () => JSON.parse((await cli.run("rentals jobs list --all -o json", options)).out),
    leases: async () => JSON.parse((await cli.run("rentals lease list -o json", options)).out),
  };
}

/** The words of a command line that runs a script on a rental. */
export const sh = (script: string, ...flags: readonly string[]): readonly string[] => [
  ..."rentals run --gpus 1 --yes".split(" "),
  ...flags,
  ..."-- sh -c".split(" "),
  script,
];

/**
 * A shell command that waits until a file exists. Also ends when the home folder is removed, so that no command goes on
 * after its test.
 */
export const waitFor = (file: string): string =>
  `until [ -e "${file}" ] || [ ! -d "$HOME" ]; do sleep 0.1; done`;
