import { writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LineRead } from "../../src/system/types.ts";
import {
  createCli,
  type Outcome,
  type Responder,
  type RunOptions,
  type SeenRequest,
} from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const ctrlC = (cleared: boolean): LineRead => ({ key: "ctrl-c", cleared });

const messagesIn = (body: unknown) =>
  (body as { readonly messages: readonly { readonly role: string; readonly content: string }[] }).messages;

/** The messages in each request for an answer. */
const asked = ({ requests }: Pick<Outcome, "requests">) =>
  requests.filter(({ path }) => path.endsWith("/chat/completions")).map(({ body }) => messagesIn(body));
const lastAsked = (outcome: Outcome) => asked(outcome).map((messages) => messages.at(-1)?.content);

type Respond = (request: SeenRequest) => Response | undefined;

/** Runs `chat` in the sandbox and types these lines. */
async function talk(
  lines: RunOptions["lines"],
  { line = "chat --sandbox", respond, ...options }: RunOptions & { line?: string; respond?: Respond } = {},
) {
  const cli = await createCli(respond ? { respond } : {});
  const outcome = await cli.run(line, { terminal: 80, lines: lines ?? [], ...options });
  return { cli, outcome };
}

const failing = (status: number, code: string, message: string) =>
  Response.json({ error: { code, message } }, { status });

