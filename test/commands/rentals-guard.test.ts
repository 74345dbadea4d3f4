import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { responseLimits } from "../../src/contract/plain/response-limits.ts";
import { ConnectionFailed } from "../../src/core/service-errors.ts";
import { maxLease } from "../../src/core/values/durations.ts";
import { nodePrograms } from "../../src/system/programs.ts";
import type { Programs } from "../../src/system/types.ts";
import { type Cli, createCli, type Outcome, type Responder, type SeenRequest } from "../support/cli.ts";
import { denyWrites, fillDisk } from "../support/full-disk.ts";
import {
  at,
  cliThatResponds,
  deadProcess,
  distantProcess,
  failure,
  header,
  hour,
  isCreate,
  isList,
  isTerminate,
  leaseFile,
  leasesOf,
  minute,
  tokensOf,
  writeLeases,
} from "../support/leases.ts";
import { overNetwork, serviceUrl } from "../support/service.ts";
import { words } from "../support/words.ts";

const create = "rentals create vm --gpus 1 --yes --sandbox";
const guard = "rentals guard --yes --sandbox";

const terminations = ({ requests }: Outcome) => requests.filter(isTerminate);

interface PrintedEvent {
  readonly event: string;
  readonly rentalId?: string;
  readonly message: string;
}

const eventsIn = ({ out }: Outcome): readonly PrintedEvent[] => (out === "" ? [] : JSON.parse(out));
/** Each event with the ID of its rental, such as `ended 1001`. */
const shortEvents = (outcome: Outcome): readonly string[] =>
  eventsIn(outcome).map(({ event, rentalId }) => [event, rentalId].filter(Boolean).join(" "));

const activeIn = async ({ run }: Cli): Promise<string> => (await run("rentals list -o id --sandbox")).out;

/**
 * Creates a rental with a lease of an hour, and advances the clock by two hours, so that the lease is over. The first
 * rental of a CLI has the ID 1001.
 */
async function withLeaseOver(cli: Cli): Promise<Cli> {
  await cli.run(`${create} --label train --lease 1h`);
  cli.advance(2 * hour);
  return cli;
}

describe("rentals guard", () => {
  test("ends a rental whose lease is over, and reports a rental without a lease", async () => {
    const cli = await createCli();
    await cli.run(`${create} --label past --lease 1h`);
    await cli.run(`${create} --label within --lease 3h`);
    await cli.run(`${create} --label without`);
    cli.advance(hour);
    const outcome = await cli.run(guard);
    expect(outcome.code, outcome.err).toBe(0);
    expect(outcome.out).toBe(
      [
        "EVENT     ID    LABEL    LEASE ENDS                MESSAGE",
        "ended     1001  past     2026-11-20T13:00:00.000Z  Rental 1001 was terminated.",
        "no-lease  1003  without  -                         is active and has no lease; `gpuctl rentals lease set 1003 2h --sandbox` sets one",
        "",
      ].join("\n"),
    );
    expect(outcome.err).toContain(
      "Next steps:\n  gpuctl rentals lease set 1003 2h --sandbox  # give it a lease\n",
    );
    expect(terminations(outcome).map(({ body }) => body)).toEqual([{ rentalId: 1001 }]);
    expect(await activeIn(cli)).toBe("1002\n1003\n");
    expect(await leasesOf(cli)).toMatchObject([{ rentalId: "1002" }]);
  });

  test("prints a message if there is nothing to report", async () => {
    const cli = await createCli();
    await cli.run(`${create} --lease 3h`);
    const { code, out, err } = await cli.run(guard);
    expect({ code, out, err }).toEqual({
      code: 0,
      out: "",
      err: "No lease is over, and every active rental has a lease.\n",
    });
  });

  test("warns before a lease is over", async () => {
    const cli = await createCli();
    await cli.run(`${create} --lease 1h`);
    cli.advance(48 * minute);
    expect(eventsIn(await cli.run(`${guard} -o json`))).toEqual([
      {
        event: "ends-soon",
        rentalId: "1001",
        label: "vm-1001",
        token: expect.any(String),
        endsAt: at(hour),
        message: "ends in 12m; `gpuctl rentals lease extend 1001 1h --sandbox` lets it run longer",
        time: at(48 * minute),
      },
    ]);
    expect(eventsIn(await cli.run(`${guard} -o json --warn 10m`))).toEqual([]);
    const { err } = await cli.run(guard);
    expect(err).toContain("  gpuctl rentals lease extend 1001 1h --sandbox  # let it run longer\n");
  });

  test("requires --yes without a terminal, and asks for confirmation on a terminal", async () => {
    const cli = await withLeaseOver(await createCli());
    expect(await cli.run("rentals guard --sandbox")).toMatchObject({ code: 2, requests: [] });
    const asked: string[] = [];
    const confirm = async ({ message }: { message: string }) => asked.push(message) < 0;
    const declined = await cli.run("rentals guard --sandbox", { terminal: 80, prompts: { confirm } });
    expect(declined).toMatchObject({ code: 130, requests: [] });
    expect(asked).toEqual([expect.stringContaining("Terminate every rental whose lease is over? All data")]);
  });

  test("only reads in a dry run, and says which rentals would end", async () => {
    const cli = await withLeaseOver(await createCli());
    await cli.run(create);
    const before = await readFile(leaseFile(cli), "utf8");
    const outcome = await cli.run("rentals guard --dry-run --notify 'exit 1' -o json --sandbox");
    expect(outcome.code, outcome.err).toBe(0);
    expect(shortEvents(outcome)).toEqual(["would-end 1001", "no-lease 1002"]);
    expect(eventsIn(outcome)[0]).toMatchObject({ message: "the lease is over" });
    expect(outcome.requests.every(({ method }) => method === "GET")).toBe(true);
    expect(await readFile(leaseFile(cli), "utf8")).toBe(before);
  });

  test("removes the lease of a rental that has already ended", async () => {
    const cli = await createCli();
    await cli.run(`${create} --lease 1h`);
    await cli.run("rentals terminate 1001 --yes --sandbox");
    cli.advance(2 * hour);
    const outcome = await cli.run(`${guard} -o json`);
    expect(shortEvents(outcome)).toEqual(["had-ended 1001"]);
    expect(terminations(outcome)).toEqual([]);
    expect(await leasesOf(cli)).toEqual([]);
  });

  test("leaves the leases of another service alone", async () => {
    const cli = await createCli();
    await cli.run(create);
    await writeLeases(cli, [{ service: "https://api.example.com", rentalId: "1001" }]);
    cli.advance(2 * hour);
    const outcome = await cli.run(`${guard} -o json`);
    expect(shortEvents(outcome)).toEqual(["no-lease 1001"]);
    expect(await leasesOf(cli)).toHaveLength(1);
  });
});

