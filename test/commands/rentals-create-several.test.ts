import { describe, expect, test } from "vitest";
import { createCli, type Responder, type SeenRequest } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";
import { steadyClock } from "../support/time-limits.ts";

const one = "rentals create vm --gpus 1 --yes --sandbox";
const three = `${one} --count 3`;

const isCreate = ({ method, path }: SeenRequest) => method === "POST" && path.endsWith("-machine-rentals");
const creates = (requests: readonly SeenRequest[]) => requests.filter(isCreate);

/** The responses to the creates, in order. If an entry is undefined, the sandbox responds. */
function toCreates(...responders: readonly ((() => Response) | undefined)[]): Responder {
  let at = -1;
  return (request) => {
    if (!isCreate(request)) return undefined;
    at += 1;
    return responders[at]?.();
  };
}

const failure = (status: number, message: string) => () =>
  Response.json({ code: "ERROR", message, issues: [] }, { status });

test.each([
  ["is not found yet", () => Response.json(null)],
  ["cannot be looked up for a moment", failure(502, "bad gateway")],
  ["cannot be looked up because of a rate limit", failure(429, "slow down")],
])("rentals create --wait goes on waiting while the new rental %s", async (_name, respond) => {
  let lookups = 0;
  const { run } = await createCli({
    respond: ({ path }) => {
      if (path !== "/v2/on-demand/rental") return undefined;
      lookups += 1;
      return lookups > 6 ? undefined : respond();
    },
  });
  const { code, out, err } = await run(`${one} --wait -o id`);
  expect({ code, out }, err).toEqual({ code: 0, out: "1001\n" });
  expect(lookups).toBeGreaterThan(6);
});

describe("--count", () => {
  test("creates that many rentals, each with one request, and prints a list", async () => {
    const { run } = await createCli();
    const { code, out, requests } = await run(`${three} --label node -o json`);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject([
      { id: 1001, label: "node-1" },
      { id: 1002, label: "node-2" },
      { id: 1003, label: "node-3" },
    ]);
    expect(creates(requests).map(({ body }) => Object(body).label)).toEqual(["node-1", "node-2", "node-3"]);
    expect((await run(`${three} -o id`)).out).toBe("1004\n1005\n1006\n");
    const table = await run(three);
    expect(table.out.split("\n").map((row) => row.split(" ")[0])).toEqual(["ID", "1007", "1008", "1009", ""]);
    expect(table.err).toContain("gpuctl rentals terminate 1007 1008 1009 --sandbox  # end them");
  });

  test("prints a list even with --count 1, so that the shape does not depend on the number", async () => {
    const { run } = await createCli();
    expect(JSON.parse((await run(`${one} --count 1 --label node -o json`)).out)).toMatchObject([
      { id: 1001, label: "node-1" },
    ]);
  });

  test("numbers the labels of new volumes, too", async () => {
    const { run } = await createCli();
    await run(
      "rentals create bare-metal --gpus 8 --network-type ethernet --new-volume data --new-volume-size 256 --count 2 --yes --sandbox",
    );
    const volumes = JSON.parse((await run("volumes list -o json --sandbox")).out);
    expect(volumes).toMatchObject([{ label: "data-1" }, { label: "data-2" }]);
  });

  test("names the flag of a field that the service rejects, as a single create does", async () => {
    const issues = [{ path: ["region"], message: "No capacity" }];
    const { run } = await createCli({
      respond: toCreates(undefined, () =>
        Response.json({ code: "CONFLICT", message: "No", issues }, { status: 409 }),
      ),
    });
    const { code, err } = await run(`${one} --count 2 --region us-central-1`);
    expect(code).toBe(12);
    expect(err).toMatch(/number 2: No .*: --region \(region\): No capacity/);
  });

  test("asks once, and shows the price of all rentals", async () => {
    const { run } = await createCli();
    const asked: string[] = [];
    const { code, requests } = await run("rentals create vm --gpus 2 --count 3 --sandbox", {
      terminal: 200,
      prompts: { confirm: async ({ message }) => asked.push(message) < 0 },
    });
    expect({ code, sent: creates(requests) }).toEqual({ code: 130, sent: [] });
    expect(asked).toEqual([
      expect.stringContaining(
        "Rent 3 virtual machines with 2 x h100 each in us-central-1 (on-demand)? They will cost about $12.00 an hour (3 x $4.00), based on the service's rental options. They are billed until they end.",
      ),
    ]);
  });

  test("waits for all rentals with --wait", async () => {
    const { run } = await createCli();
    const { code, out } = await run(`${three} --wait -o json`);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject(Array(3).fill({ status: "Running" }));
  });

  test("prints the created rentals when the wait times out", async () => {
    const { run } = await createCli();
    const { code, out, err } = await run(`${three} --wait --wait-timeout 1s -o id`);
    expect({ code, out }).toEqual({ code: 8, out: "1001\n1002\n1003\n" });
    expect(err).toContain("3 of 3 rentals are not running");
    expect(err).toContain("Rentals 1001, 1002, 1003 exist and are billed. Do not create them again.");
  });

  test("waits no longer than --wait-timeout for all rentals together, even if the clock is set back", async () => {
    const pass = steadyClock();
    const cli = await createCli({
      respond: ({ path, query }) => {
        if (path !== "/v2/on-demand/rental") return undefined;
        cli.advance(-3_600_000);
        pass(8_000);
        return Response.json({ id: Number(query.rentalId), status: "Pending" });
      },
    });
    const { code, slept, requests } = await cli.run(`${one} --count 2 --wait --wait-timeout 20s`);
    expect({ code, slept }).toEqual({ code: 8, slept: [1000, 2000] });
    expect(requests.filter(({ method }) => method === "GET").length).toBeLessThan(8);
  });

  test.each([
    ["6.00", 0, 3],
    ["5.99", 11, 0],
  ])("with --max-burn %s, checks all rentals before anything is sent", async (limit, code, sent) => {
    const { run } = await createCli();
    const outcome = await run(`${three} --max-burn ${limit}`);
    expect({ code: outcome.code, sent: creates(outcome.requests).length }, outcome.err).toEqual({
      code,
      sent,
    });
    if (code === 11) expect(outcome.err).toContain("the 3 new ones would cost about $6.00 more");
  });

  test("shows each request in a dry run", async () => {
    const { run } = await createCli();
    const { code, out, requests } = await run(`${three} --label node --dry-run -o json`);
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    const labels = JSON.parse(out).requests.map(({ body }: { body: { label: string } }) => body.label);
    expect(labels).toEqual(["node-1", "node-2", "node-3"]);
  });

  test.each(["0", "-1", "1.5", "many", "1001", "5000000000"])(
    "is rejected with the value %s",
    async (count) => {
      const { run } = await createCli();
      const { code, err, requests } = await run(`${one} --count=${count}`);
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(err).toContain("--count must be a");
    },
  );
});

