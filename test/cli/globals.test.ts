import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { always, key, overNetwork, serviceUrl } from "../support/service.ts";

const listing = "GET https://api.example.com/v2/on-demand/storage-volumes";

describe("global flags are accepted anywhere on the line", () => {
  test.each([
    "--sandbox -o id volumes list",
    "volumes --sandbox -o id list",
    "volumes list --sandbox -o id",
    "volumes list --output=id --sandbox",
    "-o json volumes list --sandbox -o id",
    "volumes -oid list --sandbox",
  ])("%s", async (line) => {
    const { run } = await createCli();
    await run("volumes create --region us-central-1 --label data-1 --size-in-gb 256 --sandbox");
    expect(await run(line)).toMatchObject({ code: 0, out: "501\n", err: "" });
  });

  test("between the words of a three-word command", async () => {
    const { run } = await createCli();
    expect(await run("rentals --sandbox create -q vm --gpus 1 -o id")).toMatchObject({
      code: 0,
      out: "1001\n",
    });
  });
});

describe("the settings of a command", () => {
  async function withProfile() {
    const cli = await createCli({ respond: always(200, []) });
    await cli.run(
      "auth login --with-token --no-validate --profile work --base-url https://profile.example.com",
      {
        stdin: "k-1",
      },
    );
    const urlOf = async (line: string, env: Record<string, string> = {}) => {
      const { out } = await cli.run(`volumes list --dry-run -o json ${line}`, { env });
      return JSON.parse(out).request.url.split("/v2")[0];
    };
    return { ...cli, urlOf };
  }

  test("the base URL comes from the flag, else from the environment, else from the profile", async () => {
    const { urlOf } = await withProfile();
    const env = { GPUCTL_BASE_URL: "https://env.example.com" };
    expect(await urlOf("--base-url https://flag.example.com", env)).toBe("https://flag.example.com");
    expect(await urlOf("", env)).toBe("https://env.example.com");
    expect(await urlOf("")).toBe("https://profile.example.com");
    expect(await urlOf("", { GPUCTL_PROFILE: "work" })).toBe("https://profile.example.com");
  });

  test("the path of the base URL is preserved", async () => {
    const { urlOf } = await withProfile();
    expect(await urlOf("--base-url https://api.example.com/compute/")).toBe(
      "https://api.example.com/compute",
    );
  });

  test("the output format comes from the flag, else from the environment", async () => {
    const { run } = await createCli();
    const env = { GPUCTL_OUTPUT: "json", GPUCTL_SANDBOX: "1" };
    expect((await run("volumes list", { env })).out).toBe("[]\n");
    expect((await run("volumes list -o id", { env })).out).toBe("");
  });

  test("inference uses the base URL if there is no inference base URL", async () => {
    const { run } = await createCli();
    const url = async (env: Record<string, string>) =>
      JSON.parse((await run("tts Hi --dry-run -o json", { env })).out).request.url;
    expect(await url({ GPUCTL_BASE_URL: "https://a.example" })).toBe("https://a.example/v1/audio/generation");
    expect(
      await url({ GPUCTL_BASE_URL: "https://a.example", GPUCTL_INFERENCE_BASE_URL: "https://b.example/x" }),
    ).toBe("https://b.example/x/v1/audio/generation");
  });

  test("the key goes to the service as a bearer credential", async () => {
    const { run } = await createCli({ respond: always(200, []) });
    const { requests } = await run("volumes list", overNetwork());
    expect(requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      "user-agent": "gpuctl/0.0.0-test",
    });
  });

  test("--base-url turns off the sandbox that the environment selects", async () => {
    const { run } = await createCli();
    const env = { GPUCTL_SANDBOX: "1" };
    expect((await run(`volumes list --base-url ${serviceUrl} --dry-run`, { env })).out).toContain(listing);
  });
});

describe("invalid values are reported with their source", () => {
  test.each([
    [{ GPUCTL_OUTPUT: "xml" }, "GPUCTL_OUTPUT"],
    [{ GPUCTL_BASE_URL: "api.example.com" }, "GPUCTL_BASE_URL"],
    [{ GPUCTL_INFERENCE_BASE_URL: "file:///etc" }, "GPUCTL_INFERENCE_BASE_URL"],
    [{ GPUCTL_TIMEOUT: "soon" }, "GPUCTL_TIMEOUT"],
    [{ GPUCTL_RETRIES: "many" }, "GPUCTL_RETRIES"],
    [{ GPUCTL_PROFILE: "nowhere" }, "GPUCTL_PROFILE"],
  ])("%j", async (env, name) => {
    const { run } = await createCli();
    const { code, out, err, requests } = await run("volumes list", { env });
    expect({ code, out, requests }).toEqual({ code: 2, out: "", requests: [] });
    expect(err).toContain(name);
  });

  test.each([
    "--output xml",
    "--timeout 0s",
    "--retries -1",
    "--color maybe",
    "--profile nowhere",
    "--base-url x",
  ])("%s", async (flag) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(`volumes list ${flag}`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(flag.split(" ")[0]);
  });

  test("--sandbox and --base-url cannot be used together", async () => {
    const { run } = await createCli();
    const { code, err } = await run(`volumes list --sandbox --base-url ${serviceUrl}`);
    expect(code).toBe(2);
    expect(err).toContain("--sandbox and --base-url cannot be used together");
    expect(await run(`tts Hi --sandbox --inference-base-url ${serviceUrl}`)).toMatchObject({
      code: 2,
      requests: [],
    });
  });
});

describe("nothing is sent", () => {
  test("without a base URL: gpuctl exits with 3 and says how to set one", async () => {
    const { run } = await createCli();
    const { code, err, requests } = await run("volumes list", { env: { GPUCTL_API_KEY: key } });
    expect({ code, requests }).toEqual({ code: 3, requests: [] });
    expect(err).toContain("--sandbox");
    expect(err).toContain("gpuctl setup");
  });

  test("without a key: gpuctl exits with 3", async () => {
    const { run } = await createCli();
    const { code, err, requests } = await run("volumes list", { env: { GPUCTL_BASE_URL: serviceUrl } });
    expect({ code, requests }).toEqual({ code: 3, requests: [] });
    expect(err).toContain("GPUCTL_API_KEY");
  });

  test("over plain http to another machine, unless --insecure-http is given", async () => {
    const { run } = await createCli({ respond: always(200, []) });
    const line = "volumes list --base-url http://api.example.com";
    const options = { env: { GPUCTL_API_KEY: key } };
    expect(await run(line, options)).toMatchObject({ code: 2, requests: [] });
    expect(await run(`${line} --insecure-http`, options)).toMatchObject({ code: 0 });
    expect(await run("volumes list --base-url http://127.0.0.1:9", options)).toMatchObject({ code: 0 });
  });
});

test("--debug shows requests and never the key", async () => {
  const { run } = await createCli({ respond: always(200, []) });
  const { err, out } = await run("volumes list --debug", overNetwork());
  expect(err).toMatch(/GET https:\/\/api\.example\.com\/v2\/on-demand\/storage-volumes -> 200 in \d+ ms/);
  expect(out + err).not.toContain(key);
});