describe("rentals guard on a full disk", () => {
  test("ends a rental whose lease is over, and says that the lease could not be removed", async () => {
    const cli = await withLeaseOver(await createCli());
    const free = fillDisk("leases.jsonl");
    const outcome = await cli.run(guard);
    expect(outcome.code, outcome.err).toBe(1);
    expect(outcome.err).toMatch(
      /1001 has ended, but its lease could not be removed: cannot save .*: no space left on the disk\n/,
    );
    expect(terminations(outcome)).toHaveLength(1);
    expect(await activeIn(cli)).toBe("");
    const again = await cli.run(guard);
    expect(again.code, again.err).toBe(1);
    expect(terminations(again)).toEqual([]);
    free();
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual(["had-ended 1001"]);
    expect(await leasesOf(cli)).toEqual([]);
  });

  test("does not end a rental whose lease is not over", async () => {
    const cli = await createCli();
    await cli.run(`${create} --lease 3h`);
    fillDisk("leases.jsonl");
    const outcome = await cli.run(guard);
    expect(outcome.code, outcome.err).toBe(0);
    expect(await activeIn(cli)).toBe("1001\n");
  });

  test("ends the rental of a pending lease, and runs the --notify command", async () => {
    const cli = await createCli();
    await cli.run(`${create} --label run-t0`);
    await cli.run(`${create} --label without`);
    const lease = { process: deadProcess, endsWithProcess: true, by: "rentals run", startedAt: at(500) };
    await writeLeases(cli, [{ label: "run-t0", ...lease }]);
    fillDisk("leases.jsonl");
    const notified: unknown[] = [];
    const shell: Programs["shell"] = async (_, { env }) => void notified.push(env?.GPUCTL_EVENT);
    const outcome = await cli.run(`${guard} --notify x`, { programs: { shell } });
    expect(outcome.code, outcome.err).toBe(1);
    expect(await activeIn(cli)).toBe("1002\n");
    expect(notified).toEqual(["ended", "no-lease"]);
  });
});

describe("a guard that has no permission to change the lease file", () => {
  const notEnded =
    /1001:? the lease is over, but the rental was not ended and may still be billed: cannot save .*: permission denied\n/;

  test("ends nothing, and says which rental may still be billed", async () => {
    const cli = await withLeaseOver(await createCli());
    await cli.run(`${create} --label without`);
    denyWrites("leases.jsonl");
    const outcome = await cli.run(guard);
    expect(outcome.code, outcome.err).toBe(2);
    expect(outcome.err).toMatch(notEnded);
    expect(outcome.err).toContain("run `gpuctl rentals terminate 1001 --sandbox`");
    expect(terminations(outcome)).toEqual([]);
  });

  test("finds the rental of a pending lease, does not end it, and runs the --notify command", async () => {
    const cli = await createCli();
    await cli.run(`${create} --label run-t0`);
    const lease = { process: deadProcess, endsWithProcess: true, by: "rentals run", startedAt: at(500) };
    await writeLeases(cli, [{ label: "run-t0", ...lease }]);
    denyWrites("leases.jsonl");
    const notified: unknown[] = [];
    const shell: Programs["shell"] = async (_, { env }) =>
      void notified.push([env?.GPUCTL_EVENT, env?.GPUCTL_EVENT_RENTAL]);
    const outcome = await cli.run(`${guard} --notify x`, { programs: { shell } });
    expect(outcome.code, outcome.err).toBe(2);
    expect(outcome.err).toContain(
      "1001: `rentals run` no longer runs, and the lease ends with it, but the rental",
    );
    expect(notified).toEqual([["failed", "1001"]]);
    expect(await activeIn(cli)).toBe("1001\n");
  });
});

describe("a terminate request that fails or whose effect is uncertain", () => {
  test("makes the guard exit with 10 after a response of 500, and the next round checks the rental again", async () => {
    const statuses = [500];
    const cli = await createCli({
      respond: (request) => {
        const status = isTerminate(request) ? statuses.shift() : undefined;
        return status === undefined ? undefined : failure(status);
      },
    });
    await withLeaseOver(cli);
    const failed = await cli.run(guard);
    expect({ code: failed.code, out: failed.out }).toEqual({ code: 10, out: "" });
    expect(failed.err).toContain("1001: the outcome is unknown: the service responded 500: Failed with 500");
    expect(failed.err).toContain("Rental 1001 was looked up: it is Running now.");
    expect(terminations(failed)).toHaveLength(1);
    expect(await leasesOf(cli)).toHaveLength(1);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual(["ended 1001"]);
    expect(await leasesOf(cli)).toEqual([]);
  });

  test("is sent only once, and the rental is reported as ended, if the request fails but the rental has ended", async () => {
    const cli = await cliThatResponds((request) => (isTerminate(request) ? failure(500) : undefined));
    await withLeaseOver(cli);
    const outcome = await cli.run(`${guard} -o json`);
    expect(outcome.code, outcome.err).toBe(0);
    expect(eventsIn(outcome)).toMatchObject([{ event: "ended", rentalId: "1001", message: "terminated" }]);
    expect(terminations(outcome)).toHaveLength(1);
    expect(await leasesOf(cli)).toEqual([]);
  });

  test("is a failure, and the lease stays, if the service accepts the request but the rental keeps running", async () => {
    const cli = await createCli({
      respond: (request) => (isTerminate(request) ? Response.json({ message: "OK" }) : undefined),
    });
    await withLeaseOver(cli);
    const { code, err } = await cli.run(guard);
    expect(code).toBe(8);
    expect(err).toContain(
      "1001: the service accepted the termination, but the rental is Running and billed; the next round tries again",
    );
    expect(await leasesOf(cli)).toHaveLength(1);
  });

  /** A CLI whose lease of rental 1001 is over. A request to terminate the rental gives it this status. */
  async function thatBecomes(status: string, response: unknown = { message: "OK" }): Promise<Cli> {
    let isSent = false;
    const record = () => ({ id: 1001, rentalType: "vm", status: isSent ? status : "Running" });
    const cli = await createCli({
      respond: (request) => {
        if (isTerminate(request)) isSent = true;
        if (isTerminate(request)) return Response.json(response);
        return request.path === "/v2/on-demand/rental" ? Response.json(record()) : undefined;
      },
    });
    await writeLeases(cli, [{ rentalId: "1001" }]);
    cli.advance(2 * hour);
    return cli;
  }

  test.each(["termination_failed", "terminate-failed"])(
    "is sent again in the next round if the rental is %s",
    async (status) => {
      const cli = await thatBecomes(status);
      for (const _ of [1, 2]) {
        const outcome = await cli.run(guard);
        expect(outcome.code, outcome.err).toBe(8);
        expect(outcome.err).toContain(`the rental is ${status} and billed`);
        expect(terminations(outcome)).toHaveLength(1);
      }
      const byUser = await cli.run("rentals terminate 1001 --yes --sandbox");
      expect(byUser.err).toContain(`Rental 1001 has not ended yet (${status}) and is billed until it does.`);
    },
  );

  test.each([
    ["an object", { message: "OK" }],
    ["not an object", null],
  ])("is not sent again while the rental is ending, if the response is %s", async (_, response) => {
    const cli = await thatBecomes("Terminating", response);
    for (const sent of [1, 0]) {
      const outcome = await cli.run(`${guard} -o json`);
      expect(outcome.code, outcome.err).toBe(0);
      expect(shortEvents(outcome)).toEqual(["ending 1001"]);
      expect(terminations(outcome)).toHaveLength(sent);
    }
    expect(await leasesOf(cli)).toHaveLength(1);
  });

  test("does not prevent the guard from ending other rentals", async () => {
    const cli = await createCli({
      respond: (request) =>
        isTerminate(request) && Object(request.body).rentalId === 1001 ? failure(403) : undefined,
    });
    await cli.run(`${create} --count 2 --lease 1h`);
    cli.advance(2 * hour);
    const { code, out, err } = await cli.run(guard);
    expect(code).toBe(12);
    expect(out).toMatch(
      /^EVENT .*\nfailed +1001 .*Failed with 403. The rental may still be billed\nended +1002 /,
    );
    expect(err).toContain("1001: Failed with 403");
  });
});

