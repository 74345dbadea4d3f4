import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { createCli } from "../support/cli.ts";
import { description, descriptionPath, requestLines, service } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEV4YW1wbGU= ada@laptop";

/** A CLI whose folder has a public key file with this content. */
async function withFile(content: string) {
  const cli = await createCli();
  await writeFile(join(cli.folder, "id_ed25519.pub"), content);
  return cli;
}

describe("ssh-keys", () => {
  test("adds, lists and removes a key", async () => {
    const { run } = await withFile(`${publicKey}\n`);
    const added = await run("ssh-keys add id_ed25519.pub --sandbox -o json");
    expect({ code: added.code, data: JSON.parse(added.out) }).toMatchObject({
      code: 0,
      data: { id: 1, name: "ada@laptop", publicKey },
    });
    const listed = await run("ssh-keys list --sandbox");
    expect(listed.out).toMatch(/^ID +NAME +FINGERPRINT +CREATED\n1 +ada@laptop +SHA256:\S{43} /);
    expect(await run("rentals create vm --gpus 1 --ssh-public-key-ids 1 --yes --sandbox")).toMatchObject({
      code: 0,
    });
    expect(await run("ssh-keys remove ada@laptop --yes --sandbox")).toMatchObject({ code: 0 });
    expect(JSON.parse((await run("ssh-keys list --sandbox -o json")).out)).toEqual([]);
  });

  test("uses --name, or else the name of the file, as the name of a key without a comment", async () => {
    const { run } = await withFile("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEV4YW1wbGU=");
    await run("ssh-keys add id_ed25519.pub --sandbox");
    await run("ssh-keys add id_ed25519.pub --name work --sandbox");
    const { out } = await run("ssh-keys list --sandbox --jq .[].name");
    expect(out).toBe("id_ed25519\nwork\n");
  });

  test.each([
    ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n", "id_ed25519.pub holds a private key"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n", "must stay on this machine"],
    ["-----BEGIN PRIVATE KEY-----\nMIIE\n", "must stay on this machine"],
    ["PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n", "must stay on this machine"],
    [`${publicKey}\n${publicKey}\n`, "FILE must hold one public key"],
    ["hello", "does not hold an SSH public key"],
    ["", "does not hold an SSH public key"],
  ])("rejects a file with %j, and sends nothing", async (content, message) => {
    const { run } = await withFile(content);
    for (const flags of content.includes("rivate") ? ["", " --no-validate"] : [""]) {
      const { code, err, requests } = await run(`ssh-keys add id_ed25519.pub --sandbox${flags}`);
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(err).toContain(message);
      expect(err).not.toContain("MIIE");
    }
  });

  test("names the key in the confirmation prompt of remove, and requires a unique name", async () => {
    const { run } = await withFile(publicKey);
    for (let count = 0; count < 2; count += 1) await run("ssh-keys add id_ed25519.pub --sandbox");
    const twice = await run("ssh-keys remove ada@laptop --yes --sandbox");
    expect(twice.code).toBe(2);
    expect(twice.err).toContain('KEY "ada@laptop" is the name of 2 keys: 1, 2');
    expect((await run("ssh-keys remove 2 --sandbox")).err).toContain("Remove the SSH key 2 (ada@laptop)?");
    const unknown = await run("ssh-keys remove nobody --yes --sandbox");
    expect(unknown.code).toBe(5);
    expect(unknown.err).toContain('SSH key "nobody" not found: it is neither an ID nor a name');
  });
});

describe("api-keys", () => {
  test("creates a key and prints its value once, lists keys and revokes a key", async () => {
    const { run } = await createCli();
    const created = await run("api-keys create ci --access read-only --sandbox --debug");
    const value = /KEY: +(\S+)/.exec(created.out)?.[1] ?? "";
    expect({ code: created.code, value }).toEqual({
      code: 0,
      value: expect.stringMatching(/^gpuctl-sandbox-/),
    });
    expect(created.err).toContain("Save the value now: it is not shown again.");
    expect(created.err).not.toContain(value);
    const listed = await run("api-keys list --sandbox -o json");
    expect(JSON.parse(listed.out).at(-1)).toMatchObject({ name: "ci", access: "read-only" });
    expect(listed.out).not.toContain(value);
    const revoked = await run("api-keys revoke ci --sandbox", {
      terminal: 80,
      prompts: { confirm: async ({ message }) => message.includes("Revoke the API key 3 (ci)?") },
    });
    expect(revoked.code).toBe(0);
    expect((await run("rentals list", overNetwork({ GPUCTL_API_KEY: value }))).code).toBe(3);
  });

  test("rejects a value of --access that the description does not list, and creates no key", async () => {
    const { run } = await createCli();
    const { code, err, requests } = await run("api-keys create ci --access everything --sandbox");
    expect({ code, writes: requests.filter(({ method }) => method !== "GET") }).toEqual({
      code: 2,
      writes: [],
    });
    expect(err).toContain("--access must be");
  });
});

