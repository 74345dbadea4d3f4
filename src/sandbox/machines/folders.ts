import { spawnSync } from "node:child_process";
import { existsSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import { makeFolderSync, writePrivateFile } from "../../core/files.ts";
import {
  endPrograms,
  machineVariable,
  programEnvironment,
  runFile,
  type SshPrograms,
  systemUser,
} from "./programs.ts";

/** The fields of a rental that its machines need. */
export interface MachineRental {
  readonly id: number;
  /** Milliseconds since 1970. Needed because, after a reset, another rental may have the same ID. */
  readonly createdAt: number;
  /** The public keys that the rental was created with. */
  readonly publicKeys: readonly string[];
}

/** The files of the machines of one sandbox: a folder for each rental, which contains a folder for each node. */
export interface MachineFolders {
  readonly root: string;
  /** The private key for rentals that were created without a key. */
  readonly identityFile: string;
  ofRental(rental: Pick<MachineRental, "id" | "createdAt">): RentalFolder;
  /** For all rentals except these, ends the programs on their machines and removes their folders. */
  keepOnly(rentals: readonly Pick<MachineRental, "id" | "createdAt">[]): void;
}

export interface RentalFolder {
  readonly path: string;
  readonly hostKey: string;
  /** A `known_hosts` file for ssh. It contains the host key under the name `hostAlias`. */
  readonly knownHosts: string;
  readonly authorizedKeys: string;
  /** The folder of a node. Nodes are numbered from 1. */
  ofNode(node: number): NodeFolder;
}

export interface NodeFolder {
  readonly path: string;
  readonly home: string;
  readonly config: string;
  /** A file with the port that the machine used last. The machine uses this port again if possible. */
  readonly port: string;
}

const folderName = ({ id, createdAt }: Pick<MachineRental, "id" | "createdAt">): string =>
  `${id}-${createdAt}`;

export function machineFolders(root: string): MachineFolders {
  const ofRental: MachineFolders["ofRental"] = (rental) => {
    const path = join(root, folderName(rental));
    return {
      path,
      hostKey: join(path, "host_key"),
      knownHosts: join(path, "known_hosts"),
      authorizedKeys: join(path, "authorized_keys"),
      ofNode: (node) => {
        const folder = join(path, String(node));
        return {
          path: folder,
          home: join(folder, "home"),
          config: join(folder, "sshd_config"),
          port: join(folder, "port"),
        };
      },
    };
  };
  return {
    root,
    identityFile: join(root, "id_ed25519"),
    ofRental,
    keepOnly(rentals) {
      if (!existsSync(root)) return;
      const kept = new Set(rentals.map(folderName));
      const names = readdirSync(root).filter((name) => /^\d+-\d+$/.test(name) && !kept.has(name));
      for (const path of names.map((name) => join(root, name))) {
        endPrograms(path);
        removeFolder(path);
      }
    },
  };
}

/** Removes a folder, even if folders in it are read-only. */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    spawnSync("chmod", ["-R", "u+rwX", path], { stdio: "ignore", env: programEnvironment() });
    rmSync(path, { recursive: true, force: true });
  }
}

/** The name of a rental's machines in `knownHosts`, regardless of their ports. */
export const hostAlias = (rentalId: number): string => `gpuctl-sandbox-rental-${rentalId}`;

/**
 * Creates the host key of a rental if it is missing, and writes its other files. Its home folders and keys stay until
 * the rental ends.
 */
export async function prepareRental(
  folders: MachineFolders,
  rental: MachineRental,
  { keygen }: SshPrograms,
): Promise<void> {
  const { path, hostKey, knownHosts, authorizedKeys } = folders.ofRental(rental);
  makeFolderSync(path, 0o700);
  await createKey(keygen, hostKey, hostAlias(rental.id));
  const [type, key] = readFileSync(`${hostKey}.pub`, "utf8").split(" ");
  writePrivateFile(knownHosts, `${hostAlias(rental.id)} ${type} ${key}\n`);
  const { publicKeys } = rental;
  const accepted =
    publicKeys.length > 0 ? publicKeys : [readFileSync(`${folders.identityFile}.pub`, "utf8").trim()];
  writePrivateFile(authorizedKeys, accepted.map((one) => `${one}\n`).join(""));
}

