import { chmod, link, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import {
  description,
  descriptionPath,
  keptDescriptions,
  notFound,
  requestLines,
  service,
} from "../support/described.ts";
import { overNetwork, serviceUrl } from "../support/service.ts";

const day = 24 * 3_600_000;
const minute = 60_000;

const parameter = (name: string) => ({ name, in: "query", schema: { type: "string" } });
const pageOf = (...members: readonly string[]) => ({
  responses: {
    200: {
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: Object.fromEntries(["items", ...members].map((name) => [name, {}])),
          },
        },
      },
    },
  },
});
const cursors = { parameters: ["rentalType", "cursor", "limit"].map(parameter), ...pageOf("nextCursor") };

const active = "/v2/on-demand/rentals/active";
const history = "/v2/on-demand/rentals/history";
const create = "/v2/on-demand/rentals";
const replacements = description({
  [`GET ${active}`]: cursors,
  [`GET ${history}`]: cursors,
  [`POST ${create}`]: {},
});

/** Pages of two records, with a cursor if more follow. */
const inTwos =
  (...ids: readonly number[]) =>
  ({ query }: { query: Readonly<Record<string, string>> }) => {
    const from = Number(query.cursor ?? 0);
    const items = ids.slice(from, from + 2).map((id) => ({ id, type: query.rentalType }));
    return Response.json({ items, nextCursor: from + 2 < ids.length ? String(from + 2) : null });
  };

const onlyReplacements = service({
  [`GET ${descriptionPath}`]: () => Response.json(replacements),
  [`GET ${active}`]: inTwos(1, 2, 3, 4, 5),
  [`GET ${history}`]: inTwos(6, 7, 8),
  [`POST ${create}`]: ({ body }) => Response.json({ id: 9, ...Object(body) }),
});

describe("a service that has only the replacements of deprecated paths", () => {
  test("returns the active rentals of all its pages as one array", async () => {
    const { run } = await createCli({ respond: onlyReplacements, negotiates: true });
    const { code, out, err, requests } = await run("rentals list --type vm -o json", overNetwork());
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toEqual([1, 2, 3, 4, 5].map((id) => ({ id, type: "virtual-machine" })));
    expect(requestLines(requests)).toEqual([
      `GET ${descriptionPath}`,
      `GET ${active}?rentalType=virtual-machine`,
      `GET ${active}?rentalType=virtual-machine&cursor=2`,
      `GET ${active}?rentalType=virtual-machine&cursor=4`,
    ]);
  });

  test("returns the ended rentals", async () => {
    const { run } = await createCli({ respond: onlyReplacements, negotiates: true });
    expect((await run("rentals history -o id", overNetwork())).out).toBe("6\n7\n8\n");
  });

  test.each([
    ["vm --gpus 1", { gpuCount: 1, rentalType: "virtual-machine" }],
    [
      "bare-metal --gpus 8 --network-type ethernet",
      { gpuCount: 8, networkType: "ethernet", rentalType: "bare-metal" },
    ],
  ])(
    "gets one create request with the rental type, and one request for the description: %s",
    async (words, body) => {
      const { run } = await createCli({ respond: onlyReplacements, negotiates: true });
      const { code, requests } = await run(`rentals create ${words} --yes -o json`, overNetwork());
      expect(code).toBe(0);
      expect(requests.at(-1)).toMatchObject({ method: "POST", path: create, body });
      expect(requests.filter(({ path }) => path === descriptionPath)).toHaveLength(1);
    },
  );

  test("gets no request from a dry run, which shows the replacement only if the description is cached", async () => {
    const { run, advance } = await createCli({ respond: onlyReplacements, negotiates: true });
    const dry = "rentals create vm --gpus 1 --dry-run -o json";
    const before = await run(dry, overNetwork());
    expect(JSON.parse(before.out).request.url).toBe(`${serviceUrl}/v2/on-demand/virtual-machine-rentals`);
    expect(before.err).toBe(
      "This request may be sent as POST /v2/on-demand/rentals instead of POST /v2/on-demand/virtual-machine-rentals, depending on the service's description, which a dry run does not fetch. Run `gpuctl api spec` to fetch it.\n",
    );
    await run("rentals history", overNetwork());
    const after = await run(dry, overNetwork());
    expect(JSON.parse(after.out).request).toMatchObject({
      url: serviceUrl + create,
      body: { rentalType: "virtual-machine" },
    });
    expect(after.err).toBe("");
    advance(day);
    const later = await run(`${dry} -o table`, overNetwork());
    expect(later.out).toContain(`POST ${serviceUrl}${create}\n`);
    expect(later.err).toContain("This request may be sent as POST /v2/on-demand/rentals");
    expect((await run(`${dry} -q`, overNetwork())).err).toBe("");
    expect([...before.requests, ...after.requests, ...later.requests]).toEqual([]);
  });

  test("makes a dry run mention a possible replacement only for an operation that can have one", async () => {
    const { run } = await createCli({ respond: onlyReplacements, negotiates: true });
    const reported = async (line: string) =>
      (await run(`${line} --dry-run`, overNetwork())).err.split("\n").filter((line) => line !== "");
    expect(await reported("rentals list")).toHaveLength(2);
    expect(await reported("rentals history -o json")).toHaveLength(1);
    expect(await reported("volumes list")).toEqual([]);
    expect(await reported("user update --name Ada")).toEqual([]);
    expect(await reported("api call getRental -f rentalId=1")).toEqual([
      expect.stringContaining("Using the one in this version of gpuctl"),
    ]);
  });
});

