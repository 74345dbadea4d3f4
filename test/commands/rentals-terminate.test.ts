import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { createCli } from "../support/cli.ts";
import { description, descriptionPath, notFound, requestLines, service } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const vm = "rentals create vm --gpus 1 --label trial --yes --sandbox";
const bareMetal = "rentals create bare-metal --gpus 8 --network-type ethernet --yes --sandbox";

interface PrintedRequest {
  readonly url: string;
  readonly body: unknown;
}

/** The paths and bodies of the requests that a dry run printed. */
function shownIn(out: string): readonly string[] {
  const document: { request?: PrintedRequest; requests?: readonly PrintedRequest[] } = JSON.parse(out);
  return (document.requests ?? [document.request]).map(
    (one) => `${new URL(one?.url ?? "").pathname} ${JSON.stringify(one?.body)}`,
  );
}

describe("rentals terminate", () => {
  test("ends each rental with the operation for its type", async () => {
    const { run } = await createCli();
    await run(vm);
    await run(bareMetal);
    const { code, out, requests } = await run("rentals terminate 1001 1002 1001 --yes --sandbox");
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "ID    LABEL    MESSAGE
      1001  trial    Rental 1001 was terminated.
      1002  bm-1002  Rental 1002 was terminated.
      "
    `);
    expect(requestLines(requests).filter((line) => line.startsWith("POST"))).toEqual([
      "POST /v2/on-demand/virtual-machine-rentals/terminate",
      "POST /v2/on-demand/bare-metal-rentals/terminate",
    ]);
    expect(JSON.parse((await run("rentals list -o json --sandbox")).out)).toEqual([]);
  });

  test("prints the responses of the service with -o json", async () => {
    const { run } = await createCli();
    await run(vm);
    const { out } = await run("rentals terminate 1001 --yes -o json --sandbox");
    expect(JSON.parse(out)).toEqual([{ message: "Rental 1001 was terminated.", rentalId: 1001 }]);
  });

  test("names each rental and its label in the confirmation prompt", async () => {
    const { run } = await createCli();
    await run(vm);
    await run(vm);
    const asked: string[] = [];
    const confirm = async ({ message }: { message: string }) => {
      asked.push(message);
      return false;
    };
    const declined = await run("rentals terminate 1001 1002 --sandbox", {
      terminal: 80,
      prompts: { confirm },
    });
    expect(declined.code).toBe(130);
    expect(asked.join()).toContain("Terminate 2 rentals: 1001 (trial), 1002 (trial)?");
    expect(declined.requests.filter(({ method }) => method === "POST")).toEqual([]);
    expect(await run("rentals terminate 1001 --sandbox")).toMatchObject({ code: 2, out: "" });
  });

  test("shows the end of a reserved term in the confirmation prompt", async () => {
    const { run, advance } = await createCli();
    await run(vm);
    await run("reserve convert 1001 --days 30 --expected-price 1296.00 --sandbox --yes");
    const asked: string[] = [];
    const confirm = async ({ message }: { message: string }) => asked.push(message) < 0;
    const terminate = () => run("rentals terminate 1001 --sandbox", { terminal: 80, prompts: { confirm } });
    await terminate();
    expect(asked[0]).toMatch(/^Terminate 1001 \(trial, reserved until 20\d\d-\d\d-\d\d\)\? All data/);
    advance(31 * 86_400_000);
    await terminate();
    expect(asked[1]).toMatch(/^Terminate 1001 \(trial\)\? All data/);
  });

  test("ends no rental if one of the rentals does not exist", async () => {
    const { run } = await createCli();
    await run(vm);
    const { code, err, requests } = await run("rentals terminate 1001 999 --yes --sandbox");
    expect(code).toBe(5);
    expect(err).toBe("Error: rental 999 not found\nNothing was terminated.\n");
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
    const alone = await run("rentals terminate 999 --yes --sandbox");
    expect(alone.err).toBe(
      "Error: rental 999 not found (GET http://sandbox.localhost/v2/on-demand/rental?rentalId=999)\n",
    );
    const several = await run("rentals terminate 999 1001 998 --yes --sandbox -o json");
    expect(JSON.parse(several.err).error).toMatchObject({
      message: "rentals not found: 999, 998",
      request: null,
      status: null,
    });
  });

  test("prints in a dry run every request that gpuctl may send, and sends none", async () => {
    const { run } = await createCli();
    const { code, out, err, requests } = await run("rentals terminate 1001 1002 --dry-run -o json --sandbox");
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(shownIn(out)).toEqual([
      '/v2/on-demand/virtual-machine-rentals/terminate {"rentalId":1001}',
      '/v2/on-demand/bare-metal-rentals/terminate {"rentalId":1001}',
      '/v2/on-demand/virtual-machine-rentals/terminate {"rentalId":1002}',
      '/v2/on-demand/bare-metal-rentals/terminate {"rentalId":1002}',
    ]);
    expect(err).toContain(
      "A dry run does not look up whether rentals 1001, 1002 are virtual machines or bare metal, so it shows the request for each type. Only one for each rental would be sent.",
    );
  });

  test("succeeds if a rental had already ended, says so for that rental, and ends the others", async () => {
    const { run } = await createCli();
    for (const line of [vm, vm, "rentals terminate 1001 --yes --sandbox"]) await run(line);
    const { code, out, err, requests } = await run("rentals terminate 1001 1002 --yes --sandbox");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatchInlineSnapshot(`
      "ID    LABEL  MESSAGE
      1001  trial  had already ended
      1002  trial  Rental 1002 was terminated.
      "
    `);
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect((await run("rentals list -o id --sandbox")).out).toBe("");
  });
});

describe("rentals terminate, which needs RENTAL, --all, --label or --older-than", () => {
  /** A CLI with the rentals 1001 (ci-1) and 1002 (trainer), two hours old, and the new 1003 (ci-2, bare metal). */
  async function withThree() {
    const cli = await createCli();
    await cli.run("rentals create vm --gpus 1 --label ci-1 --yes --sandbox");
    await cli.run("rentals create vm --gpus 1 --label trainer --yes --sandbox");
    cli.advance(2 * 3_600_000);
    await cli.run(`${bareMetal} --label ci-2`);
    return cli;
  }

  test.each([
    ["--all", "1001\n1002\n1003\n"],
    ["--label ci-*", "1001\n1003\n"],
    ["--older-than 1h", "1001\n1002\n"],
    ["--label ci-* --older-than 1h", "1001\n"],
  ])("%s ends the rentals that match", async (flags, ids) => {
    const { run } = await withThree();
    const before = (await run("rentals list -o id --sandbox")).out.split("\n");
    const { code, out, err } = await run(`rentals terminate ${flags} --yes -o id --sandbox`);
    expect({ code, out }, err).toEqual({ code: 0, out: ids });
    const left = (await run("rentals list -o id --sandbox")).out.split("\n");
    expect(left).toEqual(before.filter((id) => id === "" || !ids.includes(id)));
  });

  test("asks for one confirmation that names every ID and label", async () => {
    const { run } = await withThree();
    const asked: string[] = [];
    const confirm = async ({ message }: { message: string }) => asked.push(message) < 0;
    const declined = await run("rentals terminate --label ci-* --sandbox", {
      terminal: 80,
      prompts: { confirm },
    });
    expect(declined.code).toBe(130);
    expect(asked).toEqual([
      expect.stringContaining("Terminate 2 rentals: 1001 (ci-1), 1003 (ci-2)? All data on them is lost."),
    ]);
    const unasked = await run("rentals terminate --all --sandbox");
    expect(unasked).toMatchObject({ code: 2, out: "" });
    expect(unasked.err).toContain("--yes is required");
    expect(unasked.err).toContain("1001 (ci-1), 1002 (trainer), 1003 (ci-2)");
    expect([...declined.requests, ...unasked.requests].every(({ method }) => method === "GET")).toBe(true);
  });

  test("terminates nothing if no rental matches, and says so", async () => {
    const { run } = await withThree();
    const { code, out, err, requests } = await run("rentals terminate --label web-* --sandbox");
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toBe("No active rental matches.\nNothing was terminated.\n");
    expect(requests).toHaveLength(2);
    expect((await run("rentals terminate --label web-* -o json --sandbox")).out).toBe("[]\n");
  });

  test.each([
    ["1001 --all", "RENTAL cannot be used together with --all, --label or --older-than"],
    ["1001 --label ci-*", "RENTAL cannot be used together with"],
    ["--all --label ci-*", "--all and --label cannot be used together"],
    ["--label=", "--label must not be empty"],
    ["--older-than yesterday", "--older-than must be a duration"],
    ["", "missing required input: RENTAL"],
    ["--no-validate", "missing required input: RENTAL"],
  ])("fails with the arguments %j, and sends nothing", async (words, message) => {
    const { run } = await withThree();
    const { code, err, requests } = await run(`rentals terminate ${words} --yes --sandbox`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(message);
  });

  test("measures the age of a rental in the sandbox by the sandbox's clock alone", async () => {
    const { run } = await createCli({
      respond: ({ path }) =>
        path.endsWith("-rentals")
          ? Response.json(path.includes("virtual") ? [{ id: 7, createdAt: "2026-11-25T11:00:00Z" }] : [], {
              headers: { date: "Wed, 25 Nov 2026 12:00:00 GMT" },
            })
          : undefined,
    });
    const { err } = await run("rentals terminate --older-than 30m --sandbox");
    expect(err).toContain("Terminate 7?");
    expect((await run("rentals terminate --older-than 2h --sandbox")).err).toContain(
      "No active rental matches.",
    );
  });

  test.each([
    ["Fri, 01 Jan 2099 00:00:00 GMT", "2026-11-20T11:59:50Z"],
    ["Fri, 20 Nov 2026 12:00:00 GMT", "2026-11-20T11:59:50Z", 3_600_000],
  ])(
    "leaves out a rental that is old enough by this machine's clock or the service's, but not by both: the service's shows %s",
    async (date, createdAt, ahead = 0) => {
      const { run, advance } = await createCli({
        respond: ({ path }) =>
          path.endsWith("-rentals")
            ? Response.json(path.includes("virtual") ? [{ id: 7, createdAt }] : [], { headers: { date } })
            : undefined,
      });
      advance(ahead);
      const { err, requests } = await run("rentals terminate --older-than 30m --yes", overNetwork());
      expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
      expect(err).toContain("Left out: 7. The clocks of this machine and of the service differ");
      expect(err).toContain("No active rental matches.");
    },
  );

  test("says in a dry run that it does not list the rentals", async () => {
    const { run } = await withThree();
    const { code, err, requests } = await run("rentals terminate --all --dry-run --sandbox");
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(err).toContain("A dry run does not list the rentals");
  });
});

test("after a 409, rentals terminate fails if the rental is still active, and succeeds if it has ended meanwhile", async () => {
  const { run } = await createCli({
    respond: ({ method, path }) => {
      if (method === "POST" && path.endsWith("/terminate")) return Response.json({}, { status: 409 });
      return undefined;
    },
  });
  await run(vm);
  expect(await run("rentals terminate 1001 --yes --sandbox")).toMatchObject({ code: 6, out: "" });
  let lookups = 0;
  const racing = await createCli({
    respond: ({ method, path }) => {
      if (method === "POST") return Response.json({ code: "CONFLICT", message: "Gone" }, { status: 409 });
      if (path !== "/v2/on-demand/rental") return undefined;
      lookups += 1;
      return Response.json({ id: 7, rentalType: "vm", state: lookups === 1 ? "active" : "terminated" });
    },
  });
  const { code, out } = await racing.run("rentals terminate 7 --yes --sandbox");
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^ID .*\n7 .*had already ended\n$/) });
});

test("if some rentals cannot be ended, rentals terminate prints the results of the others", async () => {
  const { run } = await createCli({
    respond: ({ method, body, path }) =>
      method === "POST" && path.endsWith("/terminate") && Object(body).rentalId === 1001
        ? Response.json({ code: "BAD_REQUEST", message: "Protected", issues: [] }, { status: 400 })
        : undefined,
  });
  for (const line of [vm, vm]) await run(line);
  const some = await run("rentals terminate 1001 1002 --yes -o json --sandbox");
  expect({ code: some.code, out: JSON.parse(some.out) }).toMatchObject({
    code: 12,
    out: [{ rentalId: 1002 }],
  });
  expect(JSON.parse(some.err).error).toMatchObject({
    code: "SOME_FAILED",
    message: "1 of 2 rentals could not be terminated",
    issues: [{ path: "1001", message: expect.stringContaining("Protected") }],
    exitCode: 12,
    retryable: false,
    hint: "Terminated: 1002.",
  });
});

const lookup = ({ query }: { query: Readonly<Record<string, string>> }) =>
  Response.json({ state: "active", id: Number(query.rentalId), status: "Running", label: "mine" });
const json = (properties: object, required: readonly string[] = []) => ({
  requestBody: { content: { "application/json": { schema: { type: "object", properties, required } } } },
});

describe("rentals terminate with a third-party service", () => {
  test("is an error with a hint if the service lists no operation to terminate rentals", async () => {
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({})),
        "GET /v2/on-demand/rental": lookup,
      }),
    });
    const { code, err, requests } = await run("rentals terminate 7 --yes", overNetwork());
    expect(code).toBe(5);
    expect(err).toContain("dashboard");
    expect(requests).toHaveLength(1);
  });

  test.each([
    ["missing", notFound, 5, 1],
    ["failing", () => new Response("", { status: 503 }), 7, 2],
    ["not JSON", () => new Response("<html>"), 7, 1],
    ["forbidden", () => new Response("", { status: 403 }), 4, 1],
    ["slow", () => new Promise<Response>(() => {}), 9, 2],
  ])(
    "fails with NO_DESCRIPTION and ends nothing if the description is %s",
    async (_how, respond, code, tries) => {
      const { run } = await createCli({
        negotiates: true,
        respond: ({ path }) => (path === descriptionPath ? respond() : lookup({ query: {} })),
      });
      const { out, err, requests, slept, ...ended } = await run(
        "rentals terminate 7 --yes --timeout 50ms -o json",
        overNetwork(),
      );
      expect({ code: ended.code, out }).toEqual({ code, out: "" });
      const { error } = JSON.parse(err);
      expect(error).toMatchObject({
        code: "NO_DESCRIPTION",
        request: { url: expect.stringContaining(descriptionPath) },
      });
      expect(error.message).toMatch(
        /could not fetch the service's OpenAPI description .*, so it is not known whether rentals can be terminated/,
      );
      expect(error.hint).toContain("Nothing was terminated");
      expect(requestLines(requests)).toEqual(Array(tries).fill(`GET ${descriptionPath}`));
      expect(slept.reduce((sum, one) => sum + one, 0)).toBeLessThan(1_000);
    },
  );

  test("uses the cached description if the service does not return its description", async () => {
    let up = true;
    const end = "POST /v2/on-demand/rentals/terminate";
    const { run, advance } = await createCli({
      negotiates: true,
      respond: (request) =>
        request.path === descriptionPath && !up
          ? new Response("", { status: 503 })
          : service({
              [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
              "GET /v2/on-demand/rental": lookup,
              [end]: () => Response.json({}),
            })(request),
    });
    await run("api spec", overNetwork());
    up = false;
    advance(48 * 3_600_000);
    expect((await run("rentals terminate 7 --yes", overNetwork())).code).toBe(0);
  });

  test("uses the cached description in a dry run", async () => {
    const end = "POST /v2/on-demand/rentals/terminate";
    const { run } = await createCli({
      negotiates: true,
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: json({ rentalId: {} }) })),
      }),
    });
    const dry = "rentals terminate 7 8 --dry-run -o json";
    const before = await run(dry, overNetwork());
    expect(before).toMatchObject({ code: 2, out: "", requests: [] });
    expect(before.err).toContain("depends on the service's OpenAPI description");
    await run("api spec", overNetwork());
    const { code, out, err, requests } = await run(dry, overNetwork());
    expect({ code, err, requests }).toEqual({ code: 0, err: "", requests: [] });
    expect(shownIn(out)).toEqual([
      '/v2/on-demand/rentals/terminate {"rentalId":7}',
      '/v2/on-demand/rentals/terminate {"rentalId":8}',
    ]);
  });

  test.each([
    ["one operation for virtual machines", ["POST /v2/on-demand/virtual-machine-rentals/terminate"]],
    [
      "two operations for virtual machines",
      [
        "POST /v2/on-demand/virtual-machine-rentals/terminate",
        "DELETE /v2/on-demand/virtual-machine-rentals/{id}",
      ],
    ],
    [
      "one operation for each type and one for any rental",
      [
        "POST /v2/on-demand/bare-metal-rentals/terminate",
        "POST /v2/on-demand/virtual-machine-rentals/terminate",
        "POST /v2/on-demand/rentals/terminate",
      ],
    ],
  ])("requests no list of active rentals if the service has %s", async (_what, operations) => {
    const { run } = await createCli({
      respond: (request) =>
        request.method === "GET"
          ? service({
              [`GET ${descriptionPath}`]: () =>
                Response.json(description(Object.fromEntries(operations.map((one) => [one, {}])))),
              "GET /v2/on-demand/rental": lookup,
            })(request)
          : Response.json({}),
    });
    const { code, requests } = await run("rentals terminate 7 --yes", overNetwork());
    expect(code).toBe(0);
    expect(requestLines(requests)).toEqual([
      `GET ${descriptionPath}`,
      "GET /v2/on-demand/rental?rentalId=7",
      operations.at(-1)?.includes("/rentals/") ? operations.at(-1) : operations[0],
      "GET /v2/on-demand/rental?rentalId=7",
    ]);
  });

  test("sends no terminate request for a bare-metal rental if the operation is only for virtual machines", async () => {
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () =>
          Response.json(description({ "POST /v2/on-demand/virtual-machine-rentals/terminate": {} })),
        "GET /v2/on-demand/rental": () => Response.json({ id: 7, rentalType: "bare-metal" }),
      }),
    });
    const { code, err, requests } = await run("rentals terminate 7 --yes", overNetwork());
    expect(code).toBe(5);
    expect(err).toContain("lists no operation to terminate rental 7, which is bare metal");
    expect(requests).toHaveLength(2);
  });

  test("accepts a rental that is already ending, although the service refuses the request", async () => {
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () =>
          Response.json(description({ "POST /v2/on-demand/virtual-machine-rentals/terminate": {} })),
        "GET /v2/on-demand/rental": () =>
          Response.json({ id: 7, rentalType: "virtual-machine", state: "active", status: "Terminating" }),
        "POST /v2/on-demand/virtual-machine-rentals/terminate": () =>
          Response.json({ code: "CONFLICT", message: "It is ending", issues: [] }, { status: 409 }),
      }),
    });
    const { code, out, err } = await run("rentals terminate 7 --yes", overNetwork());
    expect(code, err).toBe(0);
    expect(out).toContain("is already ending");
  });

  test("ends the virtual machines although no operation ends a bare-metal rental", async () => {
    const vms = "/v2/on-demand/virtual-machine-rentals";
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [`POST ${vms}/terminate`]: {} })),
        [`GET ${vms}`]: () =>
          Response.json([
            { id: 1, status: "Running" },
            { id: 2, status: "Running" },
          ]),
        "GET /v2/on-demand/bare-metal-rentals": () => Response.json([{ id: 7, status: "Running" }]),
        [`POST ${vms}/terminate`]: () => Response.json({ success: true }),
      }),
    });
    const { code, err, requests } = await run("rentals terminate --all --yes", overNetwork());
    expect(code, err).toBe(12);
    expect(err).toContain("lists no operation to terminate rental 7, which is bare metal");
    expect(requests.filter(({ method }) => method === "POST").map(({ body }) => body)).toEqual([
      { rentalId: 1 },
      { rentalId: 2 },
    ]);
  });

  test.each([
    ["POST /v2/on-demand/rentals/terminate-all", {}],
    ["PUT /v2/on-demand/rentals/{id}/termination-protection", {}],
    ["POST /v2/on-demand/rentals/terminate", json({ region: {} })],
    ["POST /v2/{team}/rentals/{id}/terminate", {}],
    ["POST /v2/on-demand/terminated-rentals", json({ rentalId: {} })],
    ["POST /v2/projects/{projectId}/terminate-rentals", {}],
    ["POST /v2/teams/{teamId}/rentals/terminate", {}],
    ["POST /v2/regions/{region}/machines/terminate", json({ rentalId: {} })],
    ["POST /v2/rentals/terminate/preview", json({ rentalId: {} })],
    ["POST /v2/rentals/can-terminate", json({ rentalId: {} })],
    ["POST /v2/rentals/{rentalId}/terminate-requests", {}],
    ["POST /v2/contracts/terminate", {}],
    ["DELETE /v2/ssh/rentals/{id}", {}],
    ["DELETE /v2/past-rentals/{id}", {}],
    ["POST /v2/rentals/terminate", json({ rentalId: {}, reason: {} }, ["reason"])],
  ])("does not call %s, which does something else or needs other values", async (operation, described) => {
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [operation]: described })),
      }),
    });
    const { code, requests } = await run("rentals terminate 7 --yes", overNetwork());
    expect(code).toBe(5);
    expect(requests).toHaveLength(1);
  });

  test("ends a rental only once if the user names it by both of its IDs", async () => {
    const end = "POST /v2/on-demand/rentals/terminate";
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
        "GET /v2/on-demand/rental": () => Response.json({ id: 7, rentalId: "lab-7" }),
        [end]: () => Response.json({}),
      }),
    });
    const { requests } = await run("rentals terminate 7 lab-7 --yes", overNetwork());
    expect(requestLines(requests).filter((line) => line === end)).toHaveLength(1);
  });

  test.each(["POST /v2/on-demand/rentals/terminate", "DELETE /v2/rentals/{id}"])(
    "ends a rental with two IDs by the ID that the user named, with %s",
    async (end) => {
      const filled = end.replace("{id}", "1001");
      const { run } = await createCli({
        respond: service({
          [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
          "GET /v2/on-demand/rental": () => Response.json({ id: 77, rentalId: 1001, status: "Running" }),
          [filled]: () => Response.json({}),
        }),
      });
      const { code, requests } = await run("rentals terminate 1001 --yes", overNetwork());
      const writes = requests.filter(({ method }) => method !== "GET");
      expect({ code, lines: requestLines(writes) }).toEqual({ code: 0, lines: [filled] });
      expect(JSON.stringify(writes.map(({ body }) => body))).not.toContain("77");
    },
  );

  test("sends one terminate request for a rental that is listed twice", async () => {
    const end = "POST /v2/on-demand/rentals/terminate";
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
        "GET /v2/on-demand/virtual-machine-rentals": () => Response.json([{ id: 7 }, { id: 8 }, { id: 7 }]),
        "GET /v2/on-demand/bare-metal-rentals": () => Response.json([{ id: 7 }]),
        "GET /v2/on-demand/rental": lookup,
        [end]: () => Response.json({}),
      }),
    });
    const { out, requests } = await run("rentals terminate --all --yes -o id", overNetwork());
    expect(out).toBe("7\n8\n");
    expect(requests.filter(({ method }) => method === "POST").map(({ body }) => body)).toEqual([
      { rentalId: 7 },
      { rentalId: 8 },
    ]);
  });

  test("ends the other rentals if the service lists an ID that cannot be sent", async () => {
    const end = "POST /v2/rentals/{id}/terminate";
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
        "GET /v2/on-demand/virtual-machine-rentals": () =>
          Response.json([{ id: "a" }, { id: "\ud800" }, { id: ".." }, { id: "b" }]),
        "GET /v2/on-demand/bare-metal-rentals": () => Response.json([]),
        "GET /v2/on-demand/rental": () => Response.json({ id: "a", status: "Terminated" }),
        "POST /v2/rentals/a/terminate": () => Response.json({}),
        "POST /v2/rentals/b/terminate": () => Response.json({}),
      }),
    });
    const { code, out, err } = await run("rentals terminate --all --yes -o id", overNetwork());
    expect(out).toBe("a\nb\n");
    expect(code).not.toBe(exit.fault);
    expect(err).toContain("2 of 4 rentals could not be terminated");
    expect(err).toContain(String.raw`id cannot be used in a path: "\ud800"`);
  });

  test.each(["rentals terminate 1001 --yes", "rentals wait 1001", "rentals get 1001"])(
    "ends nothing and fails if the service responds with another rental, as other commands do: %s",
    async (line) => {
      const end = "POST /v2/on-demand/rentals/terminate";
      const { run } = await createCli({
        respond: service({
          [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
          "GET /v2/on-demand/rental": () => Response.json({ id: 1002, status: "Running" }),
          [end]: () => Response.json({}),
        }),
      });
      const { code, err, requests } = await run(line, overNetwork());
      expect({ code, writes: requests.filter(({ method }) => method !== "GET") }).toEqual({
        code: 7,
        writes: [],
      });
      expect(err).toContain("was asked for rental 1001 and responded with rental 1002");
    },
  );

  test.each(["undefined", "null", "[object Object]"])(
    "finds no rental by the word %s if no label in the response is a string",
    async (word) => {
      const end = "POST /v2/on-demand/rentals/terminate";
      const { run } = await createCli({
        respond: service({
          [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
          "GET /v2/on-demand/virtual-machine-rentals": () => Response.json([{ id: 7 }]),
          "GET /v2/on-demand/bare-metal-rentals": () =>
            Response.json([
              { id: 8, label: {} },
              { id: 9, label: null },
            ]),
          "GET /v2/on-demand/rental": () => Response.json(null),
          [end]: () => Response.json({}),
        }),
      });
      const { code, requests } = await run(["rentals", "terminate", word, "--yes"], overNetwork());
      expect({ code, writes: requests.filter(({ method }) => method !== "GET") }).toEqual({
        code: 5,
        writes: [],
      });
    },
  );

  test.each(["GET", "HEAD"])(
    "does not call an operation with the method %s to end a rental",
    async (method) => {
      const inPath = { name: "rentalId", in: "path", required: true, schema: { type: "integer" } };
      const reading = `${method} /v2/on-demand/rentals/{rentalId}/terminate`;
      const { run } = await createCli({
        respond: service({
          [`GET ${descriptionPath}`]: () =>
            Response.json(description({ [reading]: { parameters: [inPath] } })),
          "GET /v2/on-demand/rental": lookup,
        }),
      });
      const { code, err, requests } = await run("rentals terminate 7 --yes", overNetwork());
      expect(code).toBe(5);
      expect(err).toContain("the service lists no operation to terminate a rental");
      expect(requestLines(requests).filter((one) => one.includes("terminate"))).toEqual([]);
    },
  );

  test("has an unknown outcome if the service responds with an HTML page", async () => {
    const end = "POST /v2/on-demand/rentals/terminate";
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
        "GET /v2/on-demand/rental": lookup,
        [end]: () => new Response("<html>Sign in</html>"),
      }),
    });
    const { code, err } = await run("rentals terminate 7 --yes", overNetwork());
    expect(code).toBe(10);
    expect(err).toBe(
      "Error: the outcome is unknown: the response is not JSON (POST https://api.example.com/v2/on-demand/rentals/terminate returned 200)\nRental 7 was looked up: it is Running now.\n",
    );
  });

  test.each(["false", '"later"', "null", "[]"])(
    "has an unknown outcome if the response is %s",
    async (body) => {
      const end = "POST /v2/on-demand/rentals/terminate";
      const { run } = await createCli({
        respond: service({
          [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
          "GET /v2/on-demand/rental": lookup,
          [end]: () => new Response(body, { headers: { "Content-Type": "application/json" } }),
        }),
      });
      const { code, err } = await run("rentals terminate 7 --yes", overNetwork());
      expect({ code, err }).toEqual({
        code: exit.unknownOutcome,
        err: expect.stringContaining("the outcome is unknown: the response is not an object"),
      });
    },
  );

  test("reports the outcome of each rental after an interruption", async () => {
    const end = "POST /v2/on-demand/rentals/terminate";
    const controller = new AbortController();
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
        "GET /v2/on-demand/rental": lookup,
        [end]: ({ body }) => {
          if (Object(body).rentalId !== 8) return Response.json({});
          controller.abort();
          return new Promise(() => {});
        },
      }),
    });
    const { code, err } = await run("rentals terminate 7 8 9 --yes", {
      ...overNetwork(),
      signal: controller.signal,
    });
    expect(code).toBe(130);
    expect(err).toContain(`Error: 2 of 3 rentals could not be terminated or have an unknown outcome
  8: interrupted after the request was sent: it may have taken effect. \`gpuctl rentals get 8\` shows whether the rental ended.
  9: not tried, because of the interruption
Not ended yet: 7.
`);
  });

  test.each([
    ["POST /v2/on-demand/rentals/terminate", json({ rentalId: {} }), { rentalId: 7 }],
    ["POST /v2/rentals/{rentalId}/terminate", {}, undefined],
    ["DELETE /v2/on-demand/rentals/{id}", {}, undefined],
    ["POST /v2/instance-operations/terminate", json({ rental_ids: { type: "array" } }), { rental_ids: [7] }],
    ["POST /v2/on-demand/virtual-machine-rentals/terminate", {}, { rentalId: 7 }],
    ["POST /v2/on-demand/rentals/terminate", json({ rentalId: { type: "string" } }), { rentalId: "7" }],
    [
      "POST /v2/machines/terminate",
      json({ machine_ids: { type: "array", items: { type: "string" } } }),
      { machine_ids: ["7"] },
    ],
  ])("sends the request of the described operation %s", async (operation, described, body) => {
    const path = operation.replace(/\{\w+\}/, "7").split(" ")[1] ?? "";
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [operation]: described })),
        "GET /v2/on-demand/rental": lookup,
        [operation.replace(/\{\w+\}/, "7")]: () => new Response(null, { status: 204 }),
      }),
    });
    const { code, out, requests } = await run("rentals terminate 7 --yes -o id", overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: "7\n" });
    expect(requests.filter(({ method }) => method !== "GET")).toMatchObject([{ path, body }]);
  });

  test("finds the type of a rental by the listing that contains it if records have no type", async () => {
    const end = "POST /v2/on-demand/bare-metal-rentals/terminate";
    const document = description({ [end]: {}, "POST /v2/on-demand/virtual-machine-rentals/terminate": {} });
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(document),
        "GET /v2/on-demand/rental": lookup,
        "GET /v2/on-demand/bare-metal-rentals": () => Response.json([{ id: 7 }]),
        "GET /v2/on-demand/virtual-machine-rentals": () => Response.json([]),
        [end]: () => Response.json({ message: "bye", rentalId: 7 }),
      }),
    });
    const { code, err, requests } = await run("rentals terminate 7 --yes", overNetwork());
    expect(code).toBe(0);
    expect(requestLines(requests).filter((line) => line.startsWith("POST"))).toEqual([end]);
    expect(err).toBe(
      "Rental 7 has not ended yet (Running) and is billed until it does. Run `gpuctl rentals wait 7 --for terminated` to wait for it.\n",
    );
  });

  test("does not print that a rental is terminated if the service still reports it as running", async () => {
    const end = "POST /v2/on-demand/rentals/terminate";
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
        "GET /v2/on-demand/rental": lookup,
        [end]: () => new Response(null, { status: 204 }),
      }),
    });
    const { code, out, err } = await run("rentals terminate 7 --yes", overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^ID .*\n7 .*not ended yet\n$/) });
    expect(err).toContain("Rental 7 has not ended yet (Running)");
  });

  test("looks up the rental after a failed terminate request, and does not repeat the request", async () => {
    const end = "POST /v2/on-demand/rentals/terminate";
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
        "GET /v2/on-demand/rental": lookup,
        [end]: ({ body }) =>
          Object(body).rentalId === 8 ? new Response("", { status: 502 }) : Response.json({ rentalId: 7 }),
      }),
    });
    const { code, err, requests } = await run("rentals terminate 8 7 --yes", overNetwork());
    expect(code).toBe(10);
    expect(err).toContain("Error: 1 of 2 rentals have an unknown outcome\n  8: the outcome is unknown: ");
    expect(err).toContain("Rental 8 was looked up: it is Running now.\nNot ended yet: 7.\n");
    expect(requestLines(requests).filter((line) => line === end)).toHaveLength(2);
  });
});