test.each([
  ["no-lease", "rentals create vm --gpus 1 --yes"],
  ["ends-soon", "rentals create vm --gpus 1 --yes --lease 10m --lease-file 'my leases'"],
])("the command that a %s event suggests works as printed", async (event, line) => {
  const cli = await createCli();
  const service = ["--base-url", serviceUrl, "--inference-base-url", serviceUrl];
  const env = { GPUCTL_API_KEY: cli.sandbox.keys.full };
  await cli.run([...words(line), ...service], { env });
  const guarded = ["rentals", "guard", "--yes", "--lease-file", "my leases", "-o", "json", ...service];
  const { out, err } = await cli.run(guarded, { env });
  const [{ message, ...found }] = JSON.parse(out);
  expect(found, err).toMatchObject({ event, rentalId: "1001" });
  const [, suggested = ""] = /`gpuctl (.*)`/.exec(message) ?? [];
  const { code, requests, err: problem } = await cli.run(words(suggested), { env });
  expect(code, problem).toBe(0);
  expect(requests).not.toEqual([]);
  expect(await leasesOf(cli, join(cli.folder, "my leases"))).toMatchObject([{ rentalId: "1001" }]);
});

describe("a rental that differs from its lease", () => {
  test("is not ended if the ID was reused within a minute for a rental with another label", async () => {
    const cli = await createCli();
    await cli.run(`${create} --label train --lease 1h`);
    const before = await leasesOf(cli);
    cli.advance(minute / 2);
    await cli.run("sandbox reset --yes");
    cli.advance(1);
    await cli.run(`${create} --label other`);
    expect(before).toMatchObject([{ rentalId: "1001", label: "train" }]);
    cli.advance(2 * hour);
    const [token] = await tokensOf(cli);
    const outcome = await cli.run(`${guard} -q`);
    expect(outcome.err).toContain(
      `rental 1001 does not have the same label as the rental of the lease, so it was not ended; \`gpuctl rentals lease clear ${token} --sandbox\` removes the lease`,
    );
    expect(outcome.code).toBe(7);
    expect(terminations(outcome)).toEqual([]);
    expect(await activeIn(cli)).toBe("1001\n");
  });

  test("is ended despite another label if its creation time is exactly that of the lease", async () => {
    const cli = await createCli();
    await cli.run(`${create} --label train --lease 1h`);
    const [lease] = await leasesOf(cli);
    await writeLeases(cli, [{ ...lease, label: "renamed" }]);
    cli.advance(2 * hour);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual(["ended 1001"]);
  });

  test.each([
    [
      "was not created at the time that the lease names",
      { rentalCreatedAt: at(-24 * hour) },
      7,
      "so it was not ended; `gpuctl rentals lease clear t0 --sandbox` removes the lease",
    ],
    ["does not exist for this account", { rentalId: "4711" }, 5, "finds no rental 4711 in this account"],
  ])("is not ended if it %s", async (_, facts, code, message) => {
    const cli = await createCli();
    await cli.run(create);
    await writeLeases(cli, [{ rentalId: "1001", ...facts }]);
    cli.advance(2 * hour);
    const outcome = await cli.run(`${guard} -q`);
    expect(outcome.err).toContain(message);
    expect(outcome.err).toContain("the guard found a problem");
    expect(outcome.code).toBe(code);
    expect(terminations(outcome)).toEqual([]);
    expect(await leasesOf(cli)).toHaveLength(1);
  });

  test("is ended if the creation time in its lease has another format and differs by half a second", async () => {
    const cli = await createCli();
    await cli.run(create);
    await writeLeases(cli, [{ rentalId: "1001", rentalCreatedAt: "2026-11-20 12:00:00.5+00" }]);
    cli.advance(2 * hour);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual(["ended 1001"]);
  });

  // The service's clock shows `date`. This machine's clock shows noon on November 20, plus `ahead`.
  test.each([
    ["Fri, 20 Nov 2026 12:00:00 GMT", 2 * hour],
    ["Sun, 22 Nov 2026 12:00:00 GMT", 0],
  ])(
    "is not ended if the lease is over by only one of the two clocks: the service's clock shows %s",
    async (date, ahead) => {
      const respond: Responder = ({ path }) =>
        Response.json(path.includes("virtual") ? [{ id: 7 }] : [], { headers: { date } });
      const cli = await createCli({ respond });
      await writeLeases(cli, [{ rentalId: "7", service: "https://api.example.com" }]);
      cli.advance(ahead);
      const { code, err, requests } = await cli.run("rentals guard --yes", overNetwork());
      expect(code).toBe(7);
      expect(err).toContain(
        "this machine's clock and the service's clock disagree on whether the lease is over, so the rental was not ended",
      );
      expect(requests.every(({ method }) => method === "GET")).toBe(true);
    },
  );
});

