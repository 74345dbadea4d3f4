import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CronJob } from "kubernetes-types/batch/v1";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createCli } from "../support/cli.ts";
import { createHome, repository, runProgram } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";
import { blocksOf } from "./readme-shell.ts";

const folder = join(repository, "docs", "guard");
const text = (name: string): string => readFileSync(join(folder, name), "utf8");

/** The command line that the service unit and the CronJob run. */
const commandLine = "rentals guard --once --yes --quiet";

test("the commands of docs/leases.md work one after another", async () => {
  const page = readFileSync(join(repository, "docs", "leases.md"), "utf8");
  const cli = await createCli();
  const lines = blocksOf(page, "sh").flatMap((block) => block.trim().split("\n"));
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) {
    const [, leaseFile = "", command = ""] = /^(?:GPUCTL_LEASE_FILE=(\S+) )?gpuctl (.*)$/.exec(line) ?? [];
    const programs = { shell: async () => {} };
    const env = { GPUCTL_SANDBOX: "1", GPUCTL_LEASE_FILE: leaseFile };
    const { code, err } = await cli.run(command, { env, programs });
    expect({ line, code }, err).toEqual({ line, code: 0 });
  }
});

test("docs/leases.md links to the files of docs/guard", () => {
  const page = readFileSync(join(repository, "docs", "leases.md"), "utf8");
  const linked = [...page.matchAll(/\]\(guard\/([^)]+)\)/g)].map(([, name = ""]) => name);
  for (const name of linked) expect(text(name)).toContain("gpuctl");
  expect(linked).toEqual(["crontab", "gpuctl-guard.service", "gpuctl-guard.timer", "cronjob.yaml"]);
});

describe("crontab", () => {
  const lines = text("crontab")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const jobs = lines.filter((line) => !/^[A-Z_]+=/.test(line));

  test("starts the guard every five minutes", () => {
    // Five fields, then a command without %, which cron would turn into a line feed.
    expect(jobs).toEqual([expect.stringMatching(/^\*\/5 \* \* \* \* [^%]+$/)]);
  });

  // `crontab -n` exists on Debian. Other systems name this flag differently.
  test.runIf(existsSync("/etc/debian_version"))(
    "passes the check of crontab -n, which rejects an invalid file",
    async (context) => {
      skipWithout("crontab", context);
      const check = (path: string) => runProgram("crontab", ["-n", path]);
      expect((await check(join(folder, "crontab"))).code).toBe(0);
      const copies = await mkdtemp(join(tmpdir(), "gpuctl-crontab-"));
      onTestFinished(() => rm(copies, { recursive: true, force: true }));
      await writeFile(join(copies, "crontab"), text("crontab").replace("*/5", "*/5x"));
      expect(await check(join(copies, "crontab"))).toMatchObject({
        code: 1,
        err: expect.stringContaining("bad minute"),
      });
    },
  );

  test("has a command that works in sh with only the variables of the file", async () => {
    const home = await createHome({ GPUCTL_SANDBOX: "1" });
    await home.run("rentals create vm --gpus 1 --yes");
    const command = jobs[0]?.split(" ").slice(5).join(" ");
    const path = /^PATH=(.*)$/m.exec(text("crontab"))?.[1];
    const program = join(home.folder, "bin");
    const node = join(process.execPath, "..");
    const { code, out, err } = await home.shell(command ?? "", {
      env: { PATH: `${program}:${path}:${node}` },
    }).ended;
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^EVENT .*\nno-lease +1001 /);
  });
});

describe("systemd", () => {
  const units = ["gpuctl-guard.service", "gpuctl-guard.timer"];

  /** Runs the check of systemd-analyze on copies of the units, changed by `change`. */
  async function verify(change: (unit: string) => string) {
    const copies = await mkdtemp(join(tmpdir(), "gpuctl-units-"));
    onTestFinished(() => rm(copies, { recursive: true, force: true }));
    await cp(folder, copies, { recursive: true });
    for (const name of units) await writeFile(join(copies, name), change(text(name)));
    const paths = units.map((name) => join(copies, name));
    // systemd-analyze needs a runtime folder, such as users have while they are logged in.
    const env = { PATH: process.env.PATH ?? "", XDG_RUNTIME_DIR: copies };
    return runProgram("systemd-analyze", ["--user", "verify", "--man=no", ...paths], { env });
  }

  test("systemd-analyze finds no problem in the units", async (context) => {
    skipWithout("systemd-analyze", context);
    expect(await verify((unit) => unit)).toEqual({ code: 0, out: "", err: "" });
  });

  test.for([
    ["an unknown key", "NoNewPrivileges", "NoNewPrivilges"],
    ["an invalid time", "OnBootSec=1min", "OnBootSec=soon"],
  ] as const)("systemd-analyze finds %s", async ([, right, wrong], context) => {
    skipWithout("systemd-analyze", context);
    expect((await verify((unit) => unit.replace(right, wrong))).err).toMatch(/NoNewPrivilges|soon/);
  });

  test("the service unit runs the guard with the leases and the key of the user", async () => {
    const unit = text(units[0] ?? "");
    const [, command = ""] = /^ExecStart=\/usr\/bin\/env gpuctl (.*)$/m.exec(unit) ?? [];
    expect(command).toBe(commandLine);
    // With another user, or with variables such as GPUCTL_STATE_DIR, the guard would not find the leases.
    expect(unit).not.toMatch(/^(User|DynamicUser|Environment|StateDirectory)=/m);
    const home = await createHome({ GPUCTL_SANDBOX: "1" });
    await home.run("rentals create vm --gpus 1 --lease 1h --yes");
    expect(await home.run(command)).toMatchObject({ code: 0, out: "", err: "" });
  });
});

test("the CronJob matches Kubernetes' types, and its command works", async () => {
  const pod = {
    restartPolicy: "Never",
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
    containers: [
      {
        name: "guard",
        image: "registry.example.com/gpuctl:0.1.0",
        command: ["gpuctl"],
        args: commandLine.split(" "),
        env: [
          { name: "GPUCTL_BASE_URL", value: "https://api.example.com" },
          { name: "GPUCTL_API_KEY", valueFrom: { secretKeyRef: { name: "gpuctl", key: "api-key" } } },
          { name: "GPUCTL_LEASE_FILE", value: "/leases/leases.jsonl" },
          { name: "GPUCTL_STATE_DIR", value: "/tmp/gpuctl" },
          { name: "GPUCTL_CONFIG_DIR", value: "/tmp/gpuctl" },
        ],
        volumeMounts: [
          { name: "leases", mountPath: "/leases" },
          { name: "temporary", mountPath: "/tmp" },
        ],
        securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      },
    ],
    volumes: [
      { name: "leases", persistentVolumeClaim: { claimName: "gpuctl-leases" } },
      { name: "temporary", emptyDir: {} },
    ],
  };
  const cronJob = {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "gpuctl-guard" },
    spec: {
      schedule: "*/5 * * * *",
      concurrencyPolicy: "Forbid",
      startingDeadlineSeconds: 240,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 5,
      jobTemplate: {
        spec: { backoffLimit: 0, activeDeadlineSeconds: 600, template: { spec: pod } },
      },
    },
  } satisfies CronJob;
  expect(parse(text("cronjob.yaml"))).toEqual(cronJob);
  const { run } = await createCli();
  expect(await run(`${commandLine} --sandbox`)).toMatchObject({ code: 0, out: "" });
});