describe("with a third-party service", () => {
  test("ssh-keys list keeps all digits of an ID", async () => {
    const keys = `[{"id":9007199254740993,"name":"a","publicKey":"${publicKey}"}]`;
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ "GET /v2/ssh-keys": {} })),
        "GET /v2/ssh-keys": () => new Response(keys, { headers: { "content-type": "application/json" } }),
      }),
    });
    expect((await run("ssh-keys list -o id", overNetwork())).out).toBe("9007199254740993\n");
    expect((await run("ssh-keys list", overNetwork())).out).toContain("9007199254740993");
  });

  const lines = [
    ["ssh-keys list", "the service lists no operation to list SSH keys"],
    ["ssh-keys add id_ed25519.pub", "the service lists no operation to create SSH keys"],
    ["ssh-keys remove 1 --yes", "the service lists no operation to remove SSH keys"],
    ["api-keys list", "the service lists no operation to list API keys"],
    ["api-keys create ci", "the service lists no operation to create API keys"],
    ["api-keys revoke 1 --yes", "the service lists no operation to revoke API keys"],
    ["billing balance", "the service lists no operation to show the balance"],
    ["billing usage --plot", "the service lists no operation to show the usage"],
    ["billing invoices", "the service lists no operation to show invoices"],
  ] as const;

  test.each(lines)("without the operation, %s fails after one request", async (line, message) => {
    const cli = await createCli({
      respond: service({ [`GET ${descriptionPath}`]: () => Response.json(description({})) }),
    });
    await writeFile(join(cli.folder, "id_ed25519.pub"), publicKey);
    const { code, err, requests } = await cli.run(line, overNetwork());
    expect(code).toBe(5);
    expect(err).toContain(`Error: ${message}\nUse the service's dashboard.`);
    expect(requestLines(requests)).toEqual([`GET ${descriptionPath}`]);
  });

  test.each(lines)("without a description, %s fails", async (line) => {
    const cli = await createCli({ respond: service({}) });
    await writeFile(join(cli.folder, "id_ed25519.pub"), publicKey);
    const { code, err } = await cli.run(`${line} -o json`, overNetwork());
    expect(code).toBe(5);
    expect(JSON.parse(err).error.code).toBe("NO_DESCRIPTION");
  });

  const body = (properties: object, required: readonly string[] = []) => ({
    requestBody: { content: { "application/json": { schema: { type: "object", properties, required } } } },
  });

  test.each([
    ["ssh-keys remove", "DELETE /v2/ssh-keys/{id}"],
    ["api-keys revoke", "DELETE /v2/api-keys/{id}"],
  ])("%s accepts only an ID if the list is incomplete", async (command, operation) => {
    const path = operation.replace(/\w+ (.*)\/.*/, "$1");
    const paths = {
      [`GET ${path}`]: {},
      [operation]: { parameters: [{ name: "id", in: "path", required: true }] },
    };
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description(paths)),
        [`GET ${path}`]: () => Response.json({ data: [{ id: 7, name: "ci" }], total: 51 }),
        [`DELETE ${path}/7`]: () => Response.json({ success: true }),
      }),
    });
    const byName = await run(`${command} ci --yes`, overNetwork());
    expect(byName.code).toBe(7);
    expect(byName.err).toContain('is incomplete, and "ci" is not an ID in it');
    expect(byName.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect((await run(`${command} 7 --yes`, overNetwork())).code).toBe(0);
  });

  test("the commands for keys send the requests that the description defines, with other paths and field names", async () => {
    const cli = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () =>
          Response.json(
            description({
              "GET /v2/users/me/ssh-keys": {},
              "POST /v2/users/me/ssh-keys/add": body({ title: {}, public_key: {} }, ["title", "public_key"]),
              "DELETE /v2/users/me/ssh-keys/{keyId}": {},
              "GET /v2/api-keys": {},
              "POST /v2/api-keys/revoke": body({ keyId: { type: "integer" } }),
            }),
          ),
        "GET /v2/users/me/ssh-keys": () => Response.json({ data: [{ id: "k-1", title: "ada" }] }),
        "POST /v2/users/me/ssh-keys/add": () => Response.json({ id: "k-2" }),
        "DELETE /v2/users/me/ssh-keys/k-1": () => new Response(null, { status: 204 }),
        "GET /v2/api-keys": () => Response.json([{ id: 7, name: "ci" }]),
        "POST /v2/api-keys/revoke": () => Response.json({ ok: true }),
      }),
    });
    await writeFile(join(cli.folder, "id_ed25519.pub"), publicKey);
    const added = await cli.run("ssh-keys add id_ed25519.pub -o id", overNetwork());
    expect({ out: added.out, body: added.requests.at(-1)?.body }).toEqual({
      out: "k-2\n",
      body: { title: "ada@laptop", public_key: publicKey },
    });
    expect(await cli.run("ssh-keys remove ada --yes", overNetwork())).toMatchObject({ code: 0 });
    const revoked = await cli.run("api-keys revoke ci --yes", overNetwork());
    expect(revoked.requests.at(-1)).toMatchObject({ path: "/v2/api-keys/revoke", body: { keyId: 7 } });
  });

  test.each([
    ["api-keys revoke 7 --yes", "false"],
    ["api-keys revoke 7 --yes", "null"],
    ["ssh-keys remove 7 --yes", '"later"'],
  ])("%s has an unknown outcome if the response is %s", async (line, reply) => {
    const respondJson = () => new Response(reply, { headers: { "Content-Type": "application/json" } });
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () =>
          Response.json(
            description({
              "GET /v2/keys/api-keys": {},
              "DELETE /v2/keys/api-keys/{id}": {},
              "GET /v2/keys/ssh-keys": {},
              "DELETE /v2/keys/ssh-keys/{id}": {},
            }),
          ),
        "GET /v2/keys/api-keys": () => Response.json([{ id: 7, name: "ci" }]),
        "DELETE /v2/keys/api-keys/7": respondJson,
        "GET /v2/keys/ssh-keys": () => Response.json([{ id: 7, name: "laptop" }]),
        "DELETE /v2/keys/ssh-keys/7": respondJson,
      }),
    });
    const { code, err } = await run(line, overNetwork());
    expect({ code, err }).toEqual({
      code: exit.unknownOutcome,
      err: expect.stringContaining("the outcome is unknown: the response is not an object"),
    });
  });

  test("ssh-keys add fails if the operation requires more fields", async () => {
    const cli = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () =>
          Response.json(
            description({ "POST /v2/ssh-keys": body({ name: {}, key: {}, team: {} }, ["team"]) }),
          ),
      }),
    });
    await writeFile(join(cli.folder, "id_ed25519.pub"), publicKey);
    const { code, err, requests } = await cli.run("ssh-keys add id_ed25519.pub", overNetwork());
    expect({ code, sent: requests.length }).toEqual({ code: 5, sent: 1 });
    expect(err).toContain("does not accept, or also requires, these fields: team");
  });
});