describe("the lease of a create whose outcome is unknown", () => {
  const losing = (status: number | undefined): Promise<Cli> => {
    const statuses = [status];
    return cliThatResponds((request) => {
      const next = isCreate(request) ? statuses.shift() : undefined;
      return next === undefined ? undefined : failure(next);
    });
  };

  test("is matched with the rental by its label, and the rental ends when the lease is over", async () => {
    const cli = await losing(500);
    await cli.run(`${create} --label train --lease 1h`);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual([]);
    cli.advance(11 * minute);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual([]);
    expect(await leasesOf(cli)).toMatchObject([{ rentalId: "1001", rentalCreatedAt: at(0) }]);
    cli.advance(hour);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual(["ended 1001"]);
  });

  test.each([
    ["another rental has the label", [`${create} --label train`], "--label train"],
    ["the rental has no label of its own", [], ""],
  ])("is reported, and no rental ends, when %s", async (_, others, flags) => {
    const cli = await losing(500);
    await cli.run(`${create} --lease 1h ${flags}`);
    for (const line of others) await cli.run(line);
    cli.advance(2 * hour);
    const outcome = await cli.run(guard);
    const [token] = await tokensOf(cli);
    expect(outcome.code).toBe(10);
    expect(outcome.err).toContain(
      `${token}: the outcome of \`rentals create\` is unknown. The command may have created rental `,
    );
    expect(outcome.err).toContain(
      `The command may have created rental ${others.length > 0 ? "1001 or 1002" : "1001"}. Set a lease for that rental with \`gpuctl rentals lease set RENTAL 2h --sandbox\`, or`,
    );
    expect(terminations(outcome)).toEqual([]);
    await cli.run("rentals lease set 1001 5m --sandbox");
    await cli.run(`rentals lease clear ${token} --sandbox`);
    cli.advance(6 * minute);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toContain("ended 1001");
  });

  test("is not matched with a rental that was created earlier or more than ten minutes later", async () => {
    const cli = await createCli();
    await cli.run(`${create} --label train`);
    const facts = { label: "train", endsAt: at(2 * hour) };
    for (const startedAt of [1, -11 * minute]) {
      await writeLeases(cli, [{ ...facts, startedAt: at(startedAt) }]);
      cli.advance(12 * minute);
      const outcome = await cli.run(`${guard} -o json`);
      expect(terminations(outcome)).toEqual([]);
      expect(await leasesOf(cli)).not.toMatchObject([{ rentalId: "1001" }]);
    }
  });

  test("stays when no rental is found, and is reported when it is over", async () => {
    const cli = await createCli();
    await writeLeases(cli, [{ label: "train" }]);
    cli.advance(11 * minute);
    const { code, err } = await cli.run(guard);
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining("No lease is over") });
    cli.advance(hour);
    const over = await cli.run(guard);
    expect(over.code).toBe(10);
    expect(over.err).toContain("`gpuctl rentals lease clear t0 --sandbox` removes the lease");
    expect(await leasesOf(cli)).toHaveLength(1);
  });

  test("is still matched with the rental after a guard with another account's key has looked for it", async () => {
    let isOther = false;
    const cli = await cliThatResponds((request) => {
      if (isCreate(request)) return failure(500);
      return isOther && isList(request) ? Response.json([]) : undefined;
    });
    await cli.run(`${create} --label train --lease 1h`);
    cli.advance(11 * minute);
    isOther = true;
    await cli.run(guard);
    isOther = false;
    cli.advance(hour);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual(["ended 1001"]);
  });

  test("is matched with the rental although the outcome of an earlier create with the same label is unknown", async () => {
    const cli = await losing(500);
    await writeLeases(cli, [{ label: "train", startedAt: at(-hour), endsAt: at(9 * hour) }]);
    await cli.run(`${create} --label train --lease 1h`);
    cli.advance(2 * hour);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual(["ended 1001"]);
  });

  test("prevents the rental from being reported as one without a lease while the create is in progress", async () => {
    const cli = await createCli();
    await cli.run(`${create} --label train`);
    await writeLeases(cli, [{ label: "train", process: "another-machine 1" }]);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual([]);
  });

  test("is reported at once if the process was killed and no rental is found", async () => {
    const cli = await createCli();
    await writeLeases(cli, [{ label: "run-t0", process: deadProcess, endsWithProcess: true }]);
    const outcome = await cli.run(guard);
    expect(outcome.code, outcome.err).toBe(10);
    expect(outcome.err).toContain(
      "In this account, none of the active rentals without a lease was created by the command",
    );
    expect(await leasesOf(cli)).toHaveLength(1);
  });

  test("is over at once if the process was killed and the lease ends with the process", async () => {
    const cli = await createCli();
    await cli.run(`${create} --label run-t0`);
    await cli.run(`${create} --label kept`);
    await writeLeases(cli, [
      { label: "run-t0", startedAt: at(500), process: deadProcess, endsWithProcess: true, by: "rentals run" },
      { label: "kept", rentalId: "1002", process: deadProcess },
    ]);
    const listed = await cli.run("rentals lease list --columns label,endsWithProcess -o csv --sandbox");
    expect(listed.out).toContain("run-t0,true");
    expect(listed.out).toContain("kept,\r\n");
    const planned = await cli.run(`${guard} --dry-run -o json`);
    expect(eventsIn(planned)).toMatchObject([
      { event: "would-end", message: "`rentals run` no longer runs, and the lease ends with it" },
    ]);
    const outcome = await cli.run(`${guard} -o json`);
    expect(shortEvents(outcome)).toEqual(["ended 1001"]);
    expect(await activeIn(cli)).toBe("1002\n");
  });

  test("does not make a dry run announce the end of the rental if the lease is extended during the check", async () => {
    const lease = { label: "train", process: deadProcess };
    let extend = async () => {};
    const cli = await createCli({
      respond: async (request) => {
        if (isList(request)) await extend();
        return undefined;
      },
    });
    await cli.run(`${create} --label train`);
    await writeLeases(cli, [lease]);
    cli.advance(2 * hour);
    const planned = async () => shortEvents(await cli.run(`${guard} --dry-run -o json`));
    expect(await planned()).toEqual(["would-end 1001"]);
    extend = () => writeLeases(cli, [{ ...lease, endsAt: at(3 * hour) }]);
    expect(await planned()).toEqual([]);
  });
});

describe("a lease that ends with a process", () => {
  test.each([
    [
      "is reported, and the rental does not end, if the lease has no end time of its own",
      maxLease,
      ["unchecked 1001"],
    ],
    ["is not reported if the lease has an end time of its own", 30 * 24 * hour, []],
  ])("on another machine with the same host name %s", async (_, length, expected) => {
    const cli = await createCli();
    await cli.run(`${create} --label run-t0`);
    const lease = { process: distantProcess, endsWithProcess: true, by: "rentals run", endsAt: at(length) };
    await writeLeases(cli, [{ label: "run-t0", rentalId: "1001", ...lease }]);
    const outcome = await cli.run(`${guard} -o json`);
    expect(outcome.code, outcome.err).toBe(0);
    expect(shortEvents(outcome)).toEqual(expected);
    for (const { message } of eventsIn(outcome)) {
      expect(message).toMatch(/`rentals run`, which is process \d+ on \S+ and cannot be checked from here/);
    }
    expect(await activeIn(cli)).toBe("1001\n");
  });

  test("that cannot be checked makes the guard print the next steps, even if an error follows", async () => {
    const cli = await createCli();
    await cli.run(`${create} --label run-t0`);
    const lease = {
      process: distantProcess,
      endsWithProcess: true,
      by: "rentals run",
      endsAt: at(maxLease),
    };
    await writeLeases(cli, [{ label: "run-t0", rentalId: "1001", ...lease }], { after: "cut" });
    const { code, err } = await cli.run(guard);
    expect(code).toBe(2);
    expect(err).toMatch(
      /^Next steps:\n {2}gpuctl rentals lease set 1001 2h --sandbox +# set when it ends\nError: /,
    );
  });
});

