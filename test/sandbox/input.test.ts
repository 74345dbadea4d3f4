import { expect, test } from "vitest";
import { negativeInputs } from "../support/negative.ts";
import { badRequest, everyOperation, openSandbox, origin } from "./harness.ts";

test.each(everyOperation.flatMap((id) => negativeInputs(id)))(
  "$operation returns 400 when $path breaks $limit",
  async ({ operation, path, input }) => {
    const sandbox = await openSandbox();
    const response = await sandbox.call(operation, input);
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text).toMatch(/^\{"code":"BAD_REQUEST","message":"Invalid input data","issues":\[\{"path":/);
    const { issues } = badRequest.parse(JSON.parse(text));
    for (const issue of issues) expect(issue.path.slice(0, path.length)).toEqual(path);
  },
);

const post = async (body: string, contentType = "application/json") => {
  const sandbox = await openSandbox();
  const headers = { authorization: `Bearer ${sandbox.keys.full}`, "content-type": contentType };
  const url = `${origin}/v2/on-demand/request-reservation`;
  return sandbox.fetch(new Request(url, { method: "POST", headers, body }));
};

test.each(['{"gpuCount": 8', "", "[8]", "null", '"8"', "8"])("the body %j is rejected", async (body) => {
  const response = await post(body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: [] }] });
});

test.each(["application/json; charset=utf-8", "application/x-www-form-urlencoded", "text/plain"])(
  "a body with the content type %s is parsed as JSON",
  async (contentType) => {
    expect((await post('{"gpuCount": 8}', contentType)).status).toBe(200);
  },
);

test("a body over 32 MiB gets a 413 in the service's error format", async () => {
  const response = await post(JSON.stringify({ gpuCount: 8, padding: "x".repeat(32 * 1024 * 1024) }));
  expect(response.status).toBe(413);
  expect(await response.json()).toEqual({
    code: "PAYLOAD_TOO_LARGE",
    message: "Request body is too large",
    issues: [],
  });
});

test.each([
  ["lists in lists", "[".repeat(200_000)],
  ["objects in objects", '{"a":'.repeat(200_000)],
  ["items", `{"a":[${"0,".repeat(200_000)}0]}`],
])("a body with too many %s is refused before it is parsed", async (_, body) => {
  const message = "the body has more than 100000 values";
  expect(await (await post(body)).json()).toMatchObject({ issues: [{ path: [], message }] });
});

test.each(["a comma, ", 'a quote \\" and a [', "a backslash \\\\"])(
  "the characters of a string do not count as values: %j",
  async (text) => {
    const body = `{"gpuCount": 8, "padding": "${text.repeat(150_000)}"}`;
    expect((await post(body)).status).toBe(200);
  },
);

test.each(["true", "false"])("includeClusterPools accepts %s", async (includeClusterPools) => {
  const sandbox = await openSandbox();
  expect((await sandbox.call("listVirtualMachineRentals", { includeClusterPools })).status).toBe(200);
});

test("a repeated query field is rejected", async () => {
  const sandbox = await openSandbox();
  const headers = { authorization: `Bearer ${sandbox.keys.full}` };
  const url = `${origin}/v2/on-demand/rental?rentalId=1&rentalId=2`;
  const response = await sandbox.fetch(new Request(url, { headers }));
  expect(await response.json()).toMatchObject({
    issues: [{ path: ["rentalId"], message: "must be a string" }],
  });
});