test.each([
  ["ssh-keys remove .. --yes", "DELETE /v2/ssh-keys/{id}", "GET /v2/ssh-keys", [{ id: ".." }]],
  ["api-keys revoke .. --yes", "DELETE /v2/api-keys/{id}", "GET /v2/api-keys", [{ id: ".." }]],
  [
    "rentals terminate .. --yes",
    "DELETE /v2/on-demand/rentals/{id}",
    "GET /v2/on-demand/rental",
    { id: ".." },
  ],
])(
  "%s is rejected, because the ID would change the path of the request",
  async (line, operation, read, response) => {
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(description({ [operation]: {}, [read]: {} })),
        [read]: () => Response.json(response),
        "DELETE /v2/": () => Response.json({}),
        "DELETE /v2/on-demand/": () => Response.json({}),
      }),
    });
    const { code, err, requests } = await run(line, overNetwork());
    expect({ code, writes: requests.filter(({ method }) => method !== "GET") }, err).toEqual({
      code: 2,
      writes: [],
    });
    expect(err).toContain("id cannot be used in a path");
  },
);

test("api-keys create rejects -o id, which would lose the value of the key", async () => {
  const { run } = await createCli();
  const { code, err, out, requests } = await run("api-keys create ci -o id --sandbox");
  expect({ code, out, requests }).toEqual({ code: 2, out: "", requests: [] });
  expect(err).toContain("the value of the key would be lost\nNothing was sent. Use --output json.");
});

test.each([
  ["in another field", { id: 7, name: "ci", secretKey: "new-key-value" }],
  ["beside an object", { key: { id: 7, name: "ci" }, token: "new-key-value" }],
  ["beside the ID of the key", { id: 7, key: "ak_12", secret: "new-key-value" }],
  ["in an inner object", { success: true, data: { id: 7, name: "ci", key: "new-key-value" } }],
])("api-keys create prints the value of the key if the service sends it %s", async (_name, created) => {
  const listed = description({ "GET /v2/api-keys": {}, "POST /v2/api-keys": {} });
  for (const output of ["", "-o csv", "-o tsv"]) {
    const { run } = await createCli({
      respond: service({
        [`GET ${descriptionPath}`]: () => Response.json(listed),
        "POST /v2/api-keys": () => Response.json(created),
      }),
    });
    const { code, out, err } = await run(`api-keys create ci --no-validate ${output}`, overNetwork());
    expect(code, err).toBe(0);
    expect(out).toContain("new-key-value");
  }
});