describe("a conversation", () => {
  test("sends the previous messages with each message, and is saved as a session", async () => {
    const { cli, outcome } = await talk(["hello", "and now?"]);
    expect(outcome).toMatchObject({ code: 0 });
    expect(outcome.out).toBe("sandbox-echo heard: hello\nsandbox-echo heard: and now?\n");
    expect(asked(outcome)[1]?.map(({ content }) => content)).toEqual([
      "hello",
      "sandbox-echo heard: hello",
      "and now?",
    ]);
    const [, name] = /To continue: `gpuctl chat --session (\S+) --sandbox`/.exec(outcome.err) ?? [];
    const again = await cli.run(`chat --session ${name} --sandbox`, { terminal: 80, lines: ["more"] });
    expect(asked(again)[0]).toHaveLength(5);
    expect(again.err).toContain(`Session ${name}, 4 turns.`);
  });

  test("says how to continue with the same service", async () => {
    const respond = () => Response.json({ choices: [{ message: { content: "a" }, finish_reason: "stop" }] });
    const line =
      "chat -m m --session s --base-url http://127.0.0.1:9 --inference-base-url http://127.0.0.1:8";
    const { outcome } = await talk(["hello"], { line, respond, env: { GPUCTL_API_KEY: "key-1234567890" } });
    expect(outcome.err).toContain(
      "`gpuctl chat --session s --base-url http://127.0.0.1:9 --inference-base-url http://127.0.0.1:8`",
    );
  });

  test("is started only on a terminal, not in CI, and not with a format for programs", async () => {
    const cli = await createCli();
    const rejected = { code: 2, err: expect.stringContaining("MESSAGE") };
    expect(await cli.run("chat --sandbox")).toMatchObject(rejected);
    expect(await cli.run("chat --sandbox", { terminal: 80, env: { CI: "1" } })).toMatchObject(rejected);
    expect(await cli.run("chat --sandbox --no-input", { terminal: 80 })).toMatchObject(rejected);
    const prompts = { text: async () => "asked" };
    expect(await cli.run("chat --sandbox -o id", { terminal: 80, prompts })).toMatchObject({
      out: "sandbox-echo heard: asked\n",
    });
  });

  test("leaves no session if no message was sent", async () => {
    const { cli, outcome } = await talk([""]);
    expect(outcome).toMatchObject({ code: 0, out: "", requests: [] });
    expect((await cli.run("chat sessions list -o id")).out).toBe("");
  });

  test('sends several lines between """, or after /multi, as one message', async () => {
    const { outcome } = await talk([
      '"""one',
      'two"""',
      '"""',
      "three",
      '"""',
      "/multi",
      "four",
      "",
      "five",
      "/end",
    ]);
    expect(lastAsked(outcome)).toEqual(["one\ntwo", "three", "four\n\nfive"]);
  });

  test("drops an unfinished message after Ctrl-C, and says how to leave", async () => {
    const { outcome } = await talk(['"""one', ctrlC(true), ctrlC(false), "hello"]);
    expect(lastAsked(outcome)).toEqual(["hello"]);
    expect(outcome.err).toContain("To leave, press Ctrl-D or type /exit.");
  });

  test("continues after an error, without the message that failed", async () => {
    const failures: Readonly<Record<string, () => Response>> = {
      "no key": () => failing(401, "UNAUTHORIZED", "Bad key"),
      "too often": () => failing(429, "RATE_LIMITED", "Slow down"),
      broken: () => failing(500, "INTERNAL", "Oops"),
      reset: () => {
        throw new TypeError("fetch failed", {
          cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }),
        });
      },
    };
    const { outcome } = await talk([...Object.keys(failures), "hello"], {
      respond: ({ body }) => failures[messagesIn(body).at(-1)?.content ?? ""]?.(),
    });
    expect(outcome).toMatchObject({ code: 0, out: expect.stringContaining("sandbox-echo heard: hello") });
    expect(outcome.err.match(/^Error: /gm)).toHaveLength(4);
    expect(asked(outcome).at(-1)).toEqual([{ role: "user", content: "hello" }]);
  });

  test("does not blame the conversation if the requested answer is too long", async () => {
    const message = "max_tokens is too large: 100000. This model supports at most 16384 completion tokens";
    const { outcome } = await talk(["one"], { respond: () => failing(400, "invalid_value", message) });
    expect(outcome.err).toContain("max_tokens is too large");
    expect(outcome.err).not.toContain("context window");
  });

  test("sends all messages, and says if they no longer fit the context window", async () => {
    const { outcome } = await talk(["one", "two", "/clear", "three"], {
      respond: ({ body }) =>
        JSON.stringify(body ?? "").includes('"two"')
          ? failing(400, "context_length_exceeded", "Maximum context length is 4096")
          : undefined,
    });
    expect(outcome.err).toContain("too long for the context window of sandbox-echo (3 messages).");
    expect(outcome.err).toContain("Use /clear to start over");
    // The second message is sent twice, the second time without `stream_options`.
    expect(asked(outcome).map(({ length }) => length)).toEqual([1, 3, 3, 1]);
  });

  test("requests token counts only once from a service that refuses stream_options", async () => {
    const { outcome } = await talk(["one", "two"], {
      respond: ({ body }) =>
        "stream_options" in Object(body) ? failing(422, "unknown_field", "unknown field") : undefined,
    });
    const asks = outcome.requests.map(({ body }) => "stream_options" in Object(body));
    expect(asks).toEqual([true, false, false]);
  });

  test("continues after Ctrl-C during an answer, and marks the received part of the answer as incomplete", async () => {
    const stop = new AbortController();
    const signals = [stop.signal];
    const { cli, outcome } = await talk(["hello", "go on"], {
      answerSignal: () => signals.shift() ?? new AbortController().signal,
      respond: ({ body }) =>
        JSON.stringify(body).includes("go on") ? undefined : streamed(["Half of"], () => stop.abort()),
    });
    expect(outcome.err).toContain("Stopped. The partial answer was saved and marked as incomplete.");
    expect(asked(outcome)[1]?.[1]?.content).toBe("Half of\n\n[This answer was cut off here.]");
    const turns = JSON.parse((await cli.run("chat sessions show -o json")).out);
    expect(turns[1]).toMatchObject({ content: "Half of", incomplete: "interrupted" });
  });

  test("if Ctrl-C is pressed before the first text, says that the user may have been charged", async () => {
    const stop = new AbortController();
    const { outcome } = await talk(["hello"], {
      answerSignal: () => stop.signal,
      respond: () => streamed([], () => stop.abort()),
    });
    expect(outcome.err).toContain("Stopped. You may have been charged.");
  });

  test("if a signal arrives before the first text, says that the user may have been charged", async () => {
    const stop = new AbortController();
    const cli = await createCli({ respond: () => streamed([], () => stop.abort()) });
    const { code, err } = await cli.run("chat --sandbox", {
      terminal: 80,
      lines: ["hello"],
      signal: stop.signal,
    });
    expect({ code, err }).toEqual({ code: 130, err: expect.stringContaining("You may have been charged") });
  });

  test.each([
    ["in a field of its own", { reasoning: "Hm" }],
    ["in <think> tags", { content: "<think>Hm" }],
  ])("after Ctrl-C, saves the reasoning %s that arrived before the first text", async (_, thought) => {
    const stop = new AbortController();
    const { outcome } = await talk(["hello"], {
      answerSignal: () => stop.signal,
      respond: () => streamedDeltas([thought], () => stop.abort()),
    });
    const [, path = ""] =
      /Stopped. You may have been charged. The incomplete response was saved to (\S+)\.\n/.exec(
        outcome.err,
      ) ?? [];
    expect(await readFile(path)).toEqual(eventOf(thought));
  });

  test.each([
    ["is not a chat completion", '{"answer":"42"}'],
    ["is not JSON", '{"choices":[{"message":{"content":"half'],
  ])("saves a response that %s, prints its path, and goes on", async (_, body) => {
    const bodies = [body];
    const { outcome } = await talk(["hello", "go on"], {
      respond: () => {
        const next = bodies.shift();
        return next === undefined
          ? undefined
          : new Response(next, { headers: { "content-type": "application/json" } });
      },
    });
    expect(outcome.code).toBe(0);
    const [, path = ""] = /The response was saved to (\S+)\./.exec(outcome.err) ?? [];
    expect(await readFile(path, "utf8")).toBe(body);
    expect(lastAsked(outcome)).toContain("go on");
  });

  test("does not say that a partial answer was saved if it cannot be stored", async () => {
    const stop = new AbortController();
    const cli = await createCli({
      respond: () =>
        streamed(["Half of"], () => {
          writeFileSync(join(cli.folder, "state", "chat-sessions", "s.jsonl"), "my notes");
          stop.abort();
        }),
    });
    const { err } = await cli.run("chat --session s --sandbox", {
      terminal: 80,
      lines: ["hello"],
      answerSignal: () => stop.signal,
    });
    expect(err).toContain("Stopped.");
    expect(err).toContain("the answer could not be stored in");
    expect(err).not.toContain("was saved");
  });
});