describe("a rental that got another lease after a create whose outcome is unknown", () => {
  const lost = async (): Promise<Cli> => {
    const cli = await cliThatResponds((request) => (isCreate(request) ? failure(500) : undefined));
    await cli.run(`${create} --label train --lease 2h`);
    return cli;
  };

  test("ends only when the lease that the user has set is over", async () => {
    const cli = await lost();
    await cli.run("rentals lease set 1001 12h --sandbox");
    cli.advance(3 * hour);
    const during = await cli.run(`${guard} -o json`);
    expect(during.code, during.err).toBe(0);
    expect(shortEvents(during)).toEqual([]);
    expect(await leasesOf(cli)).toMatchObject([{ rentalId: "1001", endsAt: at(12 * hour) }]);
    cli.advance(10 * hour);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual(["ended 1001"]);
  });

  test.each(["1001", "train"])("does not end after `rentals lease clear %s`", async (name) => {
    const cli = await lost();
    await cli.run("rentals lease set 1001 12h --sandbox");
    const cleared = await cli.run(`rentals lease clear ${name} --sandbox`);
    expect(cleared.err).toContain("does not end rental 1001");
    cli.advance(3 * hour);
    const outcome = await cli.run(`${guard} -o json`);
    expect(outcome.code, outcome.err).toBe(0);
    expect(shortEvents(outcome)).toEqual(["no-lease 1001"]);
    expect(await leasesOf(cli)).toEqual([]);
    expect(await activeIn(cli)).toBe("1001\n");
  });

  test("does not end after the user cleared the lease that a second create with the same label gave it", async () => {
    const statuses = [500];
    const cli = await createCli({
      respond: (request) => {
        const status = isCreate(request) ? statuses.shift() : undefined;
        return status === undefined ? undefined : failure(status);
      },
    });
    for (const _ of [1, 2]) await cli.run(`${create} --label train --lease 2h`);
    await cli.run("rentals lease clear 1001 --sandbox");
    cli.advance(3 * hour);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual(["no-lease 1001"]);
    expect(await activeIn(cli)).toBe("1001\n");
  });

  test("does not settle the outcome of the create if another rental has the same label: the guard reports the lease of the create, and ends no rental", async () => {
    const cli = await lost();
    await cli.run(`${create} --label train`);
    await cli.run("rentals lease set 1001 12h --sandbox");
    cli.advance(3 * hour);
    const outcome = await cli.run(guard);
    expect(outcome.code, outcome.err).toBe(10);
    expect(outcome.err).toContain("The command may have created rental 1002. Set a lease");
    await cli.run("rentals terminate 1001 --yes --sandbox");
    expect((await cli.run(guard)).code).toBe(10);
    expect(await activeIn(cli)).toBe("1002\n");
  });

  test.each(["", "--dry-run"])("does not end if the other lease is set during a check: %s", async (flag) => {
    let set: (() => Promise<unknown>) | undefined;
    const cli = await cliThatResponds(async (request) => {
      if (isCreate(request)) return failure(500);
      const once = isList(request) ? set : undefined;
      if (once) set = undefined;
      await once?.();
      return undefined;
    });
    await cli.run(`${create} --label train --lease 2h`);
    cli.advance(3 * hour);
    set = () => cli.run("rentals lease set 1001 12h --sandbox");
    const outcome = await cli.run(`${guard} ${flag} -o json`);
    expect(shortEvents(outcome)).toEqual([]);
    await cli.run(guard);
    expect(await leasesOf(cli)).toMatchObject([{ rentalId: "1001", endsAt: at(15 * hour) }]);
    expect(await activeIn(cli)).toBe("1001\n");
  });
});

describe("a rental whose create succeeds", () => {
  /** A CLI in which these commands run after a create has reached the service, and before the service responds. */
  async function duringCreate(lines: readonly string[]): Promise<Cli> {
    const cli = await createCli({
      respond: async (request) => {
        if (!isCreate(request)) return undefined;
        const { authorization = "" } = request.headers;
        const response = await cli.sandbox.fetch(
          new Request(new URL(request.path, "http://sandbox.localhost"), {
            method: "POST",
            headers: { authorization, "content-type": "application/json" },
            body: JSON.stringify(request.body),
          }),
        );
        for (const line of lines) await cli.run(line);
        return response;
      },
    });
    return cli;
  }

  test.each([
    [["rentals lease set 1001 12h --sandbox"], ["1001"]],
    [["rentals lease set 1001 12h --sandbox", "rentals lease clear 1001 --sandbox"], []],
  ])("has a lease or none, as the user decided before the create ended: %j", async (lines, leased) => {
    const cli = await duringCreate(lines);
    expect((await cli.run(`${create} --label train --lease 2h`)).code).toBe(0);
    expect(await leasesOf(cli)).toMatchObject(
      leased.map((rentalId) => ({ rentalId, endsAt: at(12 * hour) })),
    );
    expect(await leasesOf(cli)).toHaveLength(leased.length);
    cli.advance(3 * hour);
    await cli.run(guard);
    expect(await activeIn(cli)).toBe("1001\n");
  });

  test("is not confused with the rental that had the same ID before the service was reset", async () => {
    const cli = await createCli();
    await writeLeases(cli, [{ rentalId: "1001", rentalCreatedAt: at(-24 * hour) }]);
    await cli.run(`${create} --label train --lease 2h`);
    expect(await leasesOf(cli)).toMatchObject([{}, { rentalId: "1001", rentalCreatedAt: at(0) }]);
    await cli.run("rentals lease extend 1001 8h --sandbox");
    expect(await leasesOf(cli)).toMatchObject([{ endsAt: at(hour) }, { endsAt: at(10 * hour) }]);
    const [token] = await tokensOf(cli);
    const { code, err } = await cli.run(`rentals lease clear ${token} --sandbox`);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("Removed this lease.") });
    expect(await leasesOf(cli)).toMatchObject([{ rentalCreatedAt: at(0), endsAt: at(10 * hour) }]);
  });
});