describe("rentals terminate --all", () => {
  const list = (type: string) => `GET /v2/on-demand/${type}-rentals`;
  const end = (type: string) => `POST /v2/on-demand/${type}-rentals/terminate`;

  /** A CLI and a service that lists these virtual machines and bare-metal rentals. */
  const listing = (
    vms: readonly unknown[],
    bareMetals: readonly unknown[] = [],
    operations: Parameters<typeof description>[0] = { [end("virtual-machine")]: {}, [end("bare-metal")]: {} },
  ) =>
    createCli({
      negotiates: true,
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description(operations)),
        "POST /v2/on-demand/rentals/terminate": () => Response.json({ message: "ended" }),
        [list("virtual-machine")]: () => Response.json(vms),
        [list("bare-metal")]: () => Response.json(bareMetals),
        [end("virtual-machine")]: () => Response.json({ message: "ended" }),
        [end("bare-metal")]: () => Response.json({ message: "ended" }),
        "GET /v2/on-demand/rental": () => Response.json(null),
      }),
    });

  test("fails for a rental without an ID, and terminates the others", async () => {
    const { run } = await listing([{ id: 1 }, { label: "nameless" }]);
    const { code, out, err, requests } = await run("rentals terminate --all --yes -o id", overNetwork());
    expect({ code, out }, err).toEqual({ code: exit.someFailed, out: "1\n" });
    expect(err).toContain("the service lists an active rental without an ID");
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    const { run: runOther } = await listing([{ label: "nameless" }]);
    const only = await runOther("rentals terminate --all --yes", overNetwork());
    expect(only).toMatchObject({ code: 7, out: "" });
    expect(only.err).toContain("It is still billed.");
  });

  test.each([
    ["with types", { rentalType: "virtual-machine" }, { rentalType: "bare-metal" }],
    ["without types", {}, {}],
  ])(
    "terminates a virtual machine and a bare-metal rental that have the same ID: records %s",
    async (...[, vm, metal]) => {
      const { run } = await listing([{ id: 1, ...vm }], [{ id: 1, ...metal }]);
      const { code, requests, err } = await run("rentals terminate --all --yes", overNetwork());
      expect(code, err).toBe(0);
      expect(requestLines(requests).filter((line) => line.startsWith("POST"))).toEqual([
        end("virtual-machine"),
        end("bare-metal"),
      ]);
    },
  );

  test("sends one request for a rental that is listed twice", async () => {
    const { run } = await listing([{ id: 1 }, { id: 1 }]);
    const { code, out, requests } = await run("rentals terminate --all --yes -o id", overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: "1\n" });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("sends one request for a rental in both listings if one operation ends both types", async () => {
    const { run } = await listing([{ id: 1 }], [{ id: 1 }], { "POST /v2/on-demand/rentals/terminate": {} });
    const { code, out, err, requests } = await run("rentals terminate --all --yes -o id", overNetwork());
    expect({ code, out }, err).toEqual({ code: 0, out: "1\n" });
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

describe("a virtual machine and a bare-metal rental with the same ID", () => {
  const end = (type: string) => `POST /v2/on-demand/${type}-rentals/terminate`;
  const [vmList, metalList] = ["virtual-machine", "bare-metal"].map(
    (type) => `GET /v2/on-demand/${type}-rentals`,
  ) as [string, string];
  const [vm, metal] = [
    { id: 5, label: "dev", createdAt: "2026-01-01T10:00:00Z" },
    { id: 5, label: "train", createdAt: "2026-01-02T10:00:00Z" },
  ];
  const failing = () => new Response("", { status: 502 });

  /** Runs `rentals terminate WORD` against a service that returns `found` for the ID 5. Records state no type. */
  async function terminate(word: string, found: object, lists: Parameters<typeof service>[0] = {}) {
    const { run } = await createCli({
      negotiates: true,
      respond: service({
        [`GET ${descriptionPath}`]: () =>
          Response.json(description({ [end("virtual-machine")]: {}, [end("bare-metal")]: {} })),
        "GET /v2/on-demand/rental": ({ query }) =>
          query.rentalId === "5" ? Response.json(found) : notFound(),
        [vmList]: () => Response.json([vm]),
        [metalList]: () => Response.json([metal]),
        [end("virtual-machine")]: () => Response.json({ message: "ended" }),
        [end("bare-metal")]: () => Response.json({ message: "ended" }),
        ...lists,
      }),
    });
    const { code, err, requests } = await run(`rentals terminate ${word} --yes --retries 0`, overNetwork());
    return { code, err, writes: requestLines(requests).filter((line) => line.startsWith("POST")) };
  }

  test.each([
    ["the virtual machine", vm, end("virtual-machine")],
    ["the bare-metal rental", metal, end("bare-metal")],
    ["a record without a label", { ...metal, label: undefined }, end("bare-metal")],
  ])("are told apart by the record that was looked up: %s", async (_which, found, expected) => {
    expect(await terminate("5", found)).toMatchObject({ code: 0, writes: [expected] });
  });

  test("are not terminated if the record does not say which of them it is", async () => {
    expect(await terminate("5", { id: 5 })).toMatchObject({ code: 5, writes: [] });
  });

  test("are not terminated by the label of the other one", async () => {
    const { err, ...ran } = await terminate("train", vm);
    expect(ran, err).toEqual({ code: 5, writes: [] });
    expect(err).toContain('"train" is listed as rental 5, but the record of rental 5 has the label "dev"');
  });

  test("are told apart by the time of creation without labels; if one list fails, only a rental in the other is ended", async () => {
    const unlabelled = { ...vm, label: undefined };
    const lists = { [vmList]: () => Response.json([unlabelled]), [metalList]: failing };
    expect(await terminate("5", unlabelled, lists)).toMatchObject({
      code: 0,
      writes: [end("virtual-machine")],
    });
    const other = await terminate("5", { ...metal, label: undefined }, lists);
    expect(other, other.err).toMatchObject({ code: 7, writes: [] });
  });
});

describe("a service that offers only virtual machines", () => {
  const end = "POST /v2/on-demand/virtual-machine-rentals/terminate";
  const list = "GET /v2/on-demand/virtual-machine-rentals";
  const create = "POST /v2/on-demand/virtual-machine-rentals";

  const withoutBareMetal = (rentals: readonly object[]) =>
    createCli({
      negotiates: true,
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [list]: {}, [create]: {}, [end]: {} })),
        [list]: () => Response.json(rentals),
        [create]: () => Response.json({ id: 9 }),
        [end]: () => Response.json({ message: "ended" }),
        "GET /v2/on-demand/rental": () => Response.json({ id: 9, label: "ci" }),
      }),
    });

  test("has its rentals terminated by rentals terminate --all", async () => {
    const { run } = await withoutBareMetal([{ id: 1 }]);
    const { code, err, requests } = await run("rentals terminate --all --yes", overNetwork());
    expect(code, err).toBe(0);
    expect(requestLines(requests)).toContain(end);
  });

  test("has its rentals guarded without a warning", async () => {
    const { run } = await withoutBareMetal([{ id: 9, label: "ci" }]);
    await run("rentals create vm --gpus 1 --label ci --lease 1h --yes", overNetwork());
    const guarded = await run("rentals guard --once --yes -o json", overNetwork());
    expect(guarded).toMatchObject({ code: 0, err: "" });
  });

  test.each([
    ["creates a rental that does not exist", [], [create]],
    ["finds a rental that exists", [{ id: 1, label: "ci" }], []],
  ])("works with rentals create --if-absent: %s", async (_case, rentals, writes) => {
    const { run } = await withoutBareMetal(rentals);
    const line = "rentals create vm --gpus 1 --label ci --if-absent --yes";
    const { code, err, requests } = await run(line, overNetwork());
    expect(code, err).toBe(0);
    expect(requestLines(requests).filter((one) => one.startsWith("POST"))).toEqual(writes);
  });
});

