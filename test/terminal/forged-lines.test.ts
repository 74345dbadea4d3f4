import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const forged = "ok\nFAKE line\r\nFAKE again\u2028FAKE too";

describe("a line break from the service does not start a new line in a message", () => {
  const failed = { code: "BAD", message: forged, issues: [{ path: ["label"], message: forged }, forged] };

  test.each([
    ["an error", "rentals summary", 400, failed],
    ["a code", "rentals summary", 400, { code: forged, message: "bad" }],
    [
      "a status that is shown as progress",
      "rentals wait 1 --wait-timeout 3s --interval 1s",
      200,
      { id: 1, status: forged },
    ],
    [
      "a note",
      "chat hi --no-stream -m x",
      200,
      { choices: [{ message: { content: "hi", tool_calls: [{ function: { name: forged } }] } }] },
    ],
  ])("%s", async (_, line, status, body) => {
    const { run } = await createCli({ respond: () => Response.json(body, { status }) });
    for (const terminal of [undefined, 80]) {
      const { err, shown } = await run(line, {
        ...overNetwork({ TERM: "dumb" }),
        ...(terminal !== undefined && { terminal }),
      });
      expect(`${err}${shown.join("\n")}`).toContain("FAKE");
      expect(`${err}${shown.join("\n")}`).not.toMatch(/^FAKE/m);
    }
  });
});
