import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { always, overNetwork } from "../support/service.ts";

const service = overNetwork();
const ask = "chat Hello --model llama";

describe("the request of chat", () => {
  const whole = always(200, { choices: [{ message: { content: "hi" }, finish_reason: "stop" }] });

  test("has the system prompt before the message", async () => {
    const { run, folder } = await createCli({ respond: whole });
    await writeFile(join(folder, "rules.txt"), "Be kind.");
    const typed = await run(["chat", "Hello", "-m", "llama", "-s", "Be brief.", "-o", "json"], service);
    expect(typed.requests[0]?.body).toEqual({
      model: "llama",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" },
      ],
    });
    const read = await run(`${ask} -s @rules.txt -o json`, service);
    expect(read.requests[0]?.body).toMatchObject({
      messages: [{ content: "Be kind." }, { content: "Hello" }],
    });
    expect(await run(`${ask} -s @nowhere.txt`, service)).toMatchObject({ code: 2, requests: [] });
  });

  test("has the system prompt from stdin with -s @-, and the message only from the argument", async () => {
    const { run } = await createCli({ respond: whole });
    const piped = { ...service, stdin: "Be kind." };
    const { requests } = await run(`${ask} -s @- -o json`, piped);
    expect(requests[0]?.body).toMatchObject({ messages: [{ content: "Be kind." }, { content: "Hello" }] });
    for (const line of [`${ask} -s @- --attach -`, `${ask} -s @- --schema -`, "chat -m llama -s @-"]) {
      expect(await run(line, piped)).toMatchObject({ code: 2, requests: [] });
    }
  });

  test("has the text of stdin, then a blank line, then the argument", async () => {
    const { run } = await createCli({ respond: whole });
    const content = async (line: string, stdin: string) => {
      const { requests } = await run(`${line} -m llama -o json`, { ...service, stdin });
      const { messages } = Object(requests[0]?.body);
      return messages[0].content;
    };
    expect(await content('chat "What is wrong?"', "ECC error\n")).toBe("ECC error\n\nWhat is wrong?");
    expect(await content("chat", "Just this\r\n")).toBe("Just this");
    expect(await content("chat Hello", "")).toBe("Hello");
    expect(await content("chat Hello --no-validate", "piped")).toBe("piped\n\nHello");
  });

  test("has the fields that the flags and --param set", async () => {
    const { run } = await createCli({ respond: whole });
    const { requests } = await run(
      [
        ...`${ask} --max-tokens 5 --temperature 0.5 --top-p 0.9 --stop END --stop DONE --seed 3 -o json`.split(
          " ",
        ),
        "--param",
        'response_format={"type":"json_object"}',
      ],
      service,
    );
    expect(requests[0]?.body).toMatchObject({
      max_tokens: 5,
      temperature: 0.5,
      top_p: 0.9,
      stop: ["END", "DONE"],
      seed: 3,
      response_format: { type: "json_object" },
    });
  });

  test("is not sent if it asks for more answers than are printed", async () => {
    const respond = always(200, { choices: [{ message: { content: "A" } }, { message: { content: "B" } }] });
    const { run } = await createCli({ respond });
    const line = "chat hi --model llama --param n=2";
    const { code, err, requests } = await run(line, overNetwork());
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("--param n must be 1, because chat prints only one answer");
    expect((await run("chat hi --model llama --param n=1", overNetwork())).out).toBe("A\n");
    expect((await run(`${line} -o json`, overNetwork())).out).toContain('"B"');
  });

  test.each(["--top-p high", "--seed x", "--max-tokens 1.5", "--param x"])(
    "is not sent with the invalid flag %s",
    async (flag) => {
      const { run } = await createCli({ respond: whole });
      expect(await run(`${ask} ${flag}`, service)).toMatchObject({ code: 2, out: "", requests: [] });
    },
  );
});