test("rentals lease extend lets a rental run longer if its job was killed", async () => {
  const cli = await createCli();
  await cli.run(`${create} --label train`);
  const killed = { rentalId: "1001", process: deadProcess, endsWithProcess: true, endsAt: at(100 * hour) };
  await writeLeases(cli, [killed]);
  await cli.run("rentals lease extend 1001 8h --sandbox");
  expect(await leasesOf(cli)).toMatchObject([{ endsAt: at(108 * hour), keptUntil: at(8 * hour) }]);
  await cli.run(guard);
  expect(await activeIn(cli)).toBe("1001\n");
  await cli.run("rentals lease extend 1001 1h --sandbox");
  expect(await leasesOf(cli)).toMatchObject([{ endsAt: at(109 * hour), keptUntil: at(9 * hour) }]);
  cli.advance(9 * hour);
  await cli.run(guard);
  expect(await activeIn(cli)).toBe("");
});

describe("several guards and users at the same time", () => {
  test("a rental does not end if its lease is extended while the guard checks", async () => {
    let extend: (() => Promise<unknown>) | undefined;
    const cli = await createCli({
      respond: async (request) => {
        const once = isList(request) ? extend : undefined;
        if (once) extend = undefined;
        await once?.();
        return undefined;
      },
    });
    await withLeaseOver(cli);
    extend = () => cli.run("rentals lease extend 1001 1h --sandbox");
    const outcome = await cli.run(`${guard} -o json`);
    expect(shortEvents(outcome)).toEqual([]);
    expect(terminations(outcome)).toEqual([]);
    expect(await leasesOf(cli)).toMatchObject([{ endsAt: at(3 * hour) }]);
  });

  test("extending a lease fails while the guard ends the rental, and does not restore the lease", async () => {
    let extension: Promise<Outcome> | undefined;
    const cli = await createCli({
      respond: (request) => {
        if (isTerminate(request)) extension ??= cli.run("rentals lease extend 1001 1h --sandbox");
        return undefined;
      },
    });
    await withLeaseOver(cli);
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual(["ended 1001"]);
    expect((await extension)?.code).toBe(5);
    expect(await leasesOf(cli)).toEqual([]);
  });

  test("two guards end a rental only once", async () => {
    const cli = await withLeaseOver(await createCli());
    const outcomes = await Promise.all([cli.run(`${guard} -o json`), cli.run(`${guard} -o json`)]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(outcomes.flatMap(terminations)).toHaveLength(1);
    expect(outcomes.flatMap(shortEvents).toSorted()).toContain("ended 1001");
    expect(outcomes.flatMap(shortEvents).filter((one) => one === "ended 1001")).toHaveLength(1);
    expect(await leasesOf(cli)).toEqual([]);
  });
});

describe("a service that cannot be reached, refuses requests or sends unusable responses", () => {
  const unreachable = () => {
    throw new ConnectionFailed("connection refused", { code: "ECONNREFUSED", sent: false });
  };

  test("makes a single round exit with 9 and end no rental", async () => {
    let isUp = true;
    const cli = await createCli({ respond: () => (isUp ? undefined : unreachable()) });
    await withLeaseOver(cli);
    isUp = false;
    expect(await cli.run(guard)).toMatchObject({ code: 9, out: "" });
    isUp = true;
    expect(shortEvents(await cli.run(`${guard} -o json`))).toEqual(["ended 1001"]);
  });

  test("does not stop --every, which reports the failure once", async () => {
    const abort = new AbortController();
    let rounds = 0;
    const cli = await createCli({
      respond: (request) => {
        if (!isList(request) || !hasStarted) return undefined;
        if (request.path.includes("virtual")) rounds += 1;
        if (rounds <= 8) return unreachable();
        if (rounds > 10) abort.abort();
        return undefined;
      },
    });
    let hasStarted = false;
    await withLeaseOver(cli);
    hasStarted = true;
    const { code, out } = await cli.run(`${guard} --every 5m`, { signal: abort.signal });
    expect(code).toBe(130);
    expect(out.split("\n")).toEqual([
      expect.stringMatching(/^2026-11-20T\S+Z round-failed: .*connection refused.* No rental is ended/),
      expect.stringMatching(/^2026-11-20T\S+Z ended 1001 \(train\): Rental 1001 was terminated.$/),
      "",
    ]);
  });

  test.each([
    ["with status 500", () => failure(500)],
    ["with null", () => Response.json(null)],
    ["with a web page", () => new Response("<html></html>", { headers: { "content-type": "text/html" } })],
    ["with an error and status 200", async () => Response.json(await failure(500).json())],
    ["with more than the maximum of bytes", () => new Response(`[${" ".repeat(4_000_000)}]`)],
    ["not at all", unreachable],
  ])("lets the guard end rentals if one of the two listings responds %s", async (_, respond) => {
    let isUp = true;
    const cli = await createCli({
      respond: (request) => (!isUp && isList(request) && /bare/.test(request.path) ? respond() : undefined),
      limits: { body: { ...responseLimits.body, read: 3_000_000 } },
    });
    await withLeaseOver(cli);
    await cli.run(create);
    isUp = false;
    const outcome = await cli.run(`${guard} -o json`);
    expect(outcome.code, outcome.err).toBe(12);
    expect(shortEvents(outcome)).toEqual(["unlisted", "ended 1001"]);
  });

  test("lets the guard end the rental of a killed job if only virtual machines are listed and the lease has no rental ID", async () => {
    const cli = await createCli({
      respond: (request) => (isList(request) && /bare/.test(request.path) ? failure(403) : undefined),
    });
    await cli.run(`${create} --label run-t0`);
    await cli.run(`${create} --label train`);
    await writeLeases(cli, [
      { label: "run-t0", process: deadProcess, endsWithProcess: true, by: "rentals run" },
      { label: "train", process: deadProcess, endsAt: at(1) },
    ]);
    cli.advance(minute);
    const outcome = await cli.run(`${guard} -o json`);
    expect(shortEvents(outcome), outcome.err).toEqual(["unlisted", "ended 1001"]);
    expect(await leasesOf(cli)).toMatchObject([{ label: "train" }]);
  });

  const isLookup = ({ path, query }: SeenRequest) => path.endsWith("/rental") && query.rentalId === "1001";

  test("makes the guard fail if a termination was accepted, but the rental cannot be looked up", async () => {
    let down = false;
    let hasEnded = false;
    const cli = await createCli({
      respond: (request) => {
        if (isTerminate(request)) hasEnded = true;
        return down && hasEnded && isLookup(request) ? failure(500) : undefined;
      },
    });
    await withLeaseOver(cli);
    down = true;
    const events: string[] = [];
    const shell: Programs["shell"] = async (_, { input = "" }) => void events.push(JSON.parse(input).event);
    const { code, out, err } = await cli.run(`${guard} --notify record`, { programs: { shell } });
    expect({ code, out }).toEqual({ code: 10, out: "" });
    expect(err).toMatch(
      /^ *1001: the service accepted the termination, but the lookup failed: .*\. The rental may still be billed; the next round checks again$/m,
    );
    expect(events).toEqual(["failed"]);
    expect(await leasesOf(cli)).toMatchObject([{ rentalId: "1001" }]);
    down = false;
    const next = await cli.run(`${guard} -o json`);
    expect(next.code).toBe(0);
    expect(shortEvents(next)).toEqual(["had-ended 1001"]);
    expect(await leasesOf(cli)).toEqual([]);
  });

  test.each([
    ["the service's list is incomplete", isList, { items: [], hasMore: true }],
    ["a lookup responds with another rental", isLookup, { id: 777, state: "active" }],
  ])("leads to an error that names the rental that has ended: %s", async (_, isAffected, body) => {
    let isUp = true;
    const cli = await createCli({
      respond: (request) => (!isUp && isAffected(request) ? Response.json(body) : undefined),
    });
    await cli.run(`${create} --label second --lease 1h`);
    await withLeaseOver(cli);
    isUp = false;
    const { code, err } = await cli.run(guard);
    expect({ code, err }).toEqual({ code: 12, err: expect.stringMatching(/Terminated: .*1002\./) });
    expect(err).not.toContain("Nothing was changed");
  });

  test.each([
    ["an invalid key", 401, 3],
    ["a key without permission", 403, 4],
  ])("makes the guard fail at once if it refuses %s", async (_, status, code) => {
    const cli = await createCli({ respond: () => failure(status) });
    const { requests, ...outcome } = await cli.run(`${guard} ${status === 401 ? "--every 5m" : ""}`);
    expect(outcome.code).toBe(code);
    expect(requests.length).toBeLessThanOrEqual(2);
  });
});

describe("flags of rentals guard", () => {
  test("--every prints an ongoing event only once with -o jsonl", async () => {
    const abort = new AbortController();
    let lists = 0;
    const cli = await createCli({
      respond: (request) => {
        if (isList(request)) lists += 1;
        if (lists > 8) abort.abort();
        return undefined;
      },
    });
    await cli.run(create);
    lists = 0;
    const { code, out } = await cli.run(`${guard} --every 1m -o jsonl`, { signal: abort.signal });
    expect(code).toBe(130);
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).event),
    ).toEqual(["no-lease"]);
  });

  test("--every ends rentals even if its output is not read", async () => {
    const abort = new AbortController();
    let read = () => {};
    const isRead = new Promise<void>((resolve) => {
      read = resolve;
    });
    let terminations = 0;
    const cli = await createCli({
      respond: (request) => {
        if (isTerminate(request)) terminations += 1;
        if (terminations === 2) read();
        return undefined;
      },
    });
    for (let hours = 1; hours <= 2; hours += 1) await cli.run(`${create} --label train --lease ${hours}h`);
    cli.advance(hour);
    // Nothing is read until the request to terminate the second rental is sent.
    let sleeps = 0;
    const onSleep = () => {
      sleeps += 1;
      if (sleeps > 40) abort.abort();
    };
    const messages = { read: Readable.from([]), write: () => isRead };
    const line = `${guard} --every 5m --warn 1h`;
    const { code, out } = await cli.run(line, { signal: abort.signal, messages, onSleep });
    expect(code).toBe(130);
    expect(out.match(/ (ended|ends-soon) \d+/g)).toEqual([" ended 1001", " ends-soon 1002", " ended 1002"]);
    expect(await activeIn(cli)).toBe("");
  });

  test("--every says how many events it did not print because its output was not read", async () => {
    const abort = new AbortController();
    let read = () => {};
    const isRead = new Promise<void>((resolve) => {
      read = resolve;
    });
    const rentals = Array.from({ length: 1_200 }, (_, id) => ({ id, status: "Running" }));
    const cli = await createCli({
      respond: (request) =>
        isList(request) ? Response.json(request.path.includes("virtual") ? rentals : []) : undefined,
    });
    const onSleep = () => {
      read();
      abort.abort();
    };
    const messages = { read: Readable.from([]), write: () => isRead };
    const { code, out, err } = await cli.run(`${guard} --every 5m`, {
      signal: abort.signal,
      messages,
      onSleep,
    });
    expect(code, err).toBe(130);
    const printed = out.trim().split("\n").length;
    expect(printed).toBeLessThan(1_200);
    expect(err).toContain(`Warning: ${1_200 - printed} older events were not printed`);
  });

  test("--every prints a label with line breaks in one line", async () => {
    const abort = new AbortController();
    const label = "a\n2026-11-20T12:00:00.000Z ended 1001 (train)\u2028b\u001b[2K";
    const cli = await createCli({
      respond: (request) => {
        if (!isList(request)) return undefined;
        abort.abort();
        return Response.json(request.path.includes("virtual") ? [{ id: 7, label }] : []);
      },
    });
    const { out } = await cli.run(`${guard} --every 5m`, { signal: abort.signal });
    expect(out).toMatch(
      /^\S+ no-lease 7 \(a 2026-11-20T12:00:00.000Z ended 1001 \(train\) b\): is active .*\n$/,
    );
  });

  test.each([
    ["--every 5s", "--every must be at least 10s, not 5s"],
    ["--every 1m -o csv", "--every cannot be used with the output format csv: use --output table or jsonl"],
    ["--every 1m --jq .", "--every and --jq cannot be used together: --jq can filter only a single result"],
    ["--once --every 1m", "--once"],
    ["--notify ''", "--notify must not be empty"],
  ])("%s is refused before anything is sent", async (flags, message) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(`${guard} ${flags}`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(message);
  });
});

