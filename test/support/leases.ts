import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolderSync } from "../../src/core/files.ts";
import { asRecord, parseJson } from "../../src/core/json.ts";
import type { Processes } from "../../src/core/tasks/lock.ts";
import { processes } from "../../src/system/files.ts";
import { type Cli, createCli, firstMoment, type Responder, type SeenRequest } from "./cli.ts";

export const hour = 3_600_000;
export const minute = 60_000;

/** The path of a CLI's lease file. */
export const leaseFile = (cli: Pick<Cli, "folder">): string => join(cli.folder, "state", "leases.jsonl");

const recordsOf = async (path: string, kind: string): Promise<readonly Record<string, unknown>[]> =>
  (await readFile(path, "utf8").catch(() => ""))
    .split("\n")
    .map((line) => asRecord(parseJson(line))[kind])
    .filter((one) => one !== undefined)
    .map((one) => ({ ...asRecord(one) }));

/** The leases in the file, without the fields whose values differ from run to run. */
export const leasesOf = async (cli: Pick<Cli, "folder">, path = leaseFile(cli)): Promise<readonly object[]> =>
  (await recordsOf(path, "lease")).map(({ token: _, process: __, ...lease }) => lease);

export const tokensOf = async (cli: Pick<Cli, "folder">): Promise<readonly string[]> =>
  (await recordsOf(leaseFile(cli), "lease")).map(({ token }) => String(token));

export const header = (version = 1): string => `${JSON.stringify({ format: "gpuctl-leases", version })}\n`;

/** Writes a lease file. By default, its leases belong to the sandbox and begin at the start of the test. */
export async function writeLeases(
  cli: Pick<Cli, "folder">,
  leases: readonly object[],
  { before = header(), after = "" } = {},
): Promise<void> {
  const path = leaseFile(cli);
  makeFolderSync(dirname(path));
  const base = { service: "sandbox", startedAt: at(0), endsAt: at(hour), by: "rentals create" };
  const lines = leases.map((lease, index) =>
    JSON.stringify({ lease: { token: `t${index}`, ...base, ...lease } }),
  );
  await writeFile(path, before + lines.map((line) => `${line}\n`).join("") + after);
}

/** The time this many milliseconds after the test's clock starts, in ISO 8601. */
export const at = (milliseconds: number): string => new Date(firstMoment + milliseconds).toISOString();

/** The name of a process of this machine that no longer runs. */
export const deadProcess = processes.self.replace(/\d+(?=@|$)/, "999999999");

/** The name by which gpuctl identifies a running process of this machine. */
export const runningProcess = (pid: number): string =>
  processes.self.replace(/\d+(?:@(.{36}-)?.*)?$/, (_, boot = "") => {
    if (process.platform !== "linux") return String(pid);
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    return `${pid}@${boot}${status.slice(status.lastIndexOf(")")).split(" ")[20]}`;
  });

/** The name of a process of this machine that runs and is not gpuctl. */
export const otherProcess = runningProcess(process.ppid);

/** The name of a process of another machine. If the test runs on Linux, both machines have the same host name. */
export const distantProcess =
  process.platform === "linux"
    ? deadProcess.replace(/^(\S+) (?:\w{16} )?(.*)@.{36}/, `$1 $2@${crypto.randomUUID()}`)
    : "other-host 1";

/** The processes as gpuctl in a container sees them. gpuctl cannot check the processes of other containers. */
export function inContainer(number: number): Processes {
  const self = `node pid:[${number}] 1`;
  return { self, isHere: (name) => name === self, isRunning: (name) => name !== "" };
}

/** On Linux, the name of a process that no longer runs. Its process ID now belongs to the process of the test. */
export const reusedProcess = processes.self.replace(/-\d+$/, "-1");

export const isCreate = ({ method, path }: SeenRequest): boolean =>
  method === "POST" && /[-/]rentals$/.test(path);
export const isTerminate = ({ method, path }: SeenRequest): boolean =>
  method === "POST" && path.endsWith("/terminate");
export const isList = ({ method, path }: SeenRequest): boolean =>
  method === "GET" && /-rentals$|\/rentals\/active/.test(path);

/** A CLI whose service carries out each write, and responds as `respond` says. */
export async function cliThatResponds(respond: Responder): Promise<Cli> {
  const cli = await createCli({
    respond: async (request) => {
      const { method, path, headers, body } = request;
      const response = await respond(request);
      if (response === undefined || method === "GET") return response;
      const url = new URL(path, "http://sandbox.localhost");
      const { authorization = "" } = headers;
      await cli.sandbox.fetch(
        new Request(url, {
          method,
          headers: { authorization, "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
      return response;
    },
  });
  return cli;
}

export const failure = (status: number): Response =>
  Response.json({ code: "ERROR", message: `Failed with ${status}`, issues: [] }, { status });
