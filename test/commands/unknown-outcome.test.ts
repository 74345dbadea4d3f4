import { describe, expect, test } from "vitest";
import { ConnectionFailed } from "../../src/core/service-errors.ts";
import { createCli, type Responder, type SeenRequest } from "../support/cli.ts";
import { description, descriptionPath } from "../support/described.ts";
import { cliThatResponds } from "../support/leases.ts";
import { overNetwork } from "../support/service.ts";

const line = "rentals create vm --gpus 1 --sandbox --yes";

const listings: Record<string, string> = {
  "/v2/on-demand/virtual-machine-rentals": "vm",
  "/v2/on-demand/storage-volumes": "volume",
};

const reset = () => {
  throw new ConnectionFailed("the connection was reset", { code: "ECONNRESET", sent: true });
};

/** The ways in which a write can end with an unknown outcome. */
const unknownEnds: readonly [string, () => Response][] = [
  [
    "500",
    () =>
      Response.json(
        { code: "INTERNAL_SERVER_ERROR", message: "Internal server error", issues: [] },
        { status: 500 },
      ),
  ],
  ["502 with HTML", () => new Response("<html><h1>Bad gateway</h1></html>", { status: 502 })],
  ["a reset", reset],
  ["a response that is not JSON", () => new Response("<!doctype html>", { status: 200 })],
];

/** A service whose writes end with `end`. Its listings are `before` until the first write, and then `after`. */
function endingWrites(end: () => Response, before: unknown, after: unknown): Responder {
  let written = false;
  return ({ method, path }) => {
    if (method !== "GET") {
      written = true;
      return end();
    }
    return path in listings ? Response.json(written ? after : before) : undefined;
  };
}

const posts = (requests: readonly SeenRequest[]) => requests.filter(({ method }) => method === "POST").length;

describe.each(unknownEnds)("a create that ends with %s", (_name, end) => {
  test("is sent once, and the error lists new rentals", async () => {
    const { run } = await createCli({ respond: endingWrites(end, [{ id: 1 }], [{ id: 1 }, { id: "r-2" }]) });
    const { code, out, err, requests, slept } = await run(line);
    expect({ code, out, posts: posts(requests), slept }).toEqual({ code: 10, out: "", posts: 1, slept: [] });
    expect(err).toContain("the outcome is unknown");
    expect(err).toContain("New in the listing: r-2");
  });

  test("reports that nothing new is listed, if the listing is unchanged", async () => {
    const { run } = await createCli({ respond: endingWrites(end, [], []) });
    const { code, err } = await run(line);
    expect(code).toBe(10);
    expect(err).toContain("Nothing new is listed yet");
  });

  test("is sent once for a volume, too, and the error lists the new volume", async () => {
    const { run } = await createCli({ respond: endingWrites(end, [], [{ id: 502 }]) });
    const { code, err, requests } = await run(
      "volumes create --region us-central-1 --label data-1 --size-in-gb 256 --sandbox",
    );
    expect({ code, posts: posts(requests) }).toEqual({ code: 10, posts: 1 });
    expect(err).toContain("New in the listing: 502");
  });

  test("is not retryable according to the error document", async () => {
    const { run } = await createCli({ respond: endingWrites(end, [], [{ id: 9 }]) });
    const { out, err } = await run(`${line} -o json`);
    expect(out).toBe("");
    expect(JSON.parse(err)).toMatchObject({
      error: { code: "UNKNOWN_OUTCOME", exitCode: 10, retryable: false },
    });
  });
});

test.each([
  [304, false],
  [307, true],
])(
  "a create is reported as redirected only after a redirect, not after status 304: status %i",
  async (status, redirects) => {
    const { run } = await createCli({
      respond: ({ method }) =>
        method === "POST"
          ? new Response(null, { status, headers: { location: "https://elsewhere.example/" } })
          : undefined,
    });
    const { code, err } = await run(line);
    expect(code).toBe(10);
    expect(err.includes("redirects")).toBe(redirects);
    expect(err).toContain("Nothing new is listed yet");
  },
);

test("the outcome of a create is reported as unknown even if the lookup after it fails", async () => {
  const { run } = await createCli({
    respond: ({ method }) => (method === "GET" ? new Response("", { status: 503 }) : reset()),
  });
  const { code, err, requests } = await run(`${line} --retries 0`);
  expect({ code, posts: posts(requests) }).toEqual({ code: 10, posts: 1 });
  expect(err).toContain("The outcome could not be checked");
});

test("a create that times out has an unknown outcome", async () => {
  const { run } = await createCli({
    respond: ({ method }) => (method === "POST" ? new Promise<Response>(() => {}) : undefined),
  });
  const { code, err, requests } = await run(`${line} --timeout 50ms`);
  expect({ code, posts: posts(requests) }).toEqual({ code: 10, posts: 1 });
  expect(err).toContain("no response within");
});