describe("the description", () => {
  test("is fetched without a key, cached for a day in a private file, then revalidated by its ETag", async () => {
    const { run, advance, folder } = await createCli({
      negotiates: true,
      respond: ({ path, headers }) => {
        if (path !== descriptionPath) return Response.json([]);
        if (headers["if-none-match"] === '"one"') return new Response(null, { status: 304 });
        return Response.json(replacements, { headers: { ETag: '"one"' } });
      },
    });
    const log = async () => (await run("rentals history", overNetwork())).requests.map(({ path }) => path);
    expect(await log()).toEqual([descriptionPath, history]);
    advance(day - 1);
    expect(await log()).toEqual([history]);
    advance(1);
    const { requests } = await run("rentals history", overNetwork());
    expect(requests.map(({ path }) => path)).toEqual([descriptionPath, history]);
    expect(requests[0]?.headers).toMatchObject({ "if-none-match": '"one"' });
    expect(requests[0]?.headers).not.toHaveProperty("authorization");
    expect(await log()).toEqual([history]);
    const [file, ...others] = await keptDescriptions(folder);
    expect(others).toEqual([]);
    expect(file?.name).toMatch(/^description-[0-9a-f]{8}\.json$/);
    if (process.platform !== "win32") expect(file?.mode).toBe(0o600);
  });

  test("is replaced as a whole, by a file that only the user can read", async () => {
    let title = "first";
    const { run, folder } = await createCli({
      negotiates: true,
      respond: () => Response.json({ ...replacements, info: { title } }),
    });
    await run("api spec --refresh", overNetwork());
    const [before] = await keptDescriptions(folder);
    const path = join(folder, "state", before?.name ?? "");
    // Another name for the same file shows whether the file itself is changed.
    await link(path, join(folder, "other-name"));
    await chmod(path, 0o644);
    title = "second";
    await run("api spec --refresh", overNetwork());
    const [after, ...others] = await keptDescriptions(folder);
    expect(others).toEqual([]);
    expect(after?.text).toContain("second");
    if (process.platform !== "win32") expect(after?.mode).toBe(0o600);
    expect(await readFile(join(folder, "other-name"), "utf8")).toBe(before?.text);
  });

  test("is cached per service", async () => {
    const { run, folder } = await createCli({ respond: onlyReplacements, negotiates: true });
    await run("rentals history", overNetwork());
    await run("rentals history", overNetwork({ GPUCTL_BASE_URL: "https://other.example.com/x" }));
    expect(await keptDescriptions(folder)).toHaveLength(2);
  });

  test("is fetched again by api spec --refresh", async () => {
    let title = "first";
    const { run } = await createCli({
      negotiates: true,
      respond: () => Response.json({ ...replacements, info: { title } }),
    });
    const titleOf = async (line: string) => JSON.parse((await run(line, overNetwork())).out).info.title;
    expect(await titleOf("api spec")).toBe("first");
    title = "second";
    expect(await titleOf("api spec")).toBe("first");
    expect(await titleOf("api spec --refresh")).toBe("second");
    expect(await titleOf("api spec")).toBe("second");
  });

  test.each([
    ["volumes list"],
    ["rentals get 1"],
    ["rentals summary"],
    ["user update --name Ada"],
    ["reserve request --gpu-count 8"],
  ])("is not requested by %s, which has no replacement", async (line) => {
    const { run } = await createCli({ respond: () => Response.json({ id: 1 }), negotiates: true });
    const { requests } = await run(line, overNetwork());
    expect(requests.map(({ path }) => path)).not.toContain(descriptionPath);
    expect(requests).toHaveLength(1);
  });

  test.each([
    ["no key", { GPUCTL_API_KEY: "" }, 3],
    ["a key that no header can carry", { GPUCTL_API_KEY: "a b" }, 3],
    ["a base URL that is not safe", { GPUCTL_BASE_URL: "http://api.example.com" }, 2],
  ])("is not requested with %s", async (_what, env, code) => {
    const { run } = await createCli({ respond: onlyReplacements, negotiates: true });
    expect(await run("rentals history", overNetwork(env))).toMatchObject({ code, requests: [] });
  });

  test("is not fetched for the in-process sandbox", async () => {
    const { run, folder } = await createCli({ negotiates: true });
    const { requests } = await run("rentals list --sandbox");
    expect(requests.map(({ path }) => path)).not.toContain(descriptionPath);
    expect(await keptDescriptions(folder)).toEqual([]);
  });
});

