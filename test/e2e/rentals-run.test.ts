import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addProgram, createHome, type Home } from "../support/process.ts";
import { needs, pathOf } from "../support/programs.ts";
import { sample, thorough } from "../support/thorough.ts";

/** A job with input and results. It says in its output how often it ran. */
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

/** A home with a project, in whose sandbox rentals boot at once. */
async function createRenter(): Promise<Home> {
  const home = await createHome();
  const project = join(home.folder, "project");
  await mkdir(project);
  await writeFile(join(project, "data.txt"), "hello\n");
  await writeFile(join(project, "train.sh"), script);
  expect(await home.run("sandbox boot add --outcome slow --after 0s --sandbox")).toMatchObject({ code: 0 });
  return home;
}

/**
 * Sends a signal to gpuctl when it starts ssh or rsync for the nth time. The connection is made all the same, except for
 * SIGKILL. The ssh that rsync starts does not count.
 */
async function signalAt(home: Home, count: number, signal: "INT" | "KILL"): Promise<void> {
  for (const program of ["ssh", "rsync"]) {
    await addProgram(
      home.folder,
      program,
      `if [ -z "$COUNTED" ]; then
  echo >> "${home.folder}/connections"
  [ "$(wc -l < "${home.folder}/connections")" -eq ${count} ] && kill -${signal} $PPID
fi
COUNTED=1 exec ${pathOf(program)} "$@"`,
    );
  }
}

const expectNothingLeft = async ({ run }: Home) => {
  expect(JSON.parse((await run("rentals list --sandbox -o json")).out)).toEqual([]);
  expect(JSON.parse((await run("rentals lease list --sandbox -o json")).out)).toEqual([]);
};

const resultOf = (home: Home, name: string) => readFile(join(home.folder, "results", name), "utf8");

/** The first connections of a run: state, preparation, copy, start, output, state, preparation, paths, copy. */
const moments = [1, 2, 3, 4, 5, 6, 7, 8, 9];

describe.skipIf(process.platform === "win32")("rentals run on a machine of the sandbox", () => {
  needs("ssh");
  needs("sshd");
  needs("rsync");

  // A run that is killed and resumed shows the same, and the README has a run that is not.
  test.runIf(thorough)("a script with input and results, from start to end", async () => {
    const home = await createRenter();
    const { code, out, err } = await home.run(line);
    expect({ code, out }, err).toEqual({ code: 3, out: "hello\nstep 1\nstep 2\nstep 3\n" });
    expect(err).toMatch(/^problem$/m);
    expect(err).toMatch(/^Job \w+ exited with status 3 .* It cost about \$0\.01, an estimate/m);
    expect(await resultOf(home, "secret")).toBe("s3cret\n");
    await expectNothingLeft(home);
  });

  test.each(sample(moments))("Ctrl-C at connection %i leaves no rental", async (moment) => {
    const home = await createRenter();
    await signalAt(home, moment, "INT");
    const { code, err } = await home.run(line);
    expect(code, err).toBe(130);
    expect(err).toMatch(/Rental 1001 has ended/);
    await expectNothingLeft(home);
  });

  test.each(sample(moments, 3))(
    "kill -9 at connection %i leaves a rental that the guard ends",
    async (moment) => {
      const home = await createRenter();
      await signalAt(home, moment, "KILL");
      expect((await home.run(line)).code).toBeUndefined();
      const jobs = await home.run("rentals jobs list --sandbox -o json");
      expect(JSON.parse(jobs.out)).toMatchObject([{ state: "unattended", rentalId: "1001" }]);
      const guard = await home.run("rentals guard --once --sandbox --yes");
      expect(guard.code, guard.err).toBe(0);
      await expectNothingLeft(home);
    },
  );

  test.each(sample(moments, 4))(
    "kill -9 at connection %i, and the same line resumes the job",
    async (moment) => {
      const home = await createRenter();
      await signalAt(home, moment, "KILL");
      const killed = await home.run(line);
      const resumed = await home.run(line);
      expect(resumed.code, resumed.err).toBe(3);
      expect(resumed.err).toMatch(/^Resuming job/m);
      expect(killed.err + resumed.err).toMatch(/^problem$/m);
      expect(resumed.err).toMatch(/^Job \w+ exited with status 3 .* It cost about \$0\.01, an estimate/m);
      expect(killed.out + resumed.out).toBe("hello\nstep 1\nstep 2\nstep 3\n");
      expect(await resultOf(home, "ran")).toBe("start\n");
      expect(await resultOf(home, "secret")).toBe("s3cret\n");
      await expectNothingLeft(home);
    },
  );

  test.runIf(thorough)("a detached job is listed, followed, attached to and cancelled", async () => {
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
});