test("a create whose connection was refused exits with 9, because nothing was sent", async () => {
  const { run } = await createCli({
    respond: () => {
      throw new ConnectionFailed("connection refused", { code: "ECONNREFUSED", sent: false });
    },
  });
  const { code, err } = await run(`${line} --retries 0`);
  expect(code).toBe(9);
  expect(err).toContain("connection refused");
});

test("reserve convert with an unknown outcome looks up the term of the rental", async () => {
  const { run } = await createCli({ respond: ({ method }) => (method === "POST" ? reset() : undefined) });
  const { code, err, requests } = await run(
    "reserve convert 1001 --days 30 --expected-price 12.00 --sandbox --yes",
  );
  expect({ code, posts: posts(requests) }).toEqual({ code: 10, posts: 1 });
  expect(err).toContain("could not be looked up");
});

test.each([
  ["user delete --yes --sandbox", "DELETE"],
  ["user update --name Ada --sandbox", "PUT"],
  ["reserve request --gpus 8 --sandbox", "POST"],
  ["volumes attach 501 1001 --sandbox", "POST"],
  ["tts Hello --sandbox", "POST"],
  ['image "a cat" --sandbox', "POST"],
  ["chat Hello -o json --sandbox", "POST"],
  ["chat Hello --sandbox", "POST"],
])("%s is never sent twice", async (command, method) => {
  const { run } = await createCli({ respond: (request) => (request.method === "GET" ? undefined : reset()) });
  const { code, requests } = await run(command);
  expect({ code, writes: requests.filter((one) => one.method === method).length }).toEqual({
    code: 10,
    writes: 1,
  });
});

describe("the error says which command shows the outcome, or that no command does", () => {
  const terminate = "POST /v2/on-demand/rentals/terminate";
  const createKey = "POST /v2/api-keys";
  const places: readonly (readonly [line: string, place: string])[] = [
    [
      "user update --name Ada",
      "No command can show whether the change was made. Running the same command again is safe",
    ],
    [
      "reserve request --gpus 8",
      "No command lists these requests: before you send another request, ask the service",
    ],
    ["api-keys create ci", "`gpuctl api-keys list` shows whether the key was created"],
  ];
  const interruptedOnly: typeof places = [
    ["rentals create vm --gpus 1 --yes", "`gpuctl rentals list` shows whether the rental was created."],
    [
      "volumes create --region us-central-1 --label data-1 --size-in-gb 256",
      "`gpuctl volumes list` shows whether the volume was created.",
    ],
    ["volumes attach 501 1001", "`gpuctl volumes list` shows what the volume is attached to."],
    ["rentals terminate 1001 --yes", "`gpuctl rentals get 1001` shows whether the rental ended."],
    [
      "reserve convert 1001 --days 30 --expected-price 12.00 --yes",
      "`gpuctl rentals get 1001` shows the term of the rental.",
    ],
    ["user delete --yes", "`gpuctl auth status` shows whether the service still accepts the key."],
  ];

  const listing: Responder = ({ path }) => {
    if (path === descriptionPath) return Response.json(description({ [terminate]: {}, [createKey]: {} }));
    return Response.json(path.endsWith("/rental") ? { id: 1001, state: "active" } : []);
  };

  test.each(places)("after an unknown outcome of %s", async (command, place) => {
    const { run } = await createCli({
      negotiates: true,
      respond: (request) => (request.method === "GET" ? listing(request) : new Response("", { status: 502 })),
    });
    const { code, err } = await run(command, overNetwork());
    expect(code).toBe(10);
    expect(err).toContain(place);
  });

  test.each([...places, ...interruptedOnly])("after Ctrl-C during %s", async (command, place) => {
    const controller = new AbortController();
    const { run } = await createCli({
      negotiates: true,
      respond: (request) => {
        if (request.method === "GET") return listing(request);
        controller.abort();
        return new Promise<Response>(() => {});
      },
    });
    const { code, err, requests } = await run(command, { ...overNetwork(), signal: controller.signal });
    expect(code).toBe(130);
    expect(err).toContain(place);
    expect(requests.at(-1)?.method).not.toBe("GET");
  });
});

test("a create is sent even if the listing before it fails, and the listing is not retried", async () => {
  const unavailable = () => Response.json({ message: "down" }, { status: 503 });
  const { run } = await createCli({
    respond: ({ method, path }) => (method === "GET" && path in listings ? unavailable() : undefined),
  });
  const { code, requests, slept } = await run(line);
  expect({ code, slept, methods: requests.map(({ method }) => method) }).toEqual({
    code: 0,
    slept: [],
    methods: ["GET", "POST"],
  });
});

test("volumes attach with an unknown outcome looks up the volume", async () => {
  const { run } = await createCli({ respond: endingWrites(reset, [], [{ id: 501, rentalIds: [1001] }]) });
  const { code, err, requests } = await run("volumes attach 501 1001 --sandbox");
  expect({ code, posts: posts(requests) }).toEqual({ code: 10, posts: 1 });
  expect(err).toContain("The volume is attached to: 1001.");
});

