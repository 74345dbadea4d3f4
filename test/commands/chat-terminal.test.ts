import { describe, expect, test } from "vitest";
import { createCli, type RunOptions } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const service = overNetwork();
const ask = "chat Hello --model llama";

/** A CLI whose service streams an answer in these pieces. */
const saying = (...texts: readonly string[]) =>
  createCli({
    respond: () =>
      new Response(
        [...texts.map((content) => JSON.stringify({ choices: [{ delta: { content } }] })), "[DONE]"]
          .map((data) => `data: ${data}\n\n`)
          .join(""),
        { headers: { "content-type": "text/event-stream" } },
      ),
  });

const markdown =
  "# Title\n\nSome **bold** text with `code`.\n\n- one\n- two – three\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
const shown = "Title\n\nSome bold text with code.\n\n• one\n• two – three\n\na  b\n─  ─\n1  2\n";
const plain = (text: string) => text.replace(/\x1b\[[\d;]*m/g, "");

describe("an answer in Markdown", () => {
  const terminal: RunOptions = { ...service, terminal: 80 };
  const env = (more: Readonly<Record<string, string>>) => ({ ...terminal, env: { ...service.env, ...more } });

  test("is formatted on a terminal", async () => {
    const { run } = await saying(...markdown);
    const { code, out } = await run(ask, terminal);
    expect({ code, out: plain(out) }).toEqual({ code: 0, out: shown });
    expect(out).toContain("\x1b[1mbold\x1b[22m");
    const whole = await createCli({
      respond: () => Response.json({ choices: [{ message: { content: markdown }, finish_reason: "stop" }] }),
    });
    expect((await whole.run(`${ask} --no-stream`, terminal)).out).toBe(out);
  });

  test("is not formatted in a pipe, with --no-markdown or in other output formats", async () => {
    const { run } = await saying(markdown);
    expect((await run(ask, service)).out).toBe(markdown);
    expect((await run(`${ask} --no-markdown`, terminal)).out).toBe(markdown);
    const events = (await run(`${ask} -o jsonl`, terminal)).out;
    expect(JSON.parse(events).choices[0].delta.content).toBe(markdown);
  });

  test.each([
    ["NO_COLOR", "1"],
    ["TERM", "dumb"],
  ])("is not formatted with %s=%s", async (name, value) => {
    const { run } = await saying(markdown);
    const { out } = await run(ask, env({ [name]: value }));
    expect(out).not.toContain("\x1b");
    expect(out).toContain("Some **bold** text");
  });

  test("has only ASCII symbols if the locale is not UTF-8", async () => {
    const { run } = await saying(markdown);
    expect(plain((await run(ask, env({ LANG: "C" }))).out)).toMatch(
      /^- one\n- two - three\n\na {2}b\n- {2}-$/m,
    );
  });

  test("cannot control the terminal, not even from a code block, or if it arrives one character at a time", async () => {
    const evil = "a\x1b[2Jb \x1b]0;owned\x07 &#27;[2J\n\n```js\nconst a\x1b[31m = 1; \x9b2J\r\n```\n";
    for (const pieces of [[evil], [...evil]]) {
      const { run } = await saying(...pieces);
      const { out } = await run(ask, terminal);
      expect(plain(out)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
      expect(plain(out)).toContain("ab");
    }
  });

  test("is printed as far as it arrived if it was cut off", async () => {
    const { run } = await createCli({
      respond: () =>
        new Response(
          `data: ${JSON.stringify({ choices: [{ delta: { content: "Half of **an ans" } }] })}\n\n`,
          {
            headers: { "content-type": "text/event-stream" },
          },
        ),
    });
    const { code, out } = await run(ask, terminal);
    expect({ code, out }).toEqual({ code: 9, out: "Half of **an ans\n" });
  });
});

describe("the reasoning before an answer", () => {
  test("is printed dimmed on stderr, and separated from the answer", async () => {
    const { run } = await saying("<think>Let me\nsee\x1b[2J</think>\n\nHello");
    const { out, err } = await run(ask, { ...service, terminal: 80 });
    expect(out).toBe("Hello\n");
    expect(plain(err)).toBe("Let me\nsee\n\n");
    expect(err).toMatch(/^\x1b\[2mLet me\x1b\[22m\n\x1b\[2msee\x1b\[22m/);
    expect((await run(ask, service)).err).toBe("Let me\nsee\n");
  });
});

test("the message about missing token counts is printed after the reasoning", async () => {
  const { run } = await saying("<think>Hm</think>Hello");
  const outcome = await run(`${ask} --usage`, { ...service, terminal: 80 });
  expect(outcome.err).toMatch(/Hm[\s\S]*The service reported no token counts\.\n$/);
});
