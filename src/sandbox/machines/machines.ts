import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { Clock } from "../clock.ts";
import { rentalAt, type SshAddress } from "../rentals/lifecycle.ts";
import { nodeCount } from "../rentals/record.ts";
import type { Queries } from "../store/queries.ts";
import { builtInUserId } from "../store/schema.ts";
import { activeRentals, type NumberedRental } from "../tables/rentals.ts";
import {
  hostAlias,
  keepPort,
  lastPort,
  type MachineFolders,
  machineFolders,
  prepareNode,
  prepareRental,
  removeFolder,
} from "./folders.ts";
import { type Machine, startMachine } from "./machine.ts";
import {
  checkConfig,
  endPrograms,
  endProgramsWithThisProcess,
  findSshPrograms,
  type SshPrograms,
} from "./programs.ts";

/** The number of machines that run at once. Rentals beyond it have addresses where nothing responds. */
export const maxMachines = 100;

/** How often the state is read for changes by the clock and by other processes, in milliseconds. */
const pollMs = 250;

/** Machines that stand in for running rentals: OpenSSH servers on this computer, each with a home folder of its own. */
export interface Machines {
  /**
   * Starts a machine for each running rental, and for each rental that runs later, until `close`. `untilEnd` also ends the
   * programs of the machines then, and when this process is killed; otherwise they run until their rental ends.
   * @throws Unavailable when sshd is not installed or cannot be used
   */
  start(options?: { readonly untilEnd?: boolean }): Promise<void>;
  /** The private key that logs in to rentals that were created without a key. Before `start`, undefined. */
  identityFile(): string | undefined;
  /** Options of ssh for the machines of a rental: its host key and, if necessary, `identityFile`. Empty if it has none. */
  sshOptions(rentalId: number): readonly string[];
  /** Where the machines of a rental listen; undefined if it has none. */
  addressesOf(rentalId: number): readonly SshAddress[] | undefined;
  /** Starts and stops machines as the rentals require, and removes the homes of rentals that have ended. */
  update(): Promise<void>;
  close(): void;
}

interface RunningRental {
  readonly rental: NumberedRental;
  readonly nodes: readonly Machine[];
}

interface MachineState {
  readonly store: Queries;
  readonly clock: Clock;
  /** The folder for their files; a temporary one by default. */
  readonly folder: string | undefined;
  /** The value of PATH. */
  readonly path: () => string | undefined;
}

export function createMachines({ store, clock, folder, path }: MachineState): Machines {
  let folders = folder === undefined ? undefined : machineFolders(folder);
  let programs: SshPrograms | undefined;
  let stopPolling = () => {};
  let endAll = () => {};
  const running = new Map<string, RunningRental>();
  const rentals = () => {
    const now = clock();
    return activeRentals(store, builtInUserId, now).map((numbered) => ({
      numbered,
      runs:
        rentalAt(numbered.rental, now).status === "Running" && numbered.rental.sshNetworking === undefined,
    }));
  };
  const find = (rentalId: number) => [...running.values()].find(({ rental }) => rental.id === rentalId);

  async function startRental(rental: NumberedRental, available: MachineFolders, found: SshPrograms) {
    const machineRental = machineRentalOf(rental);
    await prepareRental(available, machineRental, found);
    const files = available.ofRental(machineRental);
    const nodes: Machine[] = [];
    for (let node = 1; node <= nodeCount(rental.rental); node += 1) {
      const own = files.ofNode(node);
      prepareNode(files, node, { rentalId: rental.id, sftpServer: found.sftpServer });
      if (running.size === 0 && node === 1) await checkConfig(found.sshd, own.config);
      const machine = await startMachine(found.sshd, own.config, lastPort(own));
      keepPort(own, machine.port);
      nodes.push(machine);
    }
    running.set(keyOf(rental), { rental, nodes });
  }

  async function updateOnce(): Promise<void> {
    if (folders === undefined) return;
    const active = rentals();
    const wanted = new Map(
      active.filter(({ runs }) => runs).map(({ numbered }) => [keyOf(numbered), numbered]),
    );
    for (const [key, { nodes }] of running) {
      if (wanted.has(key)) continue;
      for (const node of nodes) node.stop();
      running.delete(key);
    }
    folders.keepOnly(active.map(({ numbered }) => machineRentalOf(numbered)));
    if (programs === undefined) return;
    let count = [...running.values()].reduce((sum, { nodes }) => sum + nodes.length, 0);
    for (const [key, rental] of wanted) {
      if (running.has(key)) continue;
      count += nodeCount(rental.rental);
      if (count > maxMachines) return;
      await startRental(rental, folders, programs);
    }
  }

  // One after the other, so that no machine is started twice.
  let updating = Promise.resolve();
  const update = (): Promise<void> => {
    if (programs === undefined && (folders === undefined || !existsSync(folders.root)))
      return Promise.resolve();
    updating = updating.catch(() => {}).then(updateOnce);
    return updating;
  };

  return {
    async start({ untilEnd = false } = {}) {
      const found = findSshPrograms(path() ?? "");
      folders ??= machineFolders(mkdtempSync(join(tmpdir(), "gpuctl-machines-")));
      programs = found;
      await update();
      const { root } = folders;
      const timer = setInterval(() => void update().catch(() => {}), pollMs);
      stopPolling = () => clearInterval(timer);
      if (!untilEnd) return;
      const endLater = endProgramsWithThisProcess(root);
      endAll = () => {
        endPrograms(root);
        endLater();
      };
    },
    identityFile: () => (programs && folders)?.identityFile,
    sshOptions(rentalId) {
      const found = find(rentalId);
      if (found === undefined || folders === undefined) return [];
      const rental = machineRentalOf(found.rental);
      return [
        ...option("HostKeyAlias", hostAlias(rentalId)),
        ...option("UserKnownHostsFile", `"${folders.ofRental(rental).knownHosts}"`),
        ...option("StrictHostKeyChecking", "yes"),
        ...(rental.publicKeys.length > 0
          ? []
          : ["-i", folders.identityFile, ...option("IdentitiesOnly", "yes")]),
      ];
    },
    addressesOf: (rentalId) =>
      find(rentalId)?.nodes.map(({ port }) => ({ host: "127.0.0.1", port, user: userInfo().username })),
    update,
    close() {
      stopPolling();
      for (const { nodes } of running.values()) for (const node of nodes) node.stop();
      running.clear();
      endAll();
      if (folders === undefined) return;
      if (folder === undefined) {
        endPrograms(folders.root);
        removeFolder(folders.root);
      } else {
        folders.keepOnly(rentals().map(({ numbered }) => machineRentalOf(numbered)));
      }
    },
  };
}

const option = (name: string, value: string): readonly string[] => ["-o", `${name}=${value}`];

const keyOf = ({ id, rental }: NumberedRental): string => `${id}-${rental.createdAt}`;

const machineRentalOf = ({ id, rental }: NumberedRental) => ({
  id,
  createdAt: rental.createdAt,
  publicKeys: rental.sshPublicKeys ?? [],
});