test.each([
  ["a virtual machine", 200, "", 0],
  ["a rental of which the service knows nothing more", 404, "Not found", 5],
])(
  "if the operation that ends %s has moved since the description was fetched, it is fetched again",
  async (_what, status, message, expected) => {
    const record = { id: 5, status: "Running" };
    let end = "POST /v2/on-demand/rentals/terminate";
    const { run } = await createCli({
      negotiates: true,
      respond: (request) =>
        service({
          [`GET ${descriptionPath}`]: () => Response.json(description({ [end]: {} })),
          "GET /v2/on-demand/rental": () => Response.json(record),
          [end]: () => (status === 200 ? Response.json({ message: "ended" }) : notFound()),
        })(request),
    });
    expect((await run("api spec -o json", overNetwork())).code).toBe(0);
    const old = end;
    if (status === 200) end = "POST /v2/on-demand/virtual-machine-rentals/terminate";
    const { code, err, requests } = await run("rentals terminate 5 --yes", overNetwork());
    expect(code, err).toBe(expected);
    expect(err).toContain(message);
    const sent = requestLines(requests).filter((one) => !one.startsWith("GET /v2/on-demand/rental"));
    expect(sent).toEqual([old, `GET ${descriptionPath}`, ...(status === 200 ? [end] : [])]);
  },
);