/** Creates the key for rentals without keys, if it does not exist yet. */
export async function prepareIdentity({ root, identityFile }: MachineFolders, keygen: string): Promise<void> {
  makeFolderSync(root, 0o700);
  await createKey(keygen, identityFile, "gpuctl sandbox");
}

/**
 * Creates a key pair without a passphrase, if it does not exist yet. Another process may create the pair at the same
 * time, or may have been killed after it created only the private key. ssh-keygen gets a new path, because it asks
 * before it overwrites a file.
 */
async function createKey(keygen: string, file: string, comment: string): Promise<void> {
  if (existsSync(`${file}.pub`)) return;
  if (!existsSync(file)) {
    const folder = mkdtempSync(`${file}-`);
    const temporary = join(folder, "key");
    try {
      await runFile(keygen, ["-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", temporary]);
      linkSync(temporary, file);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  const { stdout } = await runFile(keygen, ["-y", "-f", file]);
  writePrivateFile(`${file}.pub`, stdout);
}

/** Writes the configuration of a node's sshd, and creates its home. */
export function prepareNode(
  folder: RentalFolder,
  node: number,
  { rentalId, sftpServer }: { rentalId: number; sftpServer: string | undefined },
): void {
  const { path, home, config } = folder.ofNode(node);
  makeFolderSync(home, 0o700);
  const enter = join(path, "enter.sh");
  writePrivateFile(enter, enterScript(rentalId));
  const lines = [
    `HostKey ${quoted(folder.hostKey)}`,
    `AuthorizedKeysFile ${quoted(folder.authorizedKeys.replaceAll("%", "%%"))}`,
    "AuthenticationMethods publickey",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "PermitRootLogin prohibit-password",
    "StrictModes no",
    "UsePAM no",
    "PermitUserRC no",
    "PidFile none",
    "LogLevel ERROR",
    "AcceptEnv LANG LC_*",
    `SetEnv ${quoted(`HOME=${home}`)} ${quoted(`${machineVariable}=${path}/`)}`,
    `ForceCommand exec /bin/sh ${shellQuoted(enter)}`,
    ...(sftpServer === undefined ? [] : [`Subsystem sftp ${sftpServer}`]),
    ...(canOpenTerminals() ? [] : ["PermitTTY no"]),
  ];
  writePrivateFile(config, lines.map((line) => `${line}\n`).join(""));
}

const quoted = (text: string): string => `"${text}"`;
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Runs the command of a connection, or a login shell, in the home folder of the machine. sshd itself would start it in
 * the home folder of the account.
 */
const enterScript = (rentalId: number): string => `cd "$HOME" || exit
command=$SSH_ORIGINAL_COMMAND
unset SSH_ORIGINAL_COMMAND
[ -z "$command" ] || exec "$SHELL" -c "$command"
cat >&2 <<'BANNER'
${banner(rentalId)}
BANNER
exec "$SHELL" -l
`;

/** The text that is shown when a shell is opened. */
const banner = (rentalId: number): string => {
  const { username } = systemUser();
  return `This is gpuctl's sandbox: rental ${rentalId} is your own computer (${hostname()}), and programs run as ${username}.
This home folder is deleted when the rental ends. Other files on this computer are not protected.`;
};

/**
 * Whether sshd can open a terminal. sshd gives the terminal to the group tty, which only root may do. Usually, /dev/pts
 * is mounted so that new terminals already belong to that group, but in many containers it is not.
 */
function canOpenTerminals(): boolean {
  if (userInfo().uid === 0) return true;
  const text = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");
  const [, group] = /^tty:[^:]*:(\d+):/m.exec(text("/etc/group")) ?? [];
  const [, options] = /^\S+ \/dev\/pts devpts (\S+)/m.exec(text("/proc/mounts")) ?? [];
  if (group === undefined || options === undefined) return true;
  return options.split(",").includes(`gid=${group}`);
}

/** The port that a node used last; 0 if there is none. */
export function lastPort({ port }: NodeFolder): number {
  try {
    return Number(readFileSync(port, "utf8"));
  } catch {
    return 0;
  }
}

export const keepPort = (folder: NodeFolder, port: number): void =>
  writeFileSync(folder.port, String(port), { mode: 0o600 });