describe("rentals guard --notify", () => {
  interface Notified {
    readonly commandLine: string;
    readonly event: PrintedEvent;
    readonly env: Readonly<Record<string, string>>;
  }

  /** A shell that records the commands and events of --notify. It fails if `fails` returns true. */
  function recorder(fails = () => false) {
    const notified: Notified[] = [];
    const shell = async (
      commandLine: string,
      { input, env }: { input: string; env: Readonly<Record<string, string>> },
    ) => {
      notified.push({ commandLine, event: JSON.parse(input), env });
      if (fails()) throw new Error("exited with status 1");
    };
    return { notified, options: { programs: { shell } } };
  }

  test("passes each event to the command, but an ongoing event only once", async () => {
    const cli = await withLeaseOver(await createCli());
    await cli.run(create);
    const { notified, options } = recorder();
    for (const _ of [1, 2]) await cli.run(`${guard} --notify 'my program'`, options);
    expect(notified.map(({ event }) => `${event.event} ${event.rentalId}`)).toEqual([
      "ended 1001",
      "no-lease 1002",
    ]);
    expect(notified[0]).toMatchObject({
      commandLine: "my program",
      env: {
        GPUCTL_EVENT: "ended",
        GPUCTL_EVENT_RENTAL: "1001",
        GPUCTL_EVENT_LABEL: "train",
        GPUCTL_EVENT_ENDS_AT: at(hour),
        GPUCTL_EVENT_MESSAGE: "Rental 1001 was terminated.",
      },
    });
    await cli.run("rentals lease set 1002 10m --sandbox");
    await cli.run("rentals guard --yes --sandbox --notify x", options);
    await cli.run("rentals lease clear 1002 --sandbox");
    await cli.run("rentals guard --yes --sandbox --notify x", options);
    expect(notified.slice(2).map(({ event }) => event.event)).toEqual(["ends-soon", "no-lease"]);
  });

  test("passes an ongoing event only once, even if several guards run", async () => {
    const cli = await createCli();
    await cli.run(create);
    const { notified, options } = recorder();
    await Promise.all([1, 2, 3].map(() => cli.run(`${guard} --notify x`, options)));
    expect(notified).toHaveLength(1);
  });

  test("passes an ongoing event only once, even if guards with another --warn do not see it", async () => {
    const cli = await createCli();
    await cli.run(`${create} --lease 30m`);
    const { notified, options } = recorder();
    for (const warn of ["1h", "5m", "1h", "5m", "1h"])
      await cli.run(`rentals guard --yes --sandbox --warn ${warn} --notify x`, options);
    expect(notified.map(({ event }) => event.event)).toEqual(["ends-soon"]);
  });

  test("makes the guard fail if the command fails, and the next round runs it again", async () => {
    const cli = await createCli();
    await cli.run(create);
    let isDown = true;
    const { notified, options } = recorder(() => isDown);
    const failed = await cli.run(`${guard} --notify x`, options);
    expect(failed.code).toBe(1);
    expect(failed.err).toContain(
      "the command of --notify failed for no-lease of rental 1001: exited with status 1",
    );
    isDown = false;
    expect((await cli.run(`${guard} --notify x`, options)).code).toBe(0);
    expect(notified).toHaveLength(2);
  });

  test("passes on the other events in the next run if the guard is killed while a command runs", async () => {
    const cli = await createCli();
    for (const _ of [1, 2, 3]) await cli.run(create);
    const running: unknown[] = [];
    await new Promise<void>((resolve) => {
      const shell = async () => {
        running.push("");
        resolve();
        // The guard does nothing more, as if it were killed.
        await new Promise(() => {});
      };
      void cli.run(`${guard} --notify x`, { programs: { shell } });
    });
    const { notified, options } = recorder();
    await cli.run(`${guard} --notify x`, options);
    expect(running).toHaveLength(1);
    expect(notified.map(({ event }) => event.rentalId)).toEqual(["1002", "1003"]);
  });

  test("if the command takes too long, does not run it again in that round, and runs it for the ongoing events in the next", async () => {
    const cli = await createCli();
    for (const _ of [1, 2, 3]) await cli.run(create);
    const { shell } = nodePrograms({
      leaveToChild: async (_, work) => work,
      signal: new AbortController().signal,
    });
    let attempts = 0;
    const slow: typeof shell = (line, options) => {
      attempts += 1;
      return shell(line, { ...options, timeout: 1 });
    };
    const hangs = ["rentals", "guard", "--yes", "--sandbox", "--notify", "exec tail -f /dev/null"];
    const { code, err } = await cli.run(hangs, { programs: { shell: slow } });
    expect({ code, attempts }, err).toEqual({ code: 1, attempts: 1 });
    expect(err).toContain("timed out after 0.001 s; in this round, it was not run for 2 more events");
    const { notified, options } = recorder();
    await cli.run(`${guard} --notify x`, options);
    expect(notified.map(({ event }) => event.rentalId)).toEqual(["1001", "1002", "1003"]);
  });

  /** A service with one rental that has this label, and a shell that really runs commands. */
  async function createLabeled(label: string) {
    const cli = await createCli({
      respond: (request) =>
        isList(request)
          ? Response.json(request.path.includes("virtual") ? [{ id: 7, label }] : [])
          : undefined,
    });
    const { shell } = nodePrograms({
      leaveToChild: async (_, work) => work,
      signal: new AbortController().signal,
    });
    return { cli, shell };
  }

  test("cuts off a very long label only in the environment variables of the command", async () => {
    const label = "x".repeat(200_000);
    const { cli, shell } = await createLabeled(label);
    const command = `cd ${cli.folder}; cat > events; printf '%s' "$GPUCTL_EVENT_LABEL" > label`;
    const { code, err } = await cli.run(["rentals", "guard", "--yes", "--sandbox", "--notify", command], {
      programs: { shell },
    });
    expect(code, err).toBe(0);
    expect(JSON.parse(await readFile(join(cli.folder, "events"), "utf8"))).toMatchObject({ label });
    expect(await readFile(join(cli.folder, "label"), "utf8")).toMatch(/^x{7999}…$/);
  });

  test("never runs text from the service as a command", async () => {
    const label = "$(touch pwned) `touch pwned`; touch pwned\u0000\n'\" & |";
    const { cli, shell } = await createLabeled(label);
    const file = join(cli.folder, "events");
    const command = `cd ${cli.folder}; cat > events; printf '%s' "$GPUCTL_EVENT_LABEL" > label`;
    const { code, err } = await cli.run(["rentals", "guard", "--yes", "--sandbox", "--notify", command], {
      programs: { shell },
    });
    expect(code, err).toBe(0);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ event: "no-lease", label });
    expect(await readFile(join(cli.folder, "label"), "utf8")).toBe(
      "$(touch pwned) `touch pwned`; touch pwned '\" & |",
    );
    expect(await stat(join(cli.folder, "pwned")).catch(() => "not there")).toBe("not there");
  });
});

test("an unreadable job is reported, with what to do about it", async () => {
  const cli = await createCli();
  const folder = join(cli.folder, "state", "jobs", "job1");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "job.json"), "{");
  const { err, code } = await cli.run(guard);
  expect(code).toBe(2);
  expect(err).toContain(
    `Error: the guard found a problem\n  unreadable: the job in ${folder} cannot be read: job.json is damaged\nRepair job.json if you can.`,
  );
});

test("a damaged line of the lease file is reported, and rentals with other leases still end", async () => {
  const cli = await createCli();
  await cli.run(create);
  await writeLeases(cli, [{ rentalId: "1001" }], { after: '{"lease":{"tok' });
  cli.advance(2 * hour);
  const outcome = await cli.run(`${guard} -o json`);
  expect(outcome.code).toBe(12);
  expect(shortEvents(outcome)).toEqual(["unreadable", "ended 1001"]);
  expect(eventsIn(outcome)[0]?.message).toMatch(/so its lease is unknown; fix or delete that line$/);
  expect(await readFile(leaseFile(cli), "utf8")).toBe(`${header()}{"lease":{"tok\n`);
});