describe("when some creates of --count fail", () => {
  test("the other rentals are created and printed, and the exit code is 12", async () => {
    const { run } = await createCli({ respond: toCreates(undefined, failure(409, "No capacity")) });
    const { code, out, err, requests } = await run(`${three} --label node -o json`);
    expect({ code, ids: JSON.parse(out), sent: creates(requests).length }).toMatchObject({
      code: 12,
      ids: [{ id: 1001 }, { id: 1002 }],
      sent: 3,
    });
    expect(JSON.parse(err).error).toMatchObject({
      code: "SOME_FAILED",
      message: "1 of 3 rentals could not be created",
      issues: [{ path: "node-2", message: expect.stringContaining("No capacity") }],
      retryable: false,
      hint: "Rentals 1001, 1002 exist and are billed. Do not create them again.",
    });
  });

  test("the exit code is 10 if one outcome is unknown", async () => {
    const { run } = await createCli({ respond: toCreates(failure(400, "Bad"), failure(502, "Down")) });
    const { code, out, err, requests } = await run(`${three} -o id`);
    expect({ code, out, sent: creates(requests).length }).toEqual({ code: 10, out: "1001\n", sent: 3 });
    expect(err).toContain("  number 1: Bad");
    expect(err).toContain("  number 2: the outcome is unknown: ");
    expect(err).toContain("Nothing new is listed yet");
  });

  test.each([
    [409, 6, 3],
    [401, 3, 1],
  ])("if every create that is sent gets the response %i, the exit code is %i", async (status, code, sent) => {
    const refuse = failure(status, "No");
    const { run } = await createCli({ respond: toCreates(refuse, refuse, refuse) });
    const outcome = await run(`${three} -o json`);
    expect({ code: outcome.code, out: outcome.out }).toEqual({ code, out: "" });
    expect(creates(outcome.requests)).toHaveLength(sent);
  });

  test.each([401, 403])("a response of %i stops the creates that were not sent yet", async (status) => {
    const { run } = await createCli({ respond: toCreates(undefined, failure(status, "No quota")) });
    const { code, out, err, requests } = await run(`${one} --count 4 --label w -o json`);
    expect({ code, sent: creates(requests).length }).toEqual({ code: 12, sent: 2 });
    expect(JSON.parse(out)).toMatchObject([{ id: 1001, label: "w-1" }]);
    expect(JSON.parse(err).error).toMatchObject({
      message: "3 of 4 rentals could not be created",
      issues: [
        { path: "w-2", message: expect.stringContaining("No quota") },
        { path: "w-3", message: "not tried, because w-2 failed" },
        { path: "w-4", message: "not tried, because w-2 failed" },
      ],
    });
  });

  test("a 403 after another failure is reported together with that failure", async () => {
    const { run } = await createCli({ respond: toCreates(failure(502, "Down"), failure(403, "No quota")) });
    const { code, err, requests } = await run(`${three} -o json`);
    expect({ code, sent: creates(requests).length }).toEqual({ code: 10, sent: 2 });
    expect(JSON.parse(err).error.issues.map(({ path }: { path: string }) => path)).toEqual([
      "number 1",
      "number 2",
      "number 3",
    ]);
  });

  test("after an interruption, the error lists each of the remaining rentals once", async () => {
    const controller = new AbortController();
    let sent = 0;
    const { run } = await createCli({
      respond: (request) => {
        if (!isCreate(request) || ++sent !== 2) return undefined;
        controller.abort();
        return new Promise(() => {});
      },
    });
    const { code, err } = await run(three, { signal: controller.signal });
    expect(code).toBe(130);
    expect(err).toContain(`Error: 2 of 3 rentals could not be created or have an unknown outcome
  number 2: interrupted after the request was sent: it may have taken effect. \`gpuctl rentals list --sandbox\` shows whether the rental was created.
  number 3: not sent, because of the interruption
`);
  });

  test("an interruption stops the remaining creates, and the created rentals are printed", async () => {
    const controller = new AbortController();
    const { run } = await createCli({
      respond: toCreates(undefined, () => {
        controller.abort();
        return Response.json({ id: 7 });
      }),
    });
    const { code, out, err, requests } = await run(`${three} -o id`, { signal: controller.signal });
    expect({ code, sent: creates(requests).length }).toEqual({ code: 130, sent: 2 });
    expect(out).toMatch(/^1001\n/);
    expect(err).toContain("number 3: not sent, because of the interruption");
    expect(err).toContain("1001");
  });
});

