import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reasonOf, Unavailable } from "../../core/errors.ts";
import type { Clock } from "../clock.ts";
import { rentalAt, type SshAddress } from "../rentals/lifecycle.ts";
import { nodeCount } from "../rentals/record.ts";
import type { Queries } from "../store/queries.ts";
import { activeRentals, type NumberedRental } from "../tables/rentals.ts";
import {
  hostAlias,
  keepPort,
  lastPort,
  type MachineFolders,
  machineFolders,
  prepareIdentity,
  prepareNode,
  prepareRental,
  removeFolder,
} from "./folders.ts";
import { loopback, type Machine, startMachine } from "./machine.ts";
import {
  checkSshd,
  endPrograms,
  endProgramsWithThisProcess,
  findSshPrograms,
  type SshPrograms,
  systemUser,
} from "./programs.ts";

/** The maximum number of machines that run at once. Nothing responds at the addresses of further rentals. */
export const maxMachines = 100;

/**
 * Milliseconds between two regular updates. They are needed because rentals change not only with requests, but also as
 * time passes and through other processes.
 */
const pollMs = 250;

/** Machines that stand in for running rentals: OpenSSH servers on this computer, each with a home folder of its own. */
export interface Machines {
  /**
   * Starts the machines of each running rental and, until `close`, of each rental that starts to run. A rental whose
   * addresses were set by a seed gets no machines. If `untilEnd` is true, the programs on the machines end at `close`
   * or when this process ends, even if it is killed. Otherwise, they run until their rental ends or, if the folder is
   * temporary, at most until `close`. Programs in the background are ended only on Linux.
   * @throws Unavailable if sshd is not installed or cannot be used
   */
  start(options?: { readonly untilEnd?: boolean }): Promise<void>;
  /** The private key for rentals that were created without a key. Undefined before `start`. */
  identityFile(): string | undefined;
  /**
   * The ssh options for the machines of a rental: its host key and, if necessary, `identityFile`. Empty if the rental
   * has no machines.
   * @throws Unavailable if the machines could not be started
   */
  sshOptions(rentalId: number): readonly string[];
  /** The addresses at which the machines of a rental listen; undefined if the rental has no machines. */
  addressesOf(rentalId: number): readonly SshAddress[] | undefined;
  /** Starts and stops machines as the rentals require, and removes the homes of rentals that have ended. */
  update(): Promise<void>;
  close(): void;
}

interface RunningRental {
  readonly rental: NumberedRental;
  readonly nodes: readonly Machine[];
  /** Why the rental has no machines. */
  readonly problem?: string;
}

interface MachineState {
  readonly store: Queries;
  readonly clock: Clock;
  /** The folder for the files of the machines. Default: a temporary folder. */
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
    return activeRentals(store, undefined, now).map((numbered) => ({
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
    try {
      for (let node = 1; node <= nodeCount(rental.rental); node += 1) {
        const own = files.ofNode(node);
        prepareNode(files, node, { rentalId: rental.id, sftpServer: found.sftpServer });
        const machine = await startMachine(found.sshd, own.config, lastPort(own));
        nodes.push(machine);
        keepPort(own, machine.port);
      }
    } catch (error) {
      for (const node of nodes) node.stop();
      throw error;
    }
    return nodes;
  }

  async function updateOnce(): Promise<void> {
    if (folders === undefined) return;
    const active = rentals();
    const wanted = new Map(
      active.filter(({ runs }) => runs).map(({ numbered }) => [keyOf(numbered), numbered]),
    );
    const ended = [...running].filter(([key]) => !wanted.has(key));
    for (const [key, { nodes }] of ended) {
      for (const node of nodes) node.stop();
      running.delete(key);
    }
    // Machines have ended, so there may be room for more. Tries again to start the machines of rentals that have none.
    if (ended.length > 0) {
      for (const [key, { problem }] of running) if (problem !== undefined) running.delete(key);
    }
    folders.keepOnly(active.map(({ numbered }) => machineRentalOf(numbered)));
    if (programs === undefined) return;
    let count = [...running.values()].reduce((sum, { nodes }) => sum + nodes.length, 0);
    for (const [key, rental] of wanted) {
      if (running.has(key)) continue;
      try {
        const needed = nodeCount(rental.rental);
        if (count + needed > maxMachines)
          throw new Error(
            `the rental needs ${needed} machines; at most ${maxMachines} can run at once, and ${count} are running`,
          );
        const nodes = await startRental(rental, folders, programs);
        count += nodes.length;
        running.set(key, { rental, nodes });
      } catch (error) {
        running.set(key, { rental, nodes: [], problem: reasonOf(error) });
      }
    }
  }

  // Updates run one after the other, so that no machine is started twice.
  let updating = Promise.resolve();
  const update = (): Promise<void> => {
    if (programs === undefined && (folders === undefined || !existsSync(folders.root)))
      return Promise.resolve();
    updating = updating.catch(() => {}).then(updateOnce);
    return updating;
  };

  return {
    async start({ untilEnd = false } = {}) {
      const found = findSshPrograms(path());
      folders ??= machineFolders(mkdtempSync(join(tmpdir(), "gpuctl-machines-")));
      await prepareIdentity(folders, found.keygen);
      await checkSshd(found.sshd, folders.identityFile);
      programs = found;
      await update();
      const { root } = folders;
      stopPolling();
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
      if (found?.problem !== undefined) {
        throw new Unavailable(`the machines of rental ${rentalId} cannot be started: ${found.problem}`, "");
      }
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
    addressesOf(rentalId) {
      const { nodes = [] } = find(rentalId) ?? {};
      if (nodes.length === 0) return undefined;
      return nodes.map(({ port }) => ({ host: loopback, port, user: systemUser().username }));
    },
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