test("rentals create passes on a 404 for an ID in its input, if the service offers the operation", async () => {
  const create = "POST /v2/on-demand/bare-metal-rentals";
  const missing = { code: "NOT_FOUND", message: "Storage volume not found", issues: [] };
  const { run } = await createCli({
    negotiates: true,
    respond: service({
      [`GET ${descriptionPath}`]: () => Response.json(description({ [create]: {} })),
      [create]: () => Response.json(missing, { status: 404 }),
    }),
  });
  const line = "rentals create bare-metal --gpus 8 --network-type ethernet --storage-volume 999 --yes";
  const { code, err, requests } = await run(line, overNetwork());
  expect(code).toBe(5);
  expect(err).toMatch(/^Error: Storage volume not found \(POST [^)]+ returned 404 NOT_FOUND\)\n/);
  expect(err).not.toContain("description");
  expect(requestLines(requests).filter((one) => one === create)).toHaveLength(1);
});

describe("commands that need all active rentals", () => {
  const active = "GET /v2/on-demand/rentals/active";
  const end = "POST /v2/on-demand/rentals/terminate";
  const operations = { [active]: {}, [end]: {}, "POST /v2/on-demand/rentals": {} };
  const lines = [
    ["rentals terminate --all --yes", 7],
    ["rentals create vm --gpus 1 --label a --if-absent --yes", 7],
    ["rentals create vm --gpus 1 --max-burn 100 --yes", 11],
  ] as const;

  test.each(
    [
      { items: [], hasMore: true },
      { items: [], hasMore: true, nextCursor: null },
      { items: [] },
      {},
      null,
    ].flatMap((page) => lines.map(([line, code]) => [page, line, code] as const)),
  )(
    "fail if the service returns %j instead of a complete list, and create or end nothing: %s",
    async (page, line, code) => {
      const { run } = await createCli({
        negotiates: true,
        respond: ({ method, path }) =>
          service({
            [`${method} ${path}`]: () => Response.json(method === "POST" ? { id: 9 } : page),
            [`GET ${descriptionPath}`]: () => Response.json(description(operations)),
          })({ method, path, query: {}, headers: {}, body: undefined }),
      });
      const outcome = await run(line, overNetwork());
      const writes = outcome.requests.filter(({ method }) => method !== "GET");
      expect({ code: outcome.code, writes }, outcome.err).toEqual({ code, writes: [] });
      expect(outcome.err).toContain("not a list");
    },
  );
});