describe("--if-absent", () => {
  const ensure = `${one} --label trainer --if-absent`;

  test("creates a rental only when no active one has the label", async () => {
    const { run } = await createCli();
    expect((await run(`${ensure} -o id`)).out).toBe("1001\n");
    const again = await run(`${ensure} -o id`);
    expect({ code: again.code, out: again.out, sent: creates(again.requests) }).toEqual({
      code: 0,
      out: "1001\n",
      sent: [],
    });
    expect(again.err).toBe(
      'Rental 1001 already has the label "trainer", so no new rental with this label was created.\n',
    );
    await run("rentals terminate trainer --yes --sandbox");
    expect((await run(`${ensure} -o id`)).out).toBe("1002\n");
  });

  test("neither gives a lease to a rental that exists, nor says that the guard will end it", async () => {
    const { run } = await createCli();
    await run(`${one} --label trainer`);
    const { code, out, err } = await run(`${ensure} --lease 1h`, { terminal: 200 });
    expect(code).toBe(0);
    expect(err).toContain(
      "Its lease was not set or changed. `gpuctl rentals lease set 1001 1h --sandbox` sets it.",
    );
    expect(out + err).not.toContain("rentals guard");
    expect((await run("rentals lease list --sandbox -o json")).out).toBe("[]\n");
  });

  test("finds a rental of the other type, does not ask for confirmation, and waits for the rental", async () => {
    const { run } = await createCli();
    await run("rentals create bare-metal --gpus 8 --network-type ethernet --label trainer --yes --sandbox");
    const { code, out } = await run(`${ensure.replace(" --yes", "")} --wait -o id`, { terminal: 80 });
    expect({ code, out }).toEqual({ code: 0, out: "1001\n" });
    expect((await run("rentals get 1001 --sandbox -o json")).out).toContain("Running");
  });

  test("with --count, creates only the rentals that are missing", async () => {
    const { run } = await createCli();
    await run(`${one} --label trainer-2`);
    const { out, requests } = await run(`${ensure} --count 3 -o id`);
    expect(out).toBe("1002\n1001\n1003\n");
    expect(creates(requests).map(({ body }) => Object(body).label)).toEqual(["trainer-1", "trainer-3"]);
  });

  test("adds no price to the hourly cost for --max-burn if the rental already exists", async () => {
    const { run } = await createCli();
    await run(ensure);
    expect(await run(`${ensure} --max-burn 2.00`)).toMatchObject({ code: 0 });
  });

  test('does not treat a rental without a label as one with the label "undefined"', async () => {
    const { run } = await createCli({
      respond: ({ method, path }) =>
        method === "GET" && path.endsWith("-rentals") ? Response.json([{ id: 7 }]) : undefined,
    });
    const { requests } = await run(`${one} --label undefined --if-absent`);
    expect(creates(requests)).toHaveLength(1);
  });

  test("requires --label", async () => {
    const { run } = await createCli();
    const { code, err, requests } = await run(`${one} --if-absent`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("--if-absent requires --label");
  });

  test("creates nothing when the list of rentals is incomplete", async () => {
    const { run } = await createCli({
      respond: ({ path }) => (path.endsWith("/bare-metal-rentals") ? failure(500, "Down")() : undefined),
    });
    const { code, requests } = await run(`${ensure} --retries 0`);
    expect({ code, sent: creates(requests) }).toEqual({ code: 7, sent: [] });
  });

  test("lists no rentals in a dry run", async () => {
    const { run } = await createCli();
    const { code, requests } = await run(`${ensure} --dry-run`, overNetwork());
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
  });
});
