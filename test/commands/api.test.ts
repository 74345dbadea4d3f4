import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { servedOperations } from "../../src/sandbox/assumed/index.ts";
import { createCli } from "../support/cli.ts";
import { description, descriptionPath, requestLines, service } from "../support/described.ts";
import { always, overNetwork } from "../support/service.ts";
import { words } from "../support/words.ts";

const everyId = Object.keys(servedOperations);

describe("api list", () => {
  test("shows the operations of the service", async () => {
    const { run } = await createCli();
    expect((await run("api list -o id --sandbox")).out.trim().split("\n").sort()).toEqual(
      [...everyId].sort(),
    );
    const { out } = await run("api list --group ssh-keys --sandbox");
    expect(out).toMatchInlineSnapshot(`
      "GROUP     METHOD  PATH               OPERATION     DEPRECATED  SUMMARY
      ssh-keys  GET     /v2/ssh-keys       listSshKeys   no          List the SSH public keys
      ssh-keys  POST    /v2/ssh-keys       createSshKey  no          Add an SSH public key
      ssh-keys  DELETE  /v2/ssh-keys/{id}  deleteSshKey  no          Delete an SSH public key
      "
    `);
  });

  test("lists the columns that do not fit the terminal, each of them once", async () => {
    const { run } = await createCli();
    const { err } = await run("api list --sandbox", { terminal: 80 });
    expect(err).toBe(
      "Columns left out to fit: OPERATION, DEPRECATED, SUMMARY. See --columns operation,deprecated,summary or -o json.\n",
    );
  });

  test("suggests a similar group if --group is unknown", async () => {
    const { run } = await createCli();
    const { code, err } = await run("api list --group ssh-key --sandbox");
    expect(code).toBe(2);
    expect(err).toContain("Did you mean ssh-keys?");
  });

  test.each([
    [404, "", 5],
    [200, "<html>", 7],
    [401, "", 3],
  ])(
    "fails after the response %i %j to the request for the description, with exit code %i",
    async (status, body, code) => {
      const { run } = await createCli({ respond: always(status, body) });
      expect(await run("api list", overNetwork())).toMatchObject({ code, out: "" });
    },
  );
});

describe("api describe", () => {
  test("shows an operation by its ID", async () => {
    const { run } = await createCli();
    expect((await run("api describe attachStorageVolume --sandbox")).out).toMatchInlineSnapshot(`
      "operation:             attachStorageVolume
      request:               POST /v2/on-demand/storage-volumes/attach
      group:                 storage-volumes
      summary:               Attach a storage volume to bare-metal rentals
      description:           storageVolumeId must be the ID of a volume. rentalIds must be IDs of active bare-metal rentals.
      body storageVolumeId:  integer or string, required; ID of the volume
      body rentalIds:        list of integer or string, required; at least 1 item; Bare-metal rentals to attach the volume to
      response 200:          A volume and the rentals it is attached to; object
      response 400:          Invalid input data; object
      response 401:          Authorization not provided; object
      response 403:          Insufficient access; object
      response 413:          Request body is too large; object
      response 500:          Internal server error; object
      example:               gpuctl api call attachStorageVolume -F storageVolumeId=1 -F 'rentalIds[]=1'
      "
    `);
  });

  test("shows the same operation by its method and path, with or without parameter values", async () => {
    const { run } = await createCli();
    const outs = ["deleteSshKey", "delete /v2/ssh-keys/{id}", "DELETE v2/ssh-keys/7"].map(
      async (named) => (await run(`api describe ${named} -o json --sandbox`)).out,
    );
    expect(new Set(await Promise.all(outs)).size).toBe(1);
  });

  test.each([
    ["getRentl", "getRental"],
    ["GET /v2/on-demand/rentl", "GET /v2/on-demand/rental"],
  ])("suggests similar names for %s", async (named, meant) => {
    const { run } = await createCli();
    const { code, out, err } = await run(`api describe ${named} --sandbox`);
    expect({ code, out }).toEqual({ code: 5, out: "" });
    expect(err).toContain(`Did you mean ${meant}`);
  });

  test.each(["GET", "/v2/on-demand/rental", "TAKE /v2/x"])(
    "rejects %s, which does not name an operation",
    async (named) => {
      const { run } = await createCli();
      expect((await run(`api describe ${named} --sandbox`)).code).toBe(2);
    },
  );

  test("shows operations with recursive schemas", async () => {
    const node = { type: "object", properties: { next: { $ref: "#/components/schemas/Node" } } };
    const body = (schema: object) => ({ requestBody: { content: { "application/json": { schema } } } });
    const document = {
      ...description({
        "POST /nodes": { operationId: "addNode", ...body({ $ref: "#/components/schemas/Node" }) },
        "POST /loops": { operationId: "addLoop", ...body({ $ref: "#/components/schemas/Loop" }) },
        "POST /lost": { operationId: "addLost", ...body({ $ref: "https://elsewhere.example/schema" }) },
      }),
      components: { schemas: { Node: node, Loop: { $ref: "#/components/schemas/Loop" } } },
    };
    const { run } = await createCli({ respond: () => Response.json(document) });
    for (const id of ["addNode", "addLoop", "addLost"]) {
      expect(await run(`api describe ${id}`, overNetwork())).toMatchObject({ code: 0, err: "" });
    }
  });

  test.each(everyId)("shows an example of %s that the description accepts", async (id) => {
    const { run } = await createCli();
    const { example } = JSON.parse((await run(`api describe ${id} -o json --sandbox`)).out);
    const { code, err } = await run([...words(example).slice(1), "--sandbox"]);
    expect([0, 5, 6, 7], err).toContain(code);
  });
});

