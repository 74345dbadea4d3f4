import { existsSync, realpathSync } from "node:fs";
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { addProgram, createHome, firstChunk, type Home } from "../support/process.ts";
import { needs, pathOf } from "../support/programs.ts";
import { waitFor } from "../support/renter.ts";
import { sample, thorough } from "../support/thorough.ts";

/** A job with input and results. Its file `ran` has one line for each time that the job was started. */
const script = `echo start >> ran
cat data.txt
mkdir -p results
echo "$SECRET" > results/secret
echo problem >&2
for step in 1 2 3; do echo step $step; sleep 0.2; done
cat ran > results/ran
exit 3
`;

const line =
  "rentals run --gpus 1 --sync project --fetch results --env SECRET=s3cret --sandbox --yes -- sh train.sh";

/** A home with a project. In its sandbox, rentals boot immediately. */
async function createRenter(): Promise<Home> {
  const home = await createHome();
  const project = join(home.folder, "project");
  await mkdir(project);
  await writeFile(join(project, "data.txt"), "hello\n");
  await writeFile(join(project, "train.sh"), script);
  expect(await home.run("sandbox boot add --outcome slow --after 0s --sandbox")).toMatchObject({ code: 0 });
  return home;
}

const expectNothingLeft = async ({ run }: Home) => {
  expect(JSON.parse((await run("rentals list --sandbox -o json")).out)).toEqual([]);
  expect(JSON.parse((await run("rentals lease list --sandbox -o json")).out)).toEqual([]);
};

const resultOf = (home: Home, name: string) => readFile(join(home.folder, "results", name), "utf8");

/** Makes the gpuctl of a home find no rsync on rentals. */
const withoutRemoteRsync = ({ folder }: Home) =>
  addProgram(
    folder,
    "ssh",
    `for last; do :; done
[ "$last" = -s ] || exec ${pathOf("ssh")} "$@"
exec ${pathOf("ssh")} "$@" < <(echo 'command() { [ "$2" != rsync ] && type "$2"; }'; exec cat)`,
    "bash",
  );

/** A `PATH` with all programs except rsync. */
async function pathWithoutRsync({ folder, env }: Home): Promise<string> {
  const links = join(folder, "links");
  await mkdir(links);
  const folders = (env.PATH ?? "").split(delimiter);
  const others = folders.filter((one) => !existsSync(join(one, "rsync")));
  for (const one of new Set(
    folders.filter((each) => !others.includes(each)).map((each) => realpathSync(each)),
  )) {
    for (const name of await readdir(one)) {
      if (name !== "rsync") await symlink(join(one, name), join(links, name)).catch(() => {});
    }
  }
  return [...others, links].join(delimiter);
}

