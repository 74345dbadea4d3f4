import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { serviceUrl } from "../support/service.ts";

const key = "sk-said-back-0123456789";
const env = { GPUCTL_API_KEY: key, GPUCTL_BASE_URL: serviceUrl };

describe("a key echoed by the service is never printed", () => {
  test.each([
    ["rentals list", 401],
    ["rentals list -o json", 401],
    ["rentals list --debug", 403],
    ["rentals history", 401],
    ["rentals create vm --gpus 1", 500],
    ["auth status", 401],
    ["api call GET /v2/balances", 401],
    ["chat Hello --model llama", 401],
    ["doctor", 401],
  ])("%s, status %i", async (line, status) => {
    const { run } = await createCli({
      respond: ({ headers }) =>
        Response.json({ code: "NO", message: `${headers.authorization} is bad`, issues: [] }, { status }),
    });
    const { code, out, err } = await run(line, { env });
    expect(code).not.toBe(0);
    expect(out + err).not.toContain(key);
  });

  test("also not when the response is not JSON or is truncated", async () => {
    for (const body of [`<html>${key}`, `data: {"error":{"message":"${key}"}}\n\n`]) {
      const { run } = await createCli({ respond: () => new Response(body) });
      for (const line of ["rentals summary", "chat Hello --model llama"]) {
        const { code, out, err } = await run(line, { env });
        expect(code).not.toBe(0);
        expect(out + err).not.toContain(key);
      }
    }
  });
});