describe("Ctrl-C during the lookup after an unknown outcome does not hide the outcome", () => {
  const terminate = "POST /v2/on-demand/rentals/terminate";

  test.each([
    ["rentals create vm --gpus 1 --yes", "The outcome could not be checked"],
    [
      "volumes create --region us-central-1 --label data-1 --size-in-gb 256",
      "The outcome could not be checked",
    ],
    ["volumes attach 501 1001", "The volumes could not be listed."],
    ["reserve convert 1001 --days 30 --expected-price 12.00 --yes", "could not be looked up either"],
    ["rentals terminate 1001 --yes", "Looking up rental 1001 failed too"],
  ])("of %s", async (command, finding) => {
    const controller = new AbortController();
    let written = false;
    const { run } = await createCli({
      negotiates: true,
      respond: ({ method, path }) => {
        if (path === descriptionPath) return Response.json(description({ [terminate]: {} }));
        if (method !== "GET") {
          written = true;
          return new Response("", { status: 502 });
        }
        if (!written) return Response.json(path.endsWith("/rental") ? { id: 1001, state: "active" } : []);
        controller.abort();
        return new Promise<Response>(() => {});
      },
    });
    const { code, err, requests } = await run(command, { ...overNetwork(), signal: controller.signal });
    expect({ code, posts: posts(requests) }).toEqual({ code: 10, posts: 1 });
    expect(err).toContain("Error: the outcome is unknown: the service responded 502");
    expect(err).toContain(finding);
  });
});

test("Ctrl-C during the listing before a create prevents the create", async () => {
  const controller = new AbortController();
  const { run } = await createCli({
    respond: ({ method }) => {
      if (method !== "GET") return undefined;
      controller.abort();
      return new Promise<Response>(() => {});
    },
  });
  const { code, err, requests } = await run(line, { signal: controller.signal });
  expect({ code, err, posts: posts(requests) }).toEqual({
    code: 130,
    err: "Error: interrupted: nothing was spent\n",
    posts: 0,
  });
});

test.each([
  ["the first", [502, 400]],
  ["the second", [400, 502]],
])(
  "rentals terminate exits with 10 if one of two failures has an unknown outcome: %s",
  async (_name, statuses) => {
    const { run } = await createCli({
      respond: ({ method, path }) =>
        method === "POST" && path.endsWith("/terminate")
          ? Response.json({ code: "NO", message: "No", issues: [] }, { status: statuses.shift() ?? 500 })
          : undefined,
    });
    for (let created = 0; created < 2; created += 1) await run(line);
    const { code, err } = await run("rentals terminate 1001 1002 --yes --sandbox");
    expect(code).toBe(10);
    expect(err).toContain("Error: 2 of 2 rentals could not be terminated");
  },
);

describe.each(["ECONNRESET", "EPIPE", "ETIMEDOUT"])("a response that breaks off with %s", (code) => {
  const breaking = () =>
    new Response(
      new ReadableStream({
        pull: (stream) => stream.error(Object.assign(new Error("broken"), { code })),
      }),
    );

  test("is a network failure for a read, which is retried", async () => {
    const { run } = await createCli({ respond: breaking });
    const { code: exitCode, err, requests } = await run("volumes list --retries 1 --sandbox -o json");
    expect({ exitCode, sent: requests.length }).toEqual({ exitCode: 9, sent: 2 });
    expect(JSON.parse(err).error).toMatchObject({ code, retryable: true });
  });

  test("leaves the outcome of a write unknown", async () => {
    const { run } = await createCli({ respond: ({ method }) => (method === "GET" ? undefined : breaking()) });
    expect(await run(line)).toMatchObject({ code: 10, out: "" });
  });
});

test.each([
  [401, "The service does not accept the key any more: the user was probably deleted."],
  [200, "The service still accepts the key."],
  [503, "The outcome could not be checked."],
])("user delete with an unknown outcome checks whether the key still works: %i", async (status, finding) => {
  const { run } = await createCli({
    respond: ({ method }) => (method === "DELETE" ? reset() : Response.json({}, { status })),
  });
  const { code, err } = await run("user delete --yes --retries 0", overNetwork());
  expect(code).toBe(10);
  expect(err).toContain(finding);
});

test("after an unknown outcome, a create with a new volume also lists new volumes", async () => {
  const { run } = await cliThatResponds(({ method }) =>
    method === "POST" ? Response.json({ message: "no" }, { status: 500 }) : undefined,
  );
  const line =
    "rentals create bare-metal --gpus 8 --network-type ethernet --new-volume data --new-volume-size 1024 --yes --sandbox";
  const { code, err } = await run(line);
  expect(code, err).toBe(10);
  expect(err).toContain("Rentals: New in the listing: 1001. This request may have created it.");
  expect(err).toContain("Volumes: New in the listing: 501. This request may have created it.");
});