/** A streamed response with these pieces of an answer. It calls `then` after the last piece, and never ends. */
const streamed = (pieces: readonly string[], then: () => void): Response =>
  streamedDeltas(
    pieces.map((content) => ({ content })),
    then,
  );

const eventOf = (delta: object) => Buffer.from(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);

const streamedDeltas = (deltas: readonly object[], then: () => void): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        for (const delta of deltas) controller.enqueue(eventOf(delta));
        setImmediate(() => setImmediate(then));
      },
    }),
    { headers: { "content-type": "text/event-stream" } },
  );

test.each(["5", "[null]", '[{"role":"system","content":5}]'])(
  "--no-validate lets a conversation start with --param messages=%s, but these messages are not sent",
  async (messages) => {
    const line = ["chat", "--sandbox", "--no-validate", "-m", "sandbox-echo", "--system", "Be brief"];
    const cli = await createCli();
    const options = { terminal: 80, lines: ["one"] };
    const outcome = await cli.run([...line, "--param", `messages=${messages}`], options);
    expect(outcome.code).toBe(0);
    expect(lastAsked(outcome)).toEqual(["one"]);
  },
);

describe("the commands in a conversation", () => {
  test("/set and /system change the requests that follow", async () => {
    const { outcome } = await talk([
      "/set temperature 0.5",
      "/set stop END",
      "/set temperature hot",
      "/set max_tokens 1.5",
      "/set nonsense 1",
      "/system Be brief",
      "one",
      "/set temperature",
      "two",
    ]);
    const [first, second] = outcome.requests.map(({ body }) => body);
    expect(first).toMatchObject({ temperature: 0.5, stop: ["END"] });
    expect(first).toMatchObject({ messages: [{ role: "system", content: "Be brief" }, { content: "one" }] });
    expect(second).not.toHaveProperty("temperature");
    expect(outcome.err).toContain('temperature must be a number, not "hot"');
    expect(outcome.err).toContain("max_tokens must be");
    expect(outcome.err).toContain('unknown field "nonsense"');
  });

  test("/model offers the models of the service, or takes the name of a model", async () => {
    const offered: unknown[] = [];
    const prompts: RunOptions["prompts"] = {
      choose: async ({ choices }) => {
        offered.push(choices);
        return choices[0] ?? "";
      },
    };
    const respond: Respond = ({ path }) =>
      path === "/v1/models"
        ? Response.json({ data: [{ id: "sandbox-echo" }, { id: "\u001b[2J" }, {}] })
        : undefined;
    const { outcome } = await talk(["/model", "/model other", "hello"], { prompts, respond });
    expect(offered).toEqual([["sandbox-echo"]]);
    expect(outcome.requests.at(-1)?.body).toMatchObject({ model: "other" });
  });

  test("Tab after /model requests the models again if the first request failed, and then remembers them", async () => {
    const offered: unknown[] = [];
    const responses = [failing(400, "BAD", "Not now"), Response.json({ data: [{ id: "small" }] })];
    const respond: Respond = ({ path }) => (path === "/v1/models" ? responses.shift() : undefined);
    const tab = { tab: "/model sm" };
    const { outcome } = await talk([tab, tab, tab], { respond, onTab: (choices) => offered.push(choices) });
    expect(offered).toEqual([[], ["small"], ["small"]]);
    expect(outcome.err).toContain("Cannot complete: Not now");
    expect(outcome.requests.filter(({ path }) => path === "/v1/models")).toHaveLength(2);
  });

  test("/retry sends the last message again, without its first answer", async () => {
    const { outcome } = await talk(["/retry", "one", "two", "/retry"]);
    expect(lastAsked(outcome)).toEqual(["one", "two", "two"]);
    expect(asked(outcome).map(({ length }) => length)).toEqual([1, 3, 3]);
    expect(outcome.err).toContain("There is no message to send again.");
  });

  test.each([
    ["the session", "chat --session s --sandbox"],
    ["--system", "chat --sandbox --system Brief"],
  ])("/clear keeps the instructions of %s", async (_, line) => {
    const cli = await createCli();
    await cli.run("chat hello --session s --system Brief --sandbox");
    const outcome = await cli.run(line, { terminal: 80, lines: ["one", "/clear", "two", "/system"] });
    expect(asked(outcome).at(-1)).toEqual([
      { role: "system", content: "Brief" },
      { role: "user", content: "two" },
    ]);
    expect(outcome.err).toContain("Instructions: Brief");
  });

  test("after a /retry that fails, /copy copies the earlier answer, and the conversation continues from that answer", async () => {
    let chats = 0;
    const respond: Respond = ({ path }) => {
      if (path.endsWith("/chat/completions")) chats += 1;
      return chats === 3 ? failing(429, "SLOW", "slow down") : undefined;
    };
    const { outcome } = await talk(["one", "twenty", "/retry", "/copy", "three", "/retry"], { respond });
    expect(outcome.copied).toEqual(["sandbox-echo heard: twenty"]);
    expect(lastAsked(outcome)).toEqual(["one", "twenty", "twenty", "three", "three"]);
    expect(asked(outcome).map(({ length }) => length)).toEqual([1, 3, 3, 5, 5]);
  });

  test("/retry after /clear sends nothing of the cleared conversation", async () => {
    const { outcome } = await talk(["one", "two", "/clear", "/retry", "three", "/retry"]);
    expect(outcome.err).toContain("There is no message to send again.");
    expect(lastAsked(outcome)).toEqual(["one", "two", "three", "three"]);
    expect(asked(outcome).map(({ length }) => length)).toEqual([1, 3, 1, 1]);
  });

  test("/edit sends what the editor saves", async () => {
    const programs: RunOptions["programs"] = {
      run: async (_, args) => {
        const path = args.at(-1) ?? "";
        await writeFile(path, `${await readFile(path, "utf8")} edited\n`);
        return 0;
      },
    };
    const { outcome } = await talk(["/edit start"], { programs });
    expect(lastAsked(outcome)).toEqual(["start edited"]);
    const failed = await talk(["/edit start", "hello"], { programs: { run: async () => 1 } });
    expect(failed.outcome.err).toContain("exited with status 1");
    expect(lastAsked(failed.outcome)).toEqual(["hello"]);
  });

  test("/copy copies the last answer both through the terminal and with a program of the system", async () => {
    const fed: unknown[] = [];
    const programs: RunOptions["programs"] = {
      which: async (program) => (program === "xclip" ? "/usr/bin/xclip" : undefined),
      feed: async (...args) => fed.push(args) > 0,
    };
    const { outcome } = await talk(["/copy", "hello", "/copy"], { programs, env: { DISPLAY: ":0" } });
    expect(outcome.copied).toEqual(["sandbox-echo heard: hello"]);
    expect(fed).toEqual([["xclip", ["-selection", "clipboard"], "sandbox-echo heard: hello"]]);
  });

  test("/copy passes UTF-16 to clip.exe, which would read UTF-8 in the code page of the console", async () => {
    const fed: unknown[] = [];
    const programs: RunOptions["programs"] = {
      which: async (program) => (program === "clip.exe" ? "/mnt/c/Windows/System32/clip.exe" : undefined),
      feed: async (_program, _args, input) => fed.push(input) > 0,
    };
    await talk(["caf\u00e9", "/copy"], { programs, env: { WSL_DISTRO_NAME: "Debian" } });
    expect(fed).toEqual([Buffer.from("\ufeffsandbox-echo heard: caf\u00e9", "utf16le")]);
  });

  test("/copy leaves out control sequences of the answer", async () => {
    const content = "ls\x1b[201~\r; rm -rf \u009b31m~\u202e\n\tend";
    const respond = () => Response.json({ choices: [{ message: { content }, finish_reason: "stop" }] });
    const { outcome } = await talk(["hello", "/copy"], { respond });
    expect(outcome.copied).toEqual(["ls; rm -rf ~\n\tend"]);
  });

  test("/save gives the session a name, and /load continues another session", async () => {
    const { cli, outcome } = await talk(["hello", "/save mine", "/save ../x", "more"]);
    expect(outcome.err).toContain("To continue: `gpuctl chat --session mine --sandbox`");
    expect((await cli.run("chat sessions list -o id")).out).toBe("mine\n");
    const loaded = await cli.run("chat --sandbox", {
      terminal: 80,
      lines: ["/load mime", "/load mine", "again"],
    });
    expect(loaded.err).toContain("Did you mean mine?");
    expect(asked(loaded)[0]).toHaveLength(5);
  });

  test("/load continues with the model of the session", async () => {
    const respond: Responder = ({ path }) =>
      path.endsWith("/completions")
        ? Response.json({ choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] })
        : undefined;
    const cli = await createCli({ respond });
    await cli.run("chat hello --session work -m model-b", overNetwork());
    const { requests, err } = await cli.run("chat -m model-a", {
      ...overNetwork(),
      terminal: 80,
      lines: ["one", "/load work", "two"],
    });
    expect(err).toContain("Model: model-b.");
    const sent = requests.filter(({ path }) => path.endsWith("/completions"));
    expect(sent.map(({ body }) => (body as { model: string }).model)).toEqual(["model-a", "model-b"]);
  });

  test.each([
    ["--system @s.txt", []],
    ["--schema s.txt", []],
    ["", ["/system @s.txt"]],
  ] as const)("/system, --system and --schema refuse text that is not UTF-8: %s %j", async (flag, lines) => {
    const cli = await createCli();
    await writeFile(join(cli.folder, "s.txt"), Buffer.from([0x52, 0xe9]));
    const line = lines.length > 0 ? "chat --sandbox" : `chat Hi ${flag} --sandbox`;
    const { err, requests } = await cli.run(line, { terminal: 80, lines });
    expect(err).toContain("s.txt is not text in UTF-8");
    expect(requests).toEqual([]);
  });

  test("/retry sends the message that could not be stored before, with its attachment", async () => {
    const cli = await createCli();
    await writeFile(join(cli.folder, "notes.txt"), "my notes");
    const path = join(cli.folder, "state", "chat-sessions", "s.jsonl");
    let kept = "";
    // Each /edit runs the next of these instead of an editor. The editor then seems to fail, so nothing is sent.
    const actions = [
      async () => {
        kept = await readFile(path, "utf8");
        await writeFile(path, "not a session");
      },
      () => writeFile(path, kept),
    ];
    const programs: RunOptions["programs"] = {
      run: async () => {
        await actions.shift()?.();
        return 1;
      },
    };
    const { requests } = await cli.run("chat --session s --sandbox", {
      terminal: 80,
      lines: ["one", "/file notes.txt", "/edit", "two", "/edit", "/retry"],
      programs,
    });
    const sent = requests.map(({ body }) => (body as { messages: { content: string }[] }).messages);
    expect(sent).toHaveLength(2);
    expect(sent[1]?.at(-1)?.content).toMatch(/my notes[\s\S]*two$/);
    expect(sent[1]).toHaveLength(3);
  });

  test("/save with the same name in two conversations at the same time keeps both sessions", async () => {
    const cli = await createCli();
    const say = (message: string) =>
      cli.run("chat --sandbox", { terminal: 80, lines: [message, "/save mine"] });
    const outcomes = await Promise.all([say("one"), say("two")]);
    const refused = outcomes.filter(({ err }) => err.includes('there is already a session "mine"'));
    expect(refused).toHaveLength(1);
    const names = (await cli.run("chat sessions list -o id")).out.trim().split("\n");
    const shown = await Promise.all(names.map((name) => cli.run(["chat", "sessions", "show", name])));
    expect(names).toHaveLength(2);
    expect(shown.map(({ out }) => /one|two/.exec(out)?.[0]).sort()).toEqual(["one", "two"]);
  });

  test("/file adds the text of a file to the next message only", async () => {
    const cli = await createCli();
    await writeFile(join(cli.folder, "log.txt"), "GPU 0: ECC error");
    const lines = ["/file missing.txt", "/file log.txt", "What is wrong?", "And now?"];
    const outcome = await cli.run("chat --sandbox", { terminal: 80, lines });
    expect(outcome.err).toContain("missing.txt: no such file");
    expect(JSON.stringify(asked(outcome)[0])).toContain("GPU 0: ECC error");
    expect(lastAsked(outcome)[1]).toBe("And now?");
  });

  test("can be typed in capital letters, and can have several lines", async () => {
    const { outcome } = await talk(["/SYSTEM Be brief.\nBe kind.", "hello"]);
    expect(asked(outcome)[0]?.map(({ content }) => content)).toEqual(["Be brief.\nBe kind.", "hello"]);
  });

  test.each(["/constructor", "/toString x", "/HELPP"])(
    "do not include %s, so it is reported as unknown",
    async (line) => {
      const { outcome } = await talk([line]);
      expect(outcome).toMatchObject({
        requests: [],
        err: expect.stringContaining("Error: unknown command /"),
      });
    },
  );

  test('are sent as text if they are between """', async () => {
    const { outcome } = await talk(['"""/help"""', '"""/help', 'me"""']);
    expect(lastAsked(outcome)).toEqual(["/help", "/help\nme"]);
  });

  test("/usage ignores token counts that are not numbers", async () => {
    const respond = () =>
      Response.json({
        choices: [{ message: { content: "a" }, finish_reason: "stop" }],
        usage: { prompt_tokens: { n: 3 }, completion_tokens: "0x10" },
      });
    const { outcome } = await talk(["one", "/usage"], { respond });
    expect(outcome.err).toContain("Session: 1 answer, token counts not reported");
  });

  test("/usage says how many answers have no token counts", async () => {
    const respond: Respond = ({ body }) =>
      Response.json({
        choices: [{ message: { content: "a" }, finish_reason: "stop" }],
        ...(JSON.stringify(body).includes("two") && { usage: { prompt_tokens: 3, completion_tokens: 1 } }),
      });
    const { outcome } = await talk(["one", "two", "/usage"], { respond });
    const lines = outcome.err.split("\n").filter((line) => /^(Turn|Session)/.test(line));
    expect(lines).toEqual([
      "Turn 2: token counts not reported",
      "Turn 4: 3 tokens in, 1 out",
      "Session: 2 answers, 3 tokens in, 1 out, not reported for 1",
    ]);
  });

  test("/usage says how many answers have no price", async () => {
    const cli = await createCli({
      respond: () =>
        Response.json({
          choices: [{ message: { content: "a" }, finish_reason: "stop" }],
          usage: { prompt_tokens: 3_000_000, completion_tokens: 1 },
        }),
    });
    await cli.run(["config", "set", "chat.prices", "sandbox-echo=1/2"]);
    const { err } = await cli.run("chat --sandbox", {
      terminal: 80,
      lines: ["one", "/model other", "two", "/usage"],
    });
    expect(err).toContain("Session: 2 answers, 6000000 tokens in, 2 out, $3.000002 (cost of 1 not known)");
  });

  test("/copy says how many characters it copied", async () => {
    const respond = () => Response.json({ choices: [{ message: { content: "7" }, finish_reason: "stop" }] });
    const { outcome } = await talk(["3 + 4?", "/copy"], { respond });
    expect(outcome.err).toContain("Sent 1 character to the clipboard of the terminal");
  });

  test("/copy says that it copied nothing if the answer is too long for the terminal", async () => {
    const respond = () =>
      Response.json({ choices: [{ message: { content: "12345678" }, finish_reason: "stop" }] });
    const { outcome } = await talk(["digits", "/copy"], { respond, maxCopied: 7 });
    expect(outcome.err).toContain("Not copied: 8 characters are too many for the clipboard of the terminal.");
    expect(outcome.copied).toEqual([]);
  });

  test("/usage ignores a stored cost that is not an amount", async () => {
    const { cli } = await talk(["one"], { line: "chat --session s --sandbox" });
    const path = join(cli.folder, "state", "chat-sessions", "s.jsonl");
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace('"role":"assistant"', '"cost":"much","role":"assistant"'));
    const { err } = await cli.run("chat --session s --sandbox", { terminal: 80, lines: ["/usage"] });
    expect(err).toMatch(/Session: 1 answer, \d+ tokens in, \d+ out\n/);
  });

  test("/usage shows the cost of each answer and of the session, from the prices in the profile", async () => {
    const cli = await createCli();
    await cli.run(["config", "set", "chat.prices", "sandbox-echo=1/2"]);
    const { err } = await cli.run("chat --sandbox", { terminal: 80, lines: ["one", "two", "/usage"] });
    const costs = [...err.matchAll(/^(Turn|Session).* (\d+) tokens in, (\d+) out, \$(\S+)$/gm)];
    expect(costs.map(([, of]) => of)).toEqual(["Turn", "Turn", "Session"]);
    for (const [, , input, output, dollars] of costs) {
      expect(Number(dollars)).toBeCloseTo((Number(input) + 2 * Number(output)) / 1e6, 12);
    }
  });

  test("/usage adds up the token counts, and a mistyped command is not sent as a message", async () => {
    const { outcome } = await talk(["one", "two", "/usage", "/hepl", "/usr/bin is a folder"]);
    expect(outcome.err).toMatch(/Session: 2 answers, \d+ tokens in, \d+ out/);
    expect(outcome.err).toContain("Did you mean /help?");
    expect(lastAsked(outcome)).toEqual(["one", "two", "/usr/bin is a folder"]);
  });
});