describe.skipIf(process.platform === "win32")("rentals run on a machine of the sandbox", () => {
  needs("ssh");
  needs("sshd");
  needs("rsync");

  // Only in a thorough run: rentals-run-ended.test.ts kills and resumes such a job, and the README's test runs one.
  test.runIf(thorough)("a script gets its input, and its output and results come back", async () => {
    const home = await createRenter();
    const { code, out, err } = await home.run(line);
    expect({ code, out }, err).toEqual({ code: 3, out: "hello\nstep 1\nstep 2\nstep 3\n" });
    expect(err).toMatch(/^problem$/m);
    expect(err).toMatch(/^Job \w+ exited with status 3 .* It cost about \$0\.\d\d, an estimate/m);
    expect(await resultOf(home, "secret")).toBe("s3cret\n");
    await expectNothingLeft(home);
  });

  test.runIf(thorough)("a detached job is listed, followed, attached to and canceled", async () => {
    const home = await createRenter();
    const detached = line.replace("--sync", "--label train --detach --lease 1h --sync");
    expect(await home.run(detached)).toMatchObject({ code: 0 });
    expect((await home.run("rentals jobs logs --follow train --sandbox")).out).toContain("step 3\n");
    const attached = await home.run("rentals jobs attach --sandbox");
    expect(attached.code, attached.err).toBe(3);
    expect(await resultOf(home, "ran")).toBe("start\n");
    await expectNothingLeft(home);
    expect(await home.run(detached)).toMatchObject({ code: 0 });
    expect(await home.run("rentals jobs cancel train --yes --sandbox")).toMatchObject({ code: 0 });
    await expectNothingLeft(home);
  });

  test("a result that is a symbolic link is copied as the file or folder that it points to", async () => {
    const home = await createRenter();
    const script =
      "mkdir -p runs/9; echo 42 > runs/9/model; ln -s 9 runs/last; ln -s runs/last latest; ln -s runs/9/model best";
    const fetches = ["--fetch", "latest", "--fetch", "best", "--fetch", "runs"];
    const line = [...`rentals run --gpus 1 --sandbox --yes`.split(" "), ...fetches, "--", "sh", "-c", script];
    await writeFile(join(home.folder, "best"), "old");
    const { code, err } = await home.run(line);
    expect(code, err).toBe(0);
    for (const name of ["latest/model", "best", "runs/9/model"]) {
      expect(await readFile(join(home.folder, name), "utf8"), name).toBe("42\n");
    }
    for (const name of ["latest", "best"]) {
      expect((await lstat(join(home.folder, name))).isSymbolicLink(), name).toBe(false);
    }
    expect((await lstat(join(home.folder, "runs", "last"))).isSymbolicLink()).toBe(true);
    await expectNothingLeft(home);
  });

  describe.each(sample(["this machine", "the rental"], 0))("without rsync on %s", (place) => {
    // Older releases of scp, and newer ones with -O, pass file names to a shell on the rental.
    test.each(sample(["", "-O"], 1))(
      "scp %s copies names with spaces and other characters both ways, but no link whose target does not exist",
      async (option) => {
        const home = await createHome();
        expect(await home.run("sandbox boot add --outcome slow --after 0s --sandbox")).toMatchObject({
          code: 0,
        });
        const names = ["a file", "it's $(touch hacked) `x`", "[1] * ?", "-rf", "ü"];
        const folder = join(home.folder, "my project", "deep folder");
        await mkdir(folder, { recursive: true });
        for (const name of names) await writeFile(join(folder, name), name);
        await symlink("gone", join(folder, "a link"));
        const copied = join(home.folder, "copied");
        await addProgram(
          home.folder,
          "scp",
          `echo "$@" >> '${copied}'; exec ${pathOf("scp")} ${option} "$@"`,
        );
        if (place === "the rental") await withoutRemoteRsync(home);
        const PATH = place === "the rental" ? (home.env.PATH ?? "") : await pathWithoutRsync(home);
        const script =
          'mkdir "my results"; cp -R "deep folder" "my results"; cp "deep folder/[1] * ?" "[x] 1"';
        const line = ["--sync", "my project", "--fetch", "my results", "--fetch", "[x] 1"];
        const { code, err } = await home.run(
          [...`rentals run --gpus 1 --sandbox --yes`.split(" "), ...line, "--", "sh", "-c", script],
          { env: { PATH } },
        );
        expect(code, err).toBe(0);
        expect(await readFile(copied, "utf8")).toContain("gpuctl-jobs/");
        for (const name of names) {
          expect(await readFile(join(home.folder, "my results", "deep folder", name), "utf8")).toBe(name);
        }
        expect(await readFile(join(home.folder, "[x] 1"), "utf8")).toBe("[1] * ?");
        expect(await readdir(join(home.folder, "my results", "deep folder"))).not.toContain("a link");
      },
    );
  });

  describe("two processes that are attached to one job", () => {
    /** A detached job that runs until `go` is called, and two processes that have shown its first output. */
    async function createAttached() {
      const home = await createRenter();
      const go = join(home.folder, "go");
      const waits = `echo one; ${waitFor(go)}; echo two; echo 42 > model; exit 3`;
      const line = "rentals run --gpus 1 --fetch model --detach --lease 1h --sandbox --yes -- sh -c";
      expect(await home.run([...line.split(" "), waits])).toMatchObject({ code: 0 });
      const both = [1, 2].map(() => home.start("rentals jobs attach --sandbox"));
      const [first, second] = await Promise.all(
        both.map(async (attach) => {
          let err = "";
          attach.stderr.on("data", (chunk) => {
            err += chunk;
          });
          const shown = await firstChunk(attach.stdout);
          return { attach, shown, watches: err.includes("Another gpuctl process is attached to job") };
        }),
      );
      if (!first || !second) throw new Error("one is missing");
      expect([first.watches, second.watches].toSorted(), "one of them only watches").toEqual([false, true]);
      expect([first.shown, second.shown]).toEqual(["one\n", "one\n"]);
      const [attends, watches] = first.watches
        ? [second.attach, first.attach]
        : [first.attach, second.attach];
      return { home, attends, watches, go: () => writeFile(go, "") };
    }

    const expectEndedOnce = async (home: Home) => {
      expect(await readFile(join(home.folder, "model"), "utf8")).toBe("42\n");
      await expectNothingLeft(home);
      const ends = "sandbox requests --operation terminateVirtualMachineRental --count --sandbox";
      expect((await home.run(ends)).out).toBe("1\n");
    };

    test("both show the output of the job and exit with its status, and the rental ends once", async () => {
      const { home, attends, watches, go } = await createAttached();
      await go();
      for (const { exitCode, stdout, stderr } of await Promise.all([attends, watches])) {
        expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 3, stdout: "one\ntwo" });
        expect(stderr).toMatch(/^Job \w+ exited with status 3 .* Rental 1001 has ended\. It cost about/m);
      }
      await expectEndedOnce(home);
    });

    test.each(sample(["SIGINT", "SIGKILL"] as const))(
      "finish the job even if one of them gets %s",
      async (signal) => {
        for (const leaves of ["watches", "attends"] as const) {
          const { home, go, ...processes } = await createAttached();
          processes[leaves].kill(signal);
          await processes[leaves];
          await go();
          const { exitCode, stdout, stderr } = await processes[leaves === "watches" ? "attends" : "watches"];
          expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 3, stdout: "one\ntwo" });
          await expectEndedOnce(home);
        }
      },
    );
  });
});
