import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { onTestFinished, vi } from "vitest";
import type { Environment } from "./process.ts";
import { pathOf } from "./programs.ts";

/** The programs of a Slurm cluster. */
export const slurmPrograms = ["slurmctld", "slurmd", "munged"] as const;

/**
 * Starts a Slurm cluster with one node on this machine, and a MUNGE daemon that only this cluster uses. Returns the
 * environment for Slurm's commands. When the test ends, the daemons are ended and their files are removed.
 */
export async function startSlurm({ cpus }: { readonly cpus: number }): Promise<Environment> {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-slurm-"));
  await chmod(folder, 0o755);
  const path = (name: string) => join(folder, name);
  const daemons: ReturnType<typeof start>[] = [];
  onTestFinished(async () => {
    for (const daemon of daemons.reverse()) {
      daemon.kill();
      await daemon;
    }
    await rm(folder, { recursive: true, force: true });
  });
  const start = (program: string, args: readonly string[], env: Environment = {}) =>
    execa(pathOf(program) ?? program, args, { env, reject: false, stdio: "ignore" });

  for (const name of ["munge", "state", "spool"]) await mkdir(path(name), { mode: 0o755 });
  await writeFile(path("munge/key"), randomBytes(128), { mode: 0o400 });
  const socket = path("munge/socket");
  const files = { key: "key", pid: "pid", log: "log", seed: "seed" };
  const fileOptions = Object.entries(files).map(([kind, name]) => `--${kind}-file=${path(`munge/${name}`)}`);
  daemons.push(start("munged", ["--foreground", "--force", `--socket=${socket}`, ...fileOptions]));

  const [host, user] = [hostname().split(".")[0] ?? "", userInfo().username];
  const [controllerPort, nodePort] = [await freePort(), await freePort()];
  const env = { SLURM_CONF: path("slurm.conf") };
  await writeFile(
    env.SLURM_CONF,
    `ClusterName=test
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${controllerPort}
SlurmdPort=${nodePort}
SlurmUser=${user}
SlurmdUser=${user}
AuthType=auth/munge
CryptoType=crypto/munge
# A task that is queued again starts only after the credentials of its previous run have expired: here, after 5 s.
AuthInfo=socket=${socket},cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation=${path("state")}
SlurmdSpoolDir=${path("spool")}
SlurmctldPidFile=${path("slurmctld.pid")}
SlurmdPidFile=${path("slurmd.pid")}
SlurmctldLogFile=${path("slurmctld.log")}
SlurmdLogFile=${path("slurmd.log")}
NodeName=${host} NodeAddr=127.0.0.1 CPUs=${cpus} RealMemory=65536
PartitionName=main Nodes=${host} Default=YES State=UP
`,
  );
  daemons.push(start("slurmctld", ["-D"], env), start("slurmd", ["-D"], env));
  await vi.waitUntil(
    async () => {
      const { stdout } = await execa("sinfo", ["--noheader", "--format=%T"], { env, reject: false });
      return stdout === "idle";
    },
    { timeout: 30_000, interval: 200 },
  );
  return env;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
