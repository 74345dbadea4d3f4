import { lstat, mkdir, readdir, readFile, rmdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/core/exit-codes.ts";
import { ConnectionFailed } from "../../src/core/service-errors.ts";
import { type Cli, createCli, type Outcome, type Responder } from "../support/cli.ts";
import { fillDisk } from "../support/full-disk.ts";
import {
  at,
  cliThatResponds,
  failure,
  header,
  hour,
  isCreate,
  leaseFile,
  leasesOf,
  minute,
  tokensOf,
  writeLeases,
} from "../support/leases.ts";
import { overNetwork } from "../support/service.ts";
import { words } from "../support/words.ts";

const create = "rentals create vm --gpus 1 --yes --sandbox";

/** A CLI whose `respond` can use the folder of the CLI. */
async function withFolder(
  replacements: (folder: () => string) => { readonly respond: Responder },
): Promise<Cli> {
  const cli: Cli = await createCli(replacements(() => cli.folder));
  return cli;
}

const endOf = ({ out }: Outcome): string => JSON.parse(out).endsAt;

/** A service whose clock is `ahead` of this machine's, in milliseconds. Each create returns a new rental. */
function serviceAhead(ahead: number): Responder {
  const headers = { date: new Date(Date.parse(at(ahead))).toUTCString() };
  let id = 6;
  return ({ method, path }) => {
    const rental = { id: method === "POST" ? ++id : 7, createdAt: at(ahead), status: "Running" };
    return Response.json(method === "POST" || path.endsWith("/rental") ? rental : [rental], { headers });
  };
}

describe.each([
  { clock: "ahead of", service: -9 * hour },
  { clock: "behind", service: 9 * hour },
])("if this machine's clock is 9 hours $clock the service's", ({ clock, service }) => {
  test.each([
    "rentals create vm --gpus 1 --count 2 --yes --lease 1h",
    "rentals lease set 7 1h",
    "rentals lease extend 7 1h",
  ])("%s warns once that the rental may be billed for longer", async (line) => {
    const cli = await createCli({ respond: serviceAhead(service) });
    if (line.includes("extend")) await cli.run("rentals lease set 7 1h", overNetwork());
    const { code, err } = await cli.run(line, overNetwork());
    expect(code, err).toBe(0);
    expect(err.split(`Warning: this computer's clock is 9h ${clock} the service's.`)).toHaveLength(2);
    expect(err).toContain("may be billed up to 9h longer than you expect");
  });
});

test("clocks that differ by less than half a minute cause no warning", async () => {
  const cli = await createCli({ respond: serviceAhead(25_000) });
  const { code, err } = await cli.run("rentals lease set 7 1h", overNetwork());
  expect({ code, err }).toMatchObject({ code: 0, err: expect.not.stringContaining("clock") });
});

describe("rentals create --lease", () => {
  test("saves the time at which the rental ends", async () => {
    const cli = await createCli();
    const { code, err } = await cli.run(`${create} --label train --lease 90m`);
    expect(code, err).toBe(0);
    expect(await leasesOf(cli)).toEqual([
      {
        service: "sandbox",
        rentalId: "1001",
        label: "train",
        rentalCreatedAt: at(0),
        startedAt: at(0),
        endsAt: at(90 * minute),
        by: "rentals create",
      },
    ]);
    expect(err).toContain("gpuctl rentals guard --every 5m --sandbox  # end it after 1h 30m");
  });

  test("with --count, saves a lease for each rental", async () => {
    const cli = await createCli();
    await cli.run(`${create} --count 3 --label node --lease 1d`);
    const { out } = await cli.run("rentals lease list --columns rentalId,label,endsAt -o tsv --sandbox");
    const end = at(24 * hour);
    const rows = [1, 2, 3].map((number) => `100${number}\tnode-${number}\t${end}\n`);
    expect(out).toBe(`rentalId\tlabel\tendsAt\n${rows.join("")}`);
  });

  test("names the end of the lease in the confirmation prompt", async () => {
    const { run } = await createCli();
    const asked: string[] = [];
    const confirm = async ({ message }: { message: string }) => asked.push(message) < 0;
    await run("rentals create vm --gpus 1 --lease 2h --sandbox", { terminal: 200, prompts: { confirm } });
    expect(asked.join()).toContain("It is billed until it ends. `gpuctl rentals guard` ends it after 2h.");
  });

  test("saves a pending lease before the request is sent", async () => {
    let during: readonly object[] = [];
    const cli = await createCli({
      respond: async (request) => {
        if (isCreate(request)) during = await leasesOf(cli);
        return undefined;
      },
    });
    await cli.run(`${create} --label train --lease 2h`);
    expect(during).toEqual([
      { service: "sandbox", label: "train", startedAt: at(0), endsAt: at(2 * hour), by: "rentals create" },
    ]);
  });

  test("keeps the pending lease if the outcome of the create is unknown", async () => {
    const cli = await cliThatResponds((request) => (isCreate(request) ? failure(500) : undefined));
    const { code, err } = await cli.run(`${create} --label train --lease 2h`);
    expect(code).toBe(10);
    expect(err).toContain('If a rental was created, its lease is the one with the label "train".');
    expect(await leasesOf(cli)).toMatchObject([{ label: "train", endsAt: at(2 * hour) }]);
    expect((await leasesOf(cli))[0]).not.toHaveProperty("rentalId");
  });

  test.each([
    ["the service refuses", () => failure(400), 6],
    [
      "nothing was sent",
      () => {
        throw new ConnectionFailed("connection refused", { code: "ECONNREFUSED", sent: false });
      },
      9,
    ],
  ])("removes the pending lease if %s", async (_, respond, code) => {
    const cli = await createCli({ respond: (request) => (isCreate(request) ? respond() : undefined) });
    expect((await cli.run(`${create} --lease 2h`)).code).toBe(code);
    expect(await leasesOf(cli)).toEqual([]);
  });

  test("creates nothing if the lease cannot be saved", async () => {
    const cli = await createCli();
    await writeFile(join(cli.folder, "plain"), "a file");
    const plain = await cli.run(`${create} --lease 2h --lease-file plain/leases`);
    expect(plain.code).toBe(2);
    expect(plain.err).toContain("part of the path is a file");
    const missing = await cli.run(`${create} --lease 2h --lease-file no-such-folder/leases`);
    expect(missing).toMatchObject({ code: 2, out: "" });
    expect(missing.err).toMatch(
      /^Error: cannot save .*no-such-folder\/leases: the folder does not exist; create it first\n/,
    );
    await writeLeases(cli, [], { before: header(2) });
    const newer = await cli.run(`${create} --lease 2h`);
    expect(newer.err).toContain("has format 2; this gpuctl reads format 1\nUpdate gpuctl.");
    expect([missing, newer].flatMap(({ requests }) => requests.filter(isCreate))).toEqual([]);
    expect(await readFile(leaseFile(cli), "utf8")).toBe(header(2));
  });

  test.each([
    [`${create} --lease 2h`, "leases.jsonl"],
    [`${create} --lease 2h`, "leases.jsonl.holder"],
    ["rentals lease set 1001 2h --sandbox", "leases.jsonl.holder.lock-owner"],
    [`${create} --max-burn 90`, "rentals-create"],
    [`${create} --max-burn 90`, "rentals-create.lock-owner"],
  ])("a full disk is an error, and no create is sent: `%s` with no space for %s", async (line, file) => {
    const cli = await createCli();
    await cli.run(create);
    const free = fillDisk(file);
    const { code, err, requests } = await cli.run(line);
    expect(code, err).toBe(2);
    expect(err).toMatch(/cannot save .*(leases\.jsonl|rentals-create)\S*: no space left on the disk\n/);
    expect(err).not.toContain("bug");
    expect(requests.filter(isCreate)).toEqual([]);
    free();
    // The failed command has left no lock behind.
    expect(await cli.run(line)).toMatchObject({ code: 0 });
  });

  test("prints the rental and fails if the lease cannot be saved after the create", async () => {
    const cli = await createCli({
      respond: async (request) => {
        if (isCreate(request)) await writeFile(leaseFile(cli), header(2));
        return undefined;
      },
    });
    const { code, out, err } = await cli.run(`${create} --lease 2h -o id`);
    expect({ code, out }).toEqual({ code: 1, out: "1001\n" });
    expect(err).toContain("Error: rental 1001 was created, but its lease is not stored: ");
    expect(err).toContain("`gpuctl rentals lease set 1001 2h --sandbox` sets the lease.");
  });

  describe("if the lease cannot be saved after the create", () => {
    const shared = "--lease 2h --lease-file shared.jsonl";
    const advice = "`gpuctl rentals lease set 1001 2h --lease-file ";
    /** A CLI whose lease file becomes unreadable as soon as a create has reached the service. */
    const losesLease = (respond: Responder = () => undefined): Promise<Cli> =>
      withFolder((folder) => ({
        respond: async (request) => {
          if (isCreate(request)) await writeFile(join(folder(), "shared.jsonl"), header(2));
          return respond(request);
        },
      }));

    test.each([
      ["the wait times out", "--wait --wait-timeout 1s", {}, 8],
      ["the result cannot be printed", "", { writeFails: new Error("no space left") }, 1],
      ["a filter fails", "--jq '.id | error'", {}, 1],
    ])("says so if %s", async (_, flags, options, exitCode) => {
      const cli = await losesLease();
      const { code, err } = await cli.run(words(`${create} ${shared} ${flags}`), options);
      expect(code, err).toBe(exitCode);
      expect(err).toContain("Rental 1001 was created and is billed. Do not create it again.");
      expect(err).toMatch(
        /(Rental 1001 was created, but its lease is not stored: .*|Its lease is not stored)\. `/,
      );
      expect(err).toContain(advice);
    });

    test.each(["-o json", "-q", ""])("says so if another of several rentals fails: %s", async (flags) => {
      const statuses = [undefined, 400];
      const cli = await losesLease((request) => {
        const status = isCreate(request) ? statuses.shift() : undefined;
        return status === undefined ? undefined : failure(status);
      });
      const { code, err } = await cli.run(`${create} ${shared} --count 2 ${flags}`);
      expect(code, err).toBe(12);
      expect(err).toContain("Rental 1001 was created, but its lease is not stored: ");
      expect(err.split(advice)).toHaveLength(2);
    });

    test("says so once, and suggests a command with the same lease file", async () => {
      const cli = await losesLease();
      const { code, out, err } = await cli.run(`${create} ${shared} -o id`);
      expect({ code, out }).toEqual({ code: 1, out: "1001\n" });
      expect(err.split("has format 2")).toHaveLength(2);
      expect(err.split(advice)).toHaveLength(2);
    });

    test("says so after Ctrl-C", async () => {
      const abort = new AbortController();
      const cli = await losesLease();
      const run = cli.run(`${create} ${shared}`, {
        signal: abort.signal,
        messages: { read: Readable.from([]), write: () => abort.abort() },
      });
      const { code, err } = await run;
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringContaining("Error: rental 1001 was created, but its lease is not stored: "),
      });
    });
  });

  describe("while another process uses the leases after the create", () => {
    /** A CLI in which another process holds the lock of the leases as soon as a create has reached the service. */
    const withLockTaken = (): Promise<Cli> =>
      withFolder((folder) => ({
        respond: async (request) => {
          if (isCreate(request)) await mkdir(join(folder(), "state", "leases.jsonl.holder.lock"));
          return undefined;
        },
      }));

    test("says which rental was created, and stores the lease as soon as the lock is free", async () => {
      const cli = await withLockTaken();
      let pauses = 0;
      const { code, err } = await cli.run(`${create} --lease 2h`, {
        onSleep: async () => {
          pauses += 1;
          if (pauses === 50) await rmdir(join(cli.folder, "state", "leases.jsonl.holder.lock"));
        },
      });
      expect(code, err).toBe(0);
      expect(err).toContain("Rental 1001 was created and is billed. Waiting to store its lease");
      expect(await leasesOf(cli)).toMatchObject([{ rentalId: "1001" }]);
    });

    test("Ctrl-C ends the wait, and the error names the rental", async () => {
      const cli = await withLockTaken();
      const abort = new AbortController();
      const { code, err } = await cli.run(`${create} --lease 2h -o json`, {
        signal: abort.signal,
        onSleep: () => abort.abort(),
      });
      expect(code, err).toBe(1);
      expect(err).toContain(
        "rental 1001 was created, but its lease is not stored: interrupted while another gpuctl process",
      );
      expect(err).toContain("`gpuctl rentals lease set 1001 2h --sandbox` sets the lease.");
    });
  });

  test.each([
    ["--lease 0s", "--lease must be greater than 0"],
    ["--lease 5", "--lease must be a duration such as 30m, 12h or 7d"],
    ["--lease 4000d", "--lease must be at most 3650d"],
    ["--lease 1h --lease-file=", "--lease-file must not be empty"],
  ])("%s is refused, and no rental is created", async (flags, message) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(`${create} ${flags}`);
    expect({ code, sent: requests.filter(isCreate) }).toEqual({ code: 2, sent: [] });
    expect(err).toContain(message);
  });

  test("saves nothing in a dry run", async () => {
    const cli = await createCli();
    await cli.run(`${create} --lease 2h --dry-run`);
    expect(await leasesOf(cli)).toEqual([]);
  });

  test("uses the lease file that the flag names, or else the environment variable", async () => {
    const cli = await createCli();
    const env = { GPUCTL_LEASE_FILE: join(cli.folder, "shared") };
    await cli.run(`${create} --lease 2h`, { env });
    await cli.run(`${create} --lease 2h --lease-file own`, { env });
    expect(await leasesOf(cli, join(cli.folder, "shared"))).toMatchObject([{ rentalId: "1001" }]);
    expect(await leasesOf(cli, join(cli.folder, "own"))).toMatchObject([{ rentalId: "1002" }]);
    expect(await leasesOf(cli)).toEqual([]);
  });

  test.each(["rentals guard --once --yes --sandbox", "rentals lease list --sandbox"])(
    "a lease file whose folder is missing, as on a share that is not mounted, is an error and not an empty list: %s",
    async (line) => {
      const cli = await createCli();
      const env = { GPUCTL_LEASE_FILE: join(cli.folder, "share", "leases.jsonl") };
      const { code, err, requests } = await cli.run(line, { env });
      expect({ code, requests }, err).toEqual({ code: exit.usage, requests: [] });
      expect(err).toMatch(
        /^Error: the leases in .*leases\.jsonl cannot be read: the folder does not exist\n/,
      );
    },
  );

  describe.skipIf(process.platform === "win32")("with a lease file that is a symbolic link", () => {
    /** A CLI with the symbolic link `link.jsonl` to a lease file in another folder. */
    async function createLinked() {
      const cli = await createCli();
      const [link, target] = [join(cli.folder, "link.jsonl"), join(cli.folder, "share", "leases.jsonl")];
      await mkdir(join(cli.folder, "share"));
      await symlink(join("share", "leases.jsonl"), link);
      return { ...cli, cli, link, target };
    }

    test("keeps the link, and replaces and locks its target", async () => {
      const { run, cli, link, target, folder } = await createLinked();
      await writeFile(target, header());
      const { code, err } = await run(`${create} --lease 1h --lease-file link.jsonl`);
      expect(code, err).toBe(0);
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
      expect(await leasesOf(cli, target)).toMatchObject([{ rentalId: "1001" }]);
      expect(await readdir(folder)).not.toContain("link.jsonl.holder");
      await run("rentals lease clear 1001 --lease-file link.jsonl --sandbox");
      expect(await leasesOf(cli, target)).toEqual([]);
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
    });

    test.each([
      `${create} --lease 1h`,
      "rentals lease list --sandbox",
      "rentals guard --once --yes --sandbox",
    ])("is an error if the target is missing: %s", async (line) => {
      const { run, link } = await createLinked();
      const { code, err, requests } = await run(`${line} --lease-file link.jsonl`);
      expect(code, err).toBe(2);
      expect(err).toMatch(/is a symbolic link to share.leases\.jsonl, which does not exist/);
      expect(err).not.toContain("There is no lease file");
      expect(requests.filter(isCreate)).toEqual([]);
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
    });
  });

  test("loses no lease if several commands create rentals at the same time", async () => {
    const cli = await createCli();
    const runs = await Promise.all(Array.from({ length: 8 }, () => cli.run(`${create} --lease 2h -o id`)));
    const created = runs.map(({ out }) => out.trim()).toSorted();
    const { out } = await cli.run("rentals lease list -o id --sandbox");
    expect(out.trim().split("\n").toSorted()).toEqual(created);
  });
});

describe("rentals lease", () => {
  test("set, extend and clear change the lease of a rental that is named by its ID or label", async () => {
    const cli = await createCli();
    await cli.run(`${create} --label train`);
    expect((await cli.run("rentals lease set train 2h --note 'the new model' --sandbox")).out).toMatch(
      /^ID: +1001\nLABEL: +train\nENDS: +2026-11-20T14:00:00.000Z\n(.*\n)+NOTE: +the new model\n/,
    );
    expect(endOf(await cli.run("rentals lease extend 1001 90m -o json --sandbox"))).toBe(at(3.5 * hour));
    cli.advance(10 * hour);
    expect(endOf(await cli.run("rentals lease extend train 1h -o json --sandbox"))).toBe(at(11 * hour));
    const set = await cli.run("rentals lease set 1001 1h --sandbox");
    expect(set.err, "a lease alone ends nothing").toContain("gpuctl rentals guard --every 5m --sandbox");
    expect(await leasesOf(cli)).toMatchObject([{ rentalId: "1001", by: "rentals lease set" }]);
    const cleared = await cli.run("rentals lease clear train --sandbox");
    expect({ code: cleared.code, err: cleared.err }).toEqual({
      code: 0,
      err: "Removed this lease, so `gpuctl rentals guard --sandbox` does not end rental 1001.\n",
    });
    expect(await leasesOf(cli)).toEqual([]);
    const { out, err } = await cli.run("rentals lease list --sandbox");
    expect({ out, err }).toEqual({ out: "", err: "No leases.\n" });
    const missing = await cli.run("rentals lease list --lease-file typo.jsonl --sandbox");
    expect(missing.err).toMatch(/^There is no lease file .*typo\.jsonl yet\.\nNo leases\.\n$/);
  });

  test("set, extend and clear reject a label of two rentals or two leases", async () => {
    const cli = await createCli();
    for (const _ of [1, 2]) await cli.run(`${create} --label twin --lease 2h`);
    const before = await leasesOf(cli);
    for (const verb of ["set twin 1h", "extend twin 1h", "clear twin"]) {
      const { code, err } = await cli.run(`rentals lease ${verb} --sandbox`);
      expect(code).toBe(2);
      expect(err).toMatch(/RENTAL "twin" is the label of 2 .*: 1001, 1002\n/);
    }
    expect(await leasesOf(cli)).toEqual(before);
  });

  test("clear sends no request, and accepts the token of a pending lease", async () => {
    const cli = await cliThatResponds((request) => (isCreate(request) ? failure(500) : undefined));
    await cli.run(`${create} --lease 2h`);
    const [token] = await tokensOf(cli);
    const { code, requests } = await cli.run(`rentals lease clear ${token} --sandbox`);
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(await leasesOf(cli)).toEqual([]);
  });

  test.each([
    ["extend 1001 1h", 5, "rental 1001 has no lease in "],
    ["clear 1001", 5, 'no lease of "1001" in '],
    ["set 999 1h", 5, "rental 999 not found"],
    ["set 1001 0m", 2, "DURATION must be greater than 0"],
    ["set 1001 soon", 2, 'DURATION must be a duration such as 30m, 12h or 7d, not "soon"'],
    ["extend 1002 1h", 5, "rental 1002 has ended"],
    ["set 1002 1h", 5, "rental 1002 has ended"],
  ])("%s exits with %i", async (line, code, message) => {
    const cli = await createCli();
    for (const _ of [1, 2]) await cli.run(create);
    await cli.run("rentals terminate 1002 --yes --sandbox");
    const outcome = await cli.run(`rentals lease ${line} --sandbox`);
    expect(outcome.code).toBe(code);
    expect(outcome.err).toContain(message);
    expect(await leasesOf(cli)).toEqual([]);
  });

  test.each(["extend 1001 1h", "clear 1001"])(
    "the error of %s suggests a command with the same lease file",
    async (line) => {
      const cli = await createCli();
      await cli.run(create);
      const { err } = await cli.run([...words(`rentals lease ${line} --sandbox --lease-file`), "my leases"]);
      const [, command = ""] = /`gpuctl (.*)`/.exec(err) ?? [];
      expect(command).toMatch(/^rentals lease (set 1001 2h|list) --lease-file '\/.*\/my leases' --sandbox$/);
      expect(await cli.run(words(command))).toMatchObject({ code: 0 });
      expect(await leasesOf(cli)).toEqual([]);
    },
  );

  test("list sorts leases by their end, and counts the leases of other services", async () => {
    const cli = await createCli();
    await writeLeases(cli, [
      { rentalId: "7", service: "https://api.example.com" },
      { rentalId: "1002", endsAt: at(3 * hour) },
      { rentalId: "1001" },
    ]);
    const { out, err } = await cli.run("rentals lease list -o id --sandbox");
    expect(out).toBe("1001\n1002\n");
    expect(err).toMatch(/^Leases of other services in .*leases.jsonl: 1. They are not shown.\n$/);
  });
});

describe("a damaged or newer lease file", () => {
  test("an incomplete line stays in the file, and the other leases still apply", async () => {
    const cli = await createCli();
    await cli.run(create);
    const cut = '{"lease":{"token":"t9","serv';
    await writeLeases(cli, [{ rentalId: "1001" }], { after: cut });
    const listed = await cli.run("rentals lease list -o id --sandbox");
    expect(listed.out).toBe("1001\n");
    expect(listed.err).toMatch(/^Lines that cannot be read in .*: 1.\n$/);
    expect((await cli.run("rentals lease extend 1001 1h --sandbox")).code).toBe(0);
    expect(await readFile(leaseFile(cli), "utf8")).toContain(`\n${cut}\n`);
  });

  test.each([
    ["", "is not a lease file, or its first line is damaged"],
    ['{"format":"gpuctl-le', "is not a lease file, or its first line is damaged"],
    [header(2), "has format 2; this gpuctl reads format 1"],
  ])("is refused if the text before its leases is %j, and nothing is sent", async (before, message) => {
    const cli = await createCli();
    await cli.run(create);
    await writeLeases(cli, [{ rentalId: "1001" }], { before });
    const text = await readFile(leaseFile(cli), "utf8");
    cli.advance(2 * hour);
    for (const line of ["guard --yes", "lease list", "lease clear 1001"]) {
      const { code, err, requests } = await cli.run(`rentals ${line} --sandbox`);
      expect({ code, requests }, line).toEqual({ code: 2, requests: [] });
      expect(err).toContain(message);
    }
    expect(await readFile(leaseFile(cli), "utf8")).toBe(text);
  });
});