const megabyte = new Uint8Array(1024 * 1024).fill(0x20);
function huge(): Response {
  let left = 50;
  const body = new ReadableStream<Uint8Array>({
    pull: (stream) => {
      left -= 1;
      if (left < 0) stream.close();
      else stream.enqueue(megabyte);
    },
  });
  return new Response(body);
}

describe("a description that cannot be used as it is", () => {
  const broken: readonly (readonly [string, () => Response | Promise<Response>])[] = [
    ["missing", notFound],
    ["broken", () => new Response("<html>nothing here")],
    ["of another kind", () => Response.json({ swagger: "2.0", paths: {} })],
    ["without paths", () => Response.json({ openapi: "3.1.0" })],
    [
      "with nonsense in it",
      () => Response.json({ openapi: "3.1.0", paths: { [active]: 7, [history]: { get: [] } } }),
    ],
    ["of 50 MB", huge],
    ["refused with a 503", () => new Response("", { status: 503 })],
    [
      "cut off",
      () => {
        throw Object.assign(new Error("the connection was reset"), { code: "ECONNRESET" });
      },
    ],
  ];

  test.each(broken)(
    "does not stop a call if it is %s, and is not fetched again immediately",
    async (_kind, respond) => {
      const { run, advance } = await createCli({
        negotiates: true,
        respond: ({ path }) => (path === descriptionPath ? respond() : Response.json([{ id: 1 }])),
      });
      const first = await run("rentals list --type vm -o id", overNetwork());
      expect(first).toMatchObject({ code: 0, out: "1\n", err: "", slept: [] });
      expect(first.requests.map(({ path }) => path)).toEqual([
        descriptionPath,
        "/v2/on-demand/virtual-machine-rentals",
      ]);
      // gpuctl accepts this description and caches it for a day, because only parts of it are nonsense.
      if (_kind === "with nonsense in it") return;
      expect((await run("rentals history", overNetwork())).requests).toHaveLength(1);
      advance(5 * minute);
      expect((await run("rentals history", overNetwork())).requests).toHaveLength(2);
    },
  );

  test("is not read beyond the size limit", async () => {
    let read = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (stream) => {
        read += 1;
        if (read > 50) stream.close();
        else stream.enqueue(megabyte);
      },
    });
    const { run } = await createCli({
      negotiates: true,
      respond: ({ path }) => (path === descriptionPath ? new Response(body) : Response.json([])),
    });
    expect((await run("rentals history", overNetwork())).code).toBe(0);
    expect(read).toBeLessThan(20);
  });

  test("does not stop a call if it never arrives", async () => {
    const { run } = await createCli({
      negotiates: true,
      respond: ({ path }) => (path === descriptionPath ? new Promise(() => {}) : Response.json([{ id: 1 }])),
    });
    const { code, out } = await run("rentals list --type vm -o id --timeout 50ms", overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: "1\n" });
  });

  test("is replaced by the cached copy", async () => {
    let up = true;
    const { run, advance } = await createCli({
      negotiates: true,
      respond: (request) => {
        if (request.path === descriptionPath && !up) return new Response("", { status: 503 });
        return onlyReplacements(request);
      },
    });
    await run("rentals history", overNetwork());
    up = false;
    advance(2 * day);
    expect((await run("rentals history -o id", overNetwork())).out).toBe("6\n7\n8\n");
  });

  test("is fetched again by a running guard: in the round after a failed fetch, and when the copy is a day old", async () => {
    const abort = new AbortController();
    let round = 1;
    const fetchedIn: number[] = [];
    const { run } = await createCli({
      negotiates: true,
      respond: (request) => {
        if (request.path !== descriptionPath) return onlyReplacements(request);
        fetchedIn.push(round);
        return round === 1 ? new Response("", { status: 503 }) : onlyReplacements(request);
      },
    });
    const onSleep = () => {
      round += 1;
      if (round > 6) abort.abort();
    };
    const options = { ...overNetwork(), signal: abort.signal, onSleep };
    const { err } = await run("rentals guard --every 12h --yes", options);
    expect(fetchedIn, err).toEqual([1, 2, 4, 6]);
  });

  test.each([
    ["is of another service", { url: "https://other.example.com/v2/openapi.json" }],
    ["is from the future", { checkedAt: Date.parse("2099-01-01T00:00:00Z") }],
  ])("is fetched again if it is a cached copy that %s", async (_what, change) => {
    const { run, folder } = await createCli({ respond: onlyReplacements, negotiates: true });
    await run("rentals history", overNetwork());
    const [file] = await keptDescriptions(folder);
    const [about = "{}", ...document] = file?.text.split("\n") ?? [];
    const { writeFile } = await import("node:fs/promises");
    const changed = JSON.stringify({ ...JSON.parse(about), ...change });
    await writeFile(`${folder}/state/${file?.name}`, [changed, ...document].join("\n"));
    const { requests } = await run("rentals history", overNetwork());
    expect(requests[0]?.path).toBe(descriptionPath);
  });

  test("is ignored if the cached file is damaged", async () => {
    const { run, folder } = await createCli({ respond: onlyReplacements, negotiates: true });
    await run("rentals history", overNetwork());
    const [file] = await keptDescriptions(folder);
    const { writeFile } = await import("node:fs/promises");
    const about = file?.text.split("\n")[0];
    for (const text of ["", "nonsense", `${about}\n{"openapi": "3.1`, '{"url":7}\n']) {
      await writeFile(`${folder}/state/${file?.name}`, text);
      expect((await run("rentals history -o id", overNetwork())).out).toBe("6\n7\n8\n");
    }
  });
});

