import { expect } from "vitest";
import { openSandbox } from "../harness.ts";
import type { Checks } from "./check.ts";

const ask = { model: "sandbox-echo", messages: [{ role: "user", content: "Say this back" }] };
const picture = { model_name: "SDXL-turbo", prompt: "a lighthouse", steps: 1 } as const;

export const inferenceChecks = {
  chat: async (text) => {
    expect(text).toContain("sandbox-echo");
    const sandbox = await openSandbox();
    const answer = await sandbox.ask("createChatCompletion", { ...ask, temperature: 2 });
    expect(answer.choices[0]?.message.content).toContain("Say this back");
    for (const [wrong, field] of [
      [{ model: "another" }, "model"],
      [{ messages: [] }, "messages"],
      [{ max_tokens: 0 }, "max_tokens"],
    ] as const) {
      const issues = await sandbox.issuesOf("createChatCompletion", { ...ask, ...wrong });
      expect(issues).toMatchObject([{ path: [field] }]);
    }
    const stream = { ...ask, stream: true, stream_options: { include_usage: true } };
    expect(await (await sandbox.call("createChatCompletion", stream)).text()).toContain('"usage":{');
  },
  pictures: async () => {
    const sandbox = await openSandbox();
    const { images } = await sandbox.ask("generateImage", { ...picture, sampler: "any", steps: 100_000 });
    const bytes = Buffer.from(images[0]?.image ?? "", "base64");
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  },
  seeds: async () => {
    const drawn = async () => {
      const sandbox = await openSandbox();
      const seeds = [];
      for (let n = 0; n < 2; n += 1) {
        seeds.push((await sandbox.ask("generateImage", picture)).images[0]?.random_seed);
      }
      return seeds;
    };
    const [one, other] = await drawn();
    expect(one).not.toBe(other);
    expect(await drawn()).toEqual([one, other]);
    for (const seed of [one, other]) expect(Number(seed)).toBeLessThan(2 ** 32);
  },
  speech: async (text) => {
    expect(text).toContain("from 0.25 to 4");
    const sandbox = await openSandbox();
    const { audio } = await sandbox.ask("generateAudio", { text: "Hello", speed: 4 });
    expect(Buffer.from(audio, "base64").subarray(0, 4).toString()).toBe("RIFF");
    for (const wrong of [{ text: "Hello", speed: 0.2 }, { text: "Hello", speed: 4.1 }, { text: "..." }]) {
      await sandbox.issuesOf("generateAudio", wrong);
    }
  },
} satisfies Checks;