describe("api call", () => {
  test("puts fields into the path, the query and the body of the request", async () => {
    const { run } = await createCli();
    const { requests, out } = await run(
      "api call createStorageVolume -f region=us-central-1 -f label=data -F sizeInGb=512 --sandbox",
    );
    expect(requests.at(-1)).toMatchObject({
      method: "POST",
      path: "/v2/on-demand/storage-volumes",
      body: { region: "us-central-1", label: "data", sizeInGb: 512 },
    });
    expect(JSON.parse(out)).toMatchObject({ id: 501, label: "data" });
    expect(requestLines((await run("api call getRental -f rentalId=1001 --sandbox")).requests)).toContain(
      "GET /v2/on-demand/rental?rentalId=1001",
    );
    expect(requestLines((await run("api call deleteSshKey -f id=7 --yes --sandbox")).requests)).toContain(
      "DELETE /v2/ssh-keys/7",
    );
  });

  test("reads nested fields, files and stdin", async () => {
    const { run, folder } = await createCli();
    await writeFile(join(folder, "label.txt"), "from-a-file");
    const dry = async (line: string, stdin = "") =>
      JSON.parse((await run(`api call POST /x ${line} --dry-run -o json --sandbox`, { stdin })).out).request
        .body;
    expect(
      await dry("-f a[b][c]=1 -F a[d]=2 -f l[]=x -F l[]=true -f o[][k]=1 -f o[][v]=2 -f o[][k]=3 -f e[]"),
    ).toEqual({
      a: { b: { c: "1" }, d: 2 },
      l: ["x", true],
      o: [{ k: "1", v: "2" }, { k: "3" }],
      e: [],
    });
    expect(
      await dry("-F n=null -F f=false -F x=-1.5e3 -F t=text -F file=@label.txt -F in=-", "piped"),
    ).toEqual({
      n: null,
      f: false,
      x: -1500,
      t: "text",
      file: "from-a-file",
      in: "piped",
    });
    expect(await dry("-f __proto__=1 -f a[constructor]=2")).toEqual(
      JSON.parse('{"__proto__":"1","a":{"constructor":"2"}}'),
    );
  });

  test.each([
    "-f a",
    "-f =1",
    "-f a[=1",
    "-f a=1 -f a=2",
    "-f a=1 -f a[b]=2",
    "-f a[]=1 -f a[b]=2",
    "-F a=12345678901234567890",
    "-F a=1e999",
    "-F a=@nowhere",
  ])("rejects %s and sends nothing", async (fields) => {
    const { run } = await createCli();
    expect(await run(`api call POST /x ${fields} --sandbox`)).toMatchObject({
      code: 2,
      out: "",
      requests: [],
    });
  });

  test.each(["-F text=@letter.txt", "-F text=-", "--input -"])(
    "sends nothing if %s is not text in UTF-8",
    async (flag) => {
      const { run, folder } = await createCli();
      const letter = Buffer.from([0x63, 0x61, 0x66, 0xe9]);
      await writeFile(join(folder, "letter.txt"), letter);
      const { code, err, requests } = await run(`api call generateAudio ${flag} --sandbox`, {
        stdin: letter,
      });
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(err).toContain("is not text in UTF-8\nConvert it to text in UTF-8 first. Nothing was sent.");
    },
  );

  test("sends the JSON of --input as the body, and fields in the query", async () => {
    const { run } = await createCli();
    const text = '{"gpuCount": 1e0, "label": "x"}';
    const { requests } = await run("api call createVirtualMachineRental --input - --no-input --sandbox", {
      stdin: text,
    });
    expect(requests.at(-1)?.body).toEqual({ gpuCount: 1, label: "x" });
    expect((await run("api call createVirtualMachineRental --input - --sandbox", { stdin: "{" })).code).toBe(
      2,
    );
    expect(
      (
        await run("api call POST /v2/x?a=1 -f b=2 -f c[d]=3 --input - --sandbox", { stdin: "{}" })
      ).requests.at(-1),
    ).toMatchObject({ query: { a: "1", b: "2", "c[d]": "3" }, body: {} });
  });

  test.each([
    ["createVirtualMachineRental --input - -F gpuCount=2", "gpuCount"],
    ["POST /v2/on-demand/virtual-machine-rentals --input - -f storageVolume[label]=x", "storageVolume"],
  ])("rejects %s, because --input is the whole body", async (line, field) => {
    const { run } = await createCli();
    const stdin = '{"gpuCount": 1}';
    const { code, err, requests } = await run(`api call ${line} --sandbox`, { stdin });
    expect(code).toBe(2);
    expect(err).toContain(
      `${field} is not a path, query or header parameter of this operation; --input is the whole body, so -f and -F can set only parameters`,
    );
    expect(err).not.toContain("is not a field");
    expect(requestLines(requests)).toEqual([`GET ${descriptionPath}`]);
  });

  test("validates the request against the description before it sends the request", async () => {
    const { run } = await createCli();
    const line =
      "api call createBareMetalRental -f networkType=token-ring -F gpuCount=9 -F storageVolume[isNew]=true -f storageVolume[label]=abcd --sandbox";
    const { code, out, err, requests } = await run(line);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(requestLines(requests)).toEqual([`GET ${descriptionPath}`]);
    expect(err).toContain("networkType must be one of infiniband, ethernet");
    expect(err).toContain("gpuCount must be a multiple of 8");
    expect(err).toContain("storageVolume[sizeInGb] is required");
    expect(await run(`${line} --no-validate`)).toMatchObject({ code: 6 });
  });

  test.each([
    ["createVirtualMachineRental -f gpuCount=1", "-F sends numbers"],
    ["getRental", "rentalId is required"],
    ["getRental -f rentalID=1 -f rentalId=2", "did you mean rentalId?"],
    ["listUsage -f limit=0", "limit"],
    ["listUsage -f limit=many", "limit"],
    [
      "convertToReserved -F rentalId=0 -F termPeriodDays=1 -F expectedTotalPriceCents=1",
      "rentalId must be more than 0, or must be a string",
    ],
    ["deleteSshKey", "the path needs id"],
    ["deleteSshKey -f id=..", "cannot be used in a path"],
    ["deleteSshKey -f id=", "cannot be used in a path"],
    ["GET '/v2/on-demand/rental?rentalId=1001' -f rentalId=2", "rentalId is given twice"],
    ["GET '/v2/x?tag=a' -f tag[]=b", "tag is given twice"],
    ["GET '/v2/x?a[b]=1' -f a[b]=2", "a[b] is given twice"],
    ["DELETE /v2/ssh-keys/7 -f id=8", "id is given twice"],
    ["POST /v2/x -f a[b]=1 -f a=2", "a conflicts with an earlier field"],
    ["POST /v2/x -f a[]=1 -f a=2", "a conflicts with an earlier field"],
    ["createVirtualMachineRental -F gpuCount=1 --paginate", "--paginate is for GET"],
    ["GET https://elsewhere.example/x", "PATH must be a path"],
    ["GET //elsewhere.example/x", "PATH must be a path"],
    // URL parsers drop tabs and line feeds: the first path would generate an image, the second would become /secret.
    ["POST '/\tv1/image/generation' -f prompt=cat", "PATH must be a path"],
    ["GET '/v2/.\n./secret'", "PATH must be a path"],
  ])("rejects %s: %s", async (line, expected) => {
    const { run } = await createCli();
    const { code, out, err } = await run(`api call ${line} --yes --sandbox`);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(expected);
  });

  test.each(["POST /v2/rentals/terminate", "POST /v2/rentals/%74erminate", "DELETE /v2/x"])(
    "requires --yes for %s, which may destroy something",
    async (line) => {
      const { run } = await createCli();
      const { code, err, requests } = await run(`api call ${line} --sandbox`);
      expect({ code, sent: requests.filter(({ method }) => method !== "GET") }).toEqual({
        code: 2,
        sent: [],
      });
      expect(err).toContain("--yes is required");
    },
  );

  test.each([
    ["deleteSshKey -f id=abc", "id must be a"],
    ["listUsage -f limit=many", "limit must be a"],
  ])("rejects %s without a suggestion to use -F, which would not help", async (line, expected) => {
    const { run } = await createCli();
    const { code, err } = await run(`api call ${line} --yes --sandbox`);
    expect(code).toBe(2);
    expect(err).toContain(expected);
    expect(err).not.toContain("-F sends");
  });

  test("accepts text for a number in the query", async () => {
    const { run } = await createCli();
    expect(await run("api call listUsage -f limit=5 --sandbox")).toMatchObject({ code: 0 });
  });

  test("suggests a similar operation if the ID is unknown", async () => {
    const { run } = await createCli();
    const { code, err } = await run("api call listSshKey --sandbox");
    expect(code).toBe(5);
    expect(err).toContain("Did you mean listSshKeys");
  });

  test("sends a request to a path that the description does not list, with a note", async () => {
    const { run } = await createCli();
    const { code, err, requests } = await run("api call GET /v2/nowhere?a=1&a=2#here --sandbox");
    expect(code).toBe(5);
    expect(err).toContain("the request is not checked");
    expect(requests.at(-1)).toMatchObject({ path: "/v2/nowhere" });
  });

  test.each(["/../secret", "/v2/%2E%2e/secret", "v2/./x", "/.."])(
    "rejects the path %s, because it has a dot segment",
    async (path) => {
      const { run } = await createCli();
      expect(await run(`api call GET ${path}`, overNetwork())).toMatchObject({ code: 2, requests: [] });
    },
  );

  test("asks for confirmation before a destructive call", async () => {
    const { run } = await createCli();
    const line = "api call deleteSshKey -f id=1 --sandbox";
    const rejected = await run(line);
    expect(rejected.code).toBe(2);
    expect(rejected.err).toContain("--yes");
    expect(requestLines(rejected.requests)).toEqual([`GET ${descriptionPath}`]);
    const questions: string[] = [];
    const confirm = async ({ message }: { message: string }) => {
      questions.push(message);
      return false;
    };
    expect((await run(line, { terminal: 80, prompts: { confirm } })).code).toBe(130);
    expect(questions.join()).toContain("DELETE /v2/ssh-keys/1");
    const terminate = "api call terminateVirtualMachineRental -F rentalId=1001 --sandbox";
    expect((await run(terminate)).code).toBe(2);
    expect((await run(`${terminate} --yes`)).code).toBe(6);
  });

  test.each([
    ["createVirtualMachineRental -F gpuCount=1", "POST /v2/on-demand/virtual-machine-rentals"],
    ["POST /v2/on-demand/rentals -f rentalType=bare-metal -F gpuCount=8", "POST /v2/on-demand/rentals"],
    [
      "extendReserved -F rentalId=1 -F termPeriodDays=30 -F expectedTotalPriceCents=1 -f expectedReservedUntil=2027-01-01T00:00:00Z",
      "POST /v2/on-demand/extend-reserved",
    ],
  ])("asks on a terminal before a call that costs money: %s", async (line, what) => {
    const { run } = await createCli();
    const questions: string[] = [];
    const confirm = async ({ message }: { message: string }) => questions.push(message) < 0;
    const call = `api call ${line} --sandbox --no-validate`;
    const rejected = await run(call, { terminal: 80, prompts: { confirm } });
    expect(rejected.code).toBe(130);
    expect(questions).toEqual([`Send ${what}? It costs money. (Sandbox: no real resources are affected.)`]);
    expect(rejected.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    for (const rest of ["", " --yes"]) {
      const { requests } = await run(call + rest);
      expect(requests.filter(({ method }) => method !== "GET")).toHaveLength(1);
    }
  });

  test("asks on a terminal for the name of the profile before it deletes the user", async () => {
    const { run, sandbox } = await createCli();
    const before = sandbox.snapshot();
    const text = async () => "yes";
    const { code } = await run("api call DELETE /v2/users/me --sandbox", { terminal: 80, prompts: { text } });
    expect(code).toBe(130);
    expect(sandbox.snapshot()).toEqual(before);
  });

  test("prints the status and the headers first with --include", async () => {
    const { run } = await createCli({ respond: always(201, { id: 7 }, { "x-request-id": "abc" }) });
    const { out } = await run("api call POST /v2/x -i", overNetwork());
    expect(out).toBe(
      'HTTP/1.1 201 Created\ncontent-type: application/json\nx-request-id: abc\n\n{\n  "id": 7\n}\n',
    );
  });

  test("prints a body that is not JSON unchanged, and nothing if the body is empty", async () => {
    const bytes = Buffer.from([0, 255, 10, 27]);
    const { run } = await createCli({
      respond: ({ method }) => (method === "GET" ? new Response(bytes) : new Response(null, { status: 204 })),
    });
    const file = await run("api call GET /v2/file", overNetwork());
    expect({ code: file.code, bytes: file.bytes }).toEqual({ code: 0, bytes });
    expect(await run("api call PUT /v2/file", overNetwork())).toMatchObject({ code: 0, out: "" });
    const shown = await run("api call GET /v2/file", { ...overNetwork(), terminal: 80 });
    expect(shown.out).not.toContain("\u001b");
  });

  test("retries reads, but not writes", async () => {
    const { run } = await createCli({ respond: always(503, "") });
    const get = await run("api call GET /v2/x", overNetwork());
    expect(get.code).toBe(7);
    expect(get.requests.filter(({ path }) => path === "/v2/x")).toHaveLength(4);
    const post = await run("api call POST /v2/x", overNetwork());
    expect(post.code).toBe(10);
    expect(post.requests.filter(({ path }) => path === "/v2/x")).toHaveLength(1);
  });

  test("sends paths under /v1/ to the inference host", async () => {
    const { run } = await createCli();
    const env = { GPUCTL_INFERENCE_BASE_URL: "https://inference.example.com/x" };
    const { out } = await run("api call GET /v1/models --dry-run -o json", overNetwork(env));
    expect(JSON.parse(out).request.url).toBe("https://inference.example.com/x/v1/models");
  });

  test("shows the request in a dry run, and sends nothing", async () => {
    const { run } = await createCli();
    const { code, out, requests } = await run("api call getRental -f rentalId=1 --dry-run", overNetwork());
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(out).toContain("GET https://api.example.com/v2/on-demand/rental?rentalId=1");
    expect(out).not.toContain("secret");
  });

  test("uses the documented operations if the service has no description", async () => {
    const { run } = await createCli({
      respond: service({ "GET /v2/on-demand/rental": () => Response.json({ id: 1 }) }),
    });
    const { code, err } = await run("api call getRental -f rentalId=1", overNetwork());
    expect(code).toBe(0);
    expect(err).toContain("Using the one in this version of gpuctl");
  });

  test("combines all pages into one array with --paginate", async () => {
    const { run } = await createCli();
    for (let made = 0; made < 5; made += 1) await run("rentals create vm --gpus 1 --yes --sandbox");
    const { out, requests } = await run("api call listUsage -f limit=2 --paginate --sandbox");
    expect(JSON.parse(out).map(({ rentalId }: { rentalId: number }) => rentalId)).toEqual([
      1001, 1002, 1003, 1004, 1005,
    ]);
    expect(requestLines(requests).filter((line) => line.includes("usage"))).toHaveLength(3);
  });

  test.each([
    [
      "nextPageToken",
      (at: number) => ({ data: [at], nextPageToken: at < 3 ? String(at + 1) : "" }),
      "pageToken",
    ],
    ["page and totalPages", (at: number) => ({ results: [at], page: at, totalPages: 3 }), "page"],
    [
      "pagination.next_cursor",
      (at: number) => ({ keys: [at], pagination: { next_cursor: at < 3 ? at + 1 : null } }),
      "cursor",
    ],
    [
      "hasMore, even if the last page has a token",
      (at: number) => ({ items: [at], has_more: at < 3, next_cursor: String(at + 1) }),
      "cursor",
    ],
    [
      "hasMore and a cursor",
      (at: number) => ({ items: [at], hasMore: at < 3, cursor: String(at + 1) }),
      "cursor",
    ],
  ])("follows pages by %s", async (_name, page, parameter) => {
    const { run } = await createCli({
      respond: ({ query }) => Response.json(page(Number(query[parameter] ?? 1))),
    });
    expect(JSON.parse((await run("api call GET /v2/things --paginate", overNetwork())).out)).toEqual([
      1, 2, 3,
    ]);
  });

  test("stops if a page repeats", async () => {
    const { run } = await createCli({ respond: () => Response.json({ items: [1], nextCursor: "again" }) });
    const { out, err } = await run("api call GET /v2/things --paginate", overNetwork());
    expect(JSON.parse(out)).toEqual([1, 1]);
    expect(err).toContain("There may be more");
  });
});

test("api call creates an API key that works, and that is refused with 401 after it is revoked", async () => {
  const { run } = await createCli();
  const made = await run("api call createApiKey -f name=ci --sandbox");
  const { id, apiKey } = JSON.parse(made.out);
  const env = { GPUCTL_API_KEY: apiKey };
  expect((await run("volumes list --sandbox", { env })).code).toBe(0);
  expect((await run(`api call revokeApiKey -F id=${id} --yes --sandbox`)).code).toBe(0);
  expect((await run("volumes list --sandbox", { env })).code).toBe(3);
});

test("api call adds an SSH key that is listed until it is deleted", async () => {
  const { run } = await createCli();
  const added = await run("api call createSshKey -f name=laptop -f 'publicKey=ssh-ed25519 AAAA' --sandbox");
  const { id } = JSON.parse(added.out);
  const listed = async () => JSON.parse((await run("api call listSshKeys --sandbox")).out);
  expect(await listed()).toMatchObject([{ id, name: "laptop" }]);
  expect((await run(`api call deleteSshKey -F id=${id} --yes --sandbox`)).code).toBe(0);
  expect(await listed()).toEqual([]);
});

test("api call fails if a response has the content type of JSON but is not JSON", async () => {
  const { run } = await createCli();
  await run("sandbox fault add --operation getBalance --garbage --times 2");
  for (const flags of ["", "--jq .x"]) {
    expect(await run(`api call getBalance --sandbox ${flags}`)).toMatchObject({ code: 7, out: "" });
  }
});