describe("a replacement", () => {
  const old = "/v2/on-demand/rental-history";
  const both = (operation: object) => description({ [`GET ${history}`]: operation, [`GET ${old}`]: {} });
  const serving = (document: object, response: unknown) =>
    service({
      [`GET ${descriptionPath}`]: () => Response.json(document),
      [`GET ${history}`]: () => Response.json(response),
      [`GET ${old}`]: () => Response.json([{ id: 1 }]),
    });

  test.each([
    ["has no parameter that turns pages", both(pageOf("nextCursor"))],
    [
      "returns an unwrapped list",
      both({
        parameters: [parameter("page")],
        responses: { 200: { content: { "application/json": { schema: { type: "array" } } } } },
      }),
    ],
    ["does not say where its next page is", both({ parameters: [parameter("cursor")], ...pageOf() })],
  ])("that %s is not used if there is a documented path", async (_name, document) => {
    const { run } = await createCli({ respond: serving(document, []), negotiates: true });
    const { requests } = await run("rentals history", overNetwork());
    expect(requests.map(({ path }) => path)).toEqual([descriptionPath, old]);
  });

  test.each([
    ["has no response schema", ["page", "limit"], {}],
    ["counts its records and takes page numbers", ["page", "limit"], pageOf("total")],
    ["returns a token that no parameter accepts", ["offset", "limit"], pageOf("nextCursor")],
    ["reports more records but returns no token", ["cursor", "limit"], pageOf("hasMore")],
  ])(
    "that %s is not used if there is a documented path, which returns its whole list at once",
    async (_name, names, shape) => {
      const first = Array.from({ length: 10 }, (_, id) => ({ id }));
      const document = both({ parameters: names.map(parameter), ...shape });
      const { run } = await createCli({ respond: serving(document, first), negotiates: true });
      const { code, out, err } = await run("rentals history -o id", overNetwork());
      expect({ code, out, err }).toEqual({ code: 0, out: "1\n", err: "" });
    },
  );

  test("without a schema is used if the service lists the documented path, but no longer serves it", async () => {
    const { run } = await createCli({
      negotiates: true,
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(both({})),
        [`GET ${history}`]: () => Response.json([{ id: 5 }]),
      }),
    });
    const { code, out, requests } = await run("rentals history -o id", overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: "5\n" });
    expect(requestLines(requests)).toEqual([`GET ${descriptionPath}`, `GET ${old}`, `GET ${history}`]);
  });

  test("without a schema is used if there is no documented path, and may return an empty list", async () => {
    const document = description({ [`GET ${history}`]: { parameters: [parameter("page")] } });
    const { run } = await createCli({ respond: serving(document, []), negotiates: true });
    expect(await run("rentals history -o json", overNetwork())).toMatchObject({ code: 0, out: "[]\n" });
  });

  test.each(["total", "totalCount", "total_count"])(
    "paged by offset and %s is read to the end",
    async (total) => {
      const document = both({ parameters: ["offset", "limit"].map(parameter), ...pageOf(total) });
      const { run } = await createCli({
        negotiates: true,
        respond: service({
          [`GET ${descriptionPath}`]: () => Response.json(document),
          [`GET ${old}`]: () => Response.json([]),
          [`GET ${history}`]: ({ query }) => {
            const from = Number(query.offset ?? 0);
            return Response.json({
              rentals: [6, 7, 8].slice(from, from + 2).map((id) => ({ id })),
              [total]: 3,
            });
          },
        }),
      });
      const { out, err, requests } = await run("rentals history -o id", overNetwork());
      expect({ out, err }).toEqual({ out: "6\n7\n8\n", err: "" });
      expect(requestLines(requests).slice(1)).toEqual([`GET ${history}`, `GET ${history}?offset=2`]);
    },
  );

  test("that cannot be paged is used with a warning if there is no documented path", async () => {
    const respond = serving(description({ [`GET ${history}`]: {} }), { items: [{ id: 5 }] });
    const { run } = await createCli({ respond, negotiates: true });
    const { code, out, err } = await run("rentals history -o id", overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: "5\n" });
    expect(err).toContain("There may be more results");
  });

  test("that was removed after it was listed fails, and gpuctl then calls the documented path", async () => {
    let listed = true;
    const { run } = await createCli({
      negotiates: true,
      respond: (request) => {
        if (request.path === descriptionPath) return Response.json(listed ? replacements : description({}));
        if (listed) return onlyReplacements(request);
        return request.path === old ? Response.json([{ id: 1 }]) : notFound();
      },
    });
    await run("rentals history", overNetwork());
    listed = false;
    const { code, out, requests } = await run("rentals history -o id", overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: "1\n" });
    expect(requests.map(({ path }) => path)).toEqual([history, descriptionPath, old]);
  });

  test("is discovered if the path that it replaces was removed after the description was cached", async () => {
    let before = true;
    const { run } = await createCli({
      negotiates: true,
      respond: (request) => {
        if (request.path === descriptionPath) return Response.json(before ? description({}) : replacements);
        if (!before) return onlyReplacements(request);
        return request.path === old ? Response.json([{ id: 1 }]) : notFound();
      },
    });
    expect((await run("rentals history -o id", overNetwork())).out).toBe("1\n");
    before = false;
    const { code, out, requests } = await run("rentals history -o id", overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: "6\n7\n8\n" });
    expect(requests.map(({ path }) => path).slice(0, 3)).toEqual([old, descriptionPath, history]);
  });

  test("is used only if it accepts every field of the request", async () => {
    const vms = "/v2/on-demand/virtual-machine-rentals";
    const document = description({ [`GET ${active}`]: cursors, [`GET ${vms}`]: {} });
    const { run } = await createCli({
      negotiates: true,
      respond: ({ path }) => Response.json(path === descriptionPath ? document : []),
    });
    const list = "rentals list --type vm";
    expect((await run(list, overNetwork())).requests.at(-1)?.path).toBe(active);
    expect((await run(`${list} --include-cluster-pools`, overNetwork())).requests.at(-1)?.path).toBe(vms);
  });

  test("that fails for a create is not followed by a create at another path", async () => {
    const { run } = await createCli({
      negotiates: true,
      respond: (request) =>
        request.method === "POST" ? new Response("", { status: 500 }) : onlyReplacements(request),
    });
    const { code, requests } = await run("rentals create vm --gpus 1 --yes", overNetwork());
    expect(code).toBe(10);
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

describe("a command requests the documented paths and the description only once if the paths are gone", () => {
  const paths = ["virtual-machine", "bare-metal"].map((type) => `GET /v2/on-demand/${type}-rentals`);
  const changed = async (before: (() => Response) | undefined, now: () => Response) => {
    let describing = before;
    const { run } = await createCli({
      negotiates: true,
      respond: (request) => {
        if (request.path === descriptionPath) return describing?.();
        return request.path === active ? onlyReplacements(request) : notFound();
      },
    });
    if (before) await run("rentals history", overNetwork());
    describing = now;
    const { code, requests } = await run("rentals list -o id", overNetwork());
    return { code, requests: requestLines(requests).map((line) => line.replace(/\?.*/, "")) };
  };
  const without = () => Response.json(description({}));

  test("and the cached description lists no replacement", async () => {
    const { code, requests } = await changed(without, without);
    expect(code).toBe(5);
    expect(requests).toEqual([...paths, `GET ${descriptionPath}`]);
  });

  test("and the description now lists their replacement", async () => {
    const { code, requests } = await changed(without, () => Response.json(replacements));
    expect(code).toBe(0);
    expect(requests.slice(0, 3)).toEqual([...paths, `GET ${descriptionPath}`]);
    expect(new Set(requests.slice(3))).toEqual(new Set([`GET ${active}`]));
  });

  test.each([
    ["could not be fetched recently", notFound, [...paths, `GET ${descriptionPath}`]],
    ["cannot be fetched", undefined, [`GET ${descriptionPath}`, ...paths]],
  ])("and the description %s", async (_when, before, expected) => {
    const { code, requests } = await changed(before, notFound);
    expect(code).toBe(5);
    expect(requests).toEqual(expected);
  });
});

test("gpuctl calls the deprecated path of the current user if the service has only that path", async () => {
  const { run } = await createCli({
    negotiates: true,
    respond: service({ "PUT /users/me": () => Response.json({ success: true, user: { id: "u" } }) }),
  });
  const { code, requests } = await run("user update --name Ada", overNetwork());
  expect(code).toBe(0);
  expect(requestLines(requests)).toEqual(["PUT /v2/users/me", "PUT /users/me"]);
});

test.each([
  ["user update --name Ada", "PUT"],
  ["user delete --yes", "DELETE"],
])("the error names both paths of %s if the service has neither of them", async (line, method) => {
  const { run } = await createCli({ negotiates: true, respond: notFound });
  const { code, err, requests } = await run(line, overNetwork());
  expect(code).toBe(5);
  expect(requestLines(requests)).toEqual([`${method} /v2/users/me`, `${method} /users/me`]);
  expect(err).toBe(
    `Error: Not found: the service has neither ${method} /v2/users/me nor the older ${method} /users/me (${method} ${serviceUrl}/users/me returned 404 NOT_FOUND)\n`,
  );
});

test.each([
  [
    "cannot be fetched",
    undefined,
    "GET /v2/on-demand/rental-history is deprecated, and the service's description, which may list its replacement, could not be fetched",
  ],
  [
    "lists neither the path nor its replacement",
    {},
    "the service's description lists neither GET /v2/on-demand/rental-history, which is deprecated, nor its replacement GET /v2/on-demand/rentals/history",
  ],
  [
    "lists the path itself",
    { "GET /v2/on-demand/rental-history": {} },
    "the service's description lists GET /v2/on-demand/rental-history, but the service does not serve it",
  ],
])(
  "the error for a deprecated path that is gone says that the description %s",
  async (_when, listed, why) => {
    const respond = service(
      listed ? { [`GET ${descriptionPath}`]: () => Response.json(description(listed)) } : {},
    );
    const { run } = await createCli({ negotiates: true, respond });
    const { code, err } = await run("rentals history", overNetwork());
    expect(code).toBe(5);
    expect(err).toBe(
      `Error: Not found: ${why} (GET ${serviceUrl}/v2/on-demand/rental-history returned 404 NOT_FOUND)\nRun \`gpuctl api spec --refresh\` to fetch the description again, or \`gpuctl api list\` to see what the service offers.\n`,
    );
  },
);

describe.each([404, 405, 410])("a path that returns %i counts as removed", (status) => {
  const gone = () => Response.json({ code: "GONE", message: "Gone", issues: [] }, { status });
  const vms = "/v2/on-demand/virtual-machine-rentals";
  /** gpuctl with a cached description that has no replacements, and a service that now has them. */
  const movedOn = async (methods: readonly string[]) => {
    let before = true;
    const cli = await createCli({
      negotiates: true,
      respond: (request) => {
        if (request.path === descriptionPath) return Response.json(before ? description({}) : replacements);
        if (request.path !== vms) return onlyReplacements(request);
        return before || !methods.includes(request.method) ? Response.json([]) : gone();
      },
    });
    await cli.run("rentals list --type vm", overNetwork());
    before = false;
    return cli;
  };

  test("and a read is sent to the replacement instead", async () => {
    const { code, out, requests } = await (await movedOn(["GET"])).run(
      "rentals list --type vm -o id",
      overNetwork(),
    );
    expect({ code, out }).toEqual({ code: 0, out: "1\n2\n3\n4\n5\n" });
    expect(requests.map(({ path }) => path).slice(0, 3)).toEqual([vms, descriptionPath, active]);
  });

  test("and a write is sent to the replacement instead, because the first request had no effect", async () => {
    const { run } = await movedOn(["POST"]);
    const { code, requests } = await run("rentals create vm --gpus 1 --yes", overNetwork());
    expect(code).toBe(0);
    const posts = requests.filter(({ method }) => method === "POST");
    expect(posts.map(({ path }) => path)).toEqual([vms, create]);
    expect(posts.at(-1)).toMatchObject({ body: { gpuCount: 1, rentalType: "virtual-machine" } });
  });

  test("and without a replacement the error says how to fetch the description again", async () => {
    const respond = service({});
    const { run } = await createCli({
      negotiates: true,
      respond: (request) => (request.path === descriptionPath ? respond(request) : gone()),
    });
    const { code, err } = await run("rentals history", overNetwork());
    expect(code).toBe(5);
    expect(err).toContain("GET /v2/on-demand/rental-history is deprecated, and the service's description");
    expect(err).toContain(`returned ${status} GONE`);
    expect(err).toContain("`gpuctl api spec --refresh`");
  });
});
