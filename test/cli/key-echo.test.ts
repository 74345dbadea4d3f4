import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { createCli } from "../support/cli.ts";
import { serviceUrl } from "../support/service.ts";

const key = "sk-said-back-0123456789";
const env = { GPUCTL_API_KEY: key, GPUCTL_BASE_URL: serviceUrl };

describe("a key echoed by the service is never printed", () => {
  test.each([
    ["rentals list", 401, exit.credential],
    ["rentals list -o json", 401, exit.credential],
    ["rentals list --debug", 403, exit.forbidden],
    ["rentals history", 401, exit.credential],
    ["rentals create vm --gpus 1", 500, exit.unknownOutcome],
    ["auth status", 401, exit.credential],
    ["api call GET /v2/balances", 401, exit.credential],
    ["chat Hello --model llama", 401, exit.credential],
    ["doctor", 401, exit.fault],
  ])("%s, status %i", async (line, status, exitCode) => {
    const { run } = await createCli({
      respond: ({ headers }) =>
        Response.json({ code: "NO", message: `${headers.authorization} is bad`, issues: [] }, { status }),
    });
    const { code, out, err } = await run(line, { env });
    expect(code).toBe(exitCode);
    expect(out + err).not.toContain(key);
  });

  test("also not if it has only eight characters", async () => {
    const short = "k3y-8chr";
    const { run } = await createCli({
      respond: () => Response.json({ code: "NO", message: `${short} is bad`, issues: [] }, { status: 401 }),
    });
    const { code, err } = await run("rentals list", { env: { ...env, GPUCTL_API_KEY: short } });
    expect(code).toBe(exit.credential);
    expect(err).toContain("**** is bad");
    expect(err).not.toContain(short);
  });

  test("also not if it is written with escapes of escapes of escapes", async () => {
    const each = (text: string, way: (code: number) => string) =>
      [...text].map((one) => way(one.charCodeAt(0))).join("");
    const asUrl = each(key, (code) => `%${code.toString(16)}`);
    const asJson = each(asUrl, (code) => `\\u${code.toString(16).padStart(4, "0")}`);
    const asHtml = each(asJson, (code) => `&#${code};`);
    const { run } = await createCli({
      respond: () => Response.json({ code: "NO", message: `${asHtml} is bad`, issues: [] }, { status: 401 }),
    });
    const { code, err } = await run("rentals list", { env });
    expect(code).toBe(exit.credential);
    expect(err).toContain("Error: **** is bad");
  });

  test("also not when the response is not JSON or is truncated", async () => {
    const stream = `data: {"error":{"message":"${key}"}}\n\n`;
    for (const [body, line, exitCode] of [
      [`<html>${key}`, "rentals summary", exit.service],
      [`<html>${key}`, "chat Hello --model llama", exit.network],
      [stream, "rentals summary", exit.service],
      [stream, "chat Hello --model llama", exit.network],
    ] as const) {
      const { run } = await createCli({ respond: () => new Response(body) });
      const { code, out, err } = await run(line, { env });
      expect(code, line).toBe(exitCode);
      expect(out + err).not.toContain(key);
    }
  });
});
