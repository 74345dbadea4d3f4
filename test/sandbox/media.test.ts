import { expect, test } from "vitest";
import { openSandbox } from "./harness.ts";

const picture = { model_name: "SDXL1.0-base", prompt: "a lighthouse", steps: 1 } as const;

/** The width and height in a PNG's header. */
const size = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

test("a picture is a PNG of the requested size", async () => {
  const sandbox = await openSandbox();
  const { images } = await sandbox.ask("generateImage", { ...picture, width: 640, height: 1536 });
  expect(images).toHaveLength(1);
  const bytes = Buffer.from(images[0]?.image ?? "", "base64");
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  expect(size(bytes)).toEqual([640, 1536]);
});

test("the response has the seed of a picture, and the same seed gives the same picture", async () => {
  const sandbox = await openSandbox();
  const first = await sandbox.ask("generateImage", picture);
  const seed = Number(first.images[0]?.random_seed);
  expect(seed).toBeGreaterThanOrEqual(0);
  expect(seed).toBeLessThan(2 ** 32);
  const again = await sandbox.ask("generateImage", { ...picture, seed });
  expect(again.images[0]?.image === first.images[0]?.image).toBe(true);
});

test("an unreadable reference image is rejected", async () => {
  const sandbox = await openSandbox();
  expect(await sandbox.issuesOf("generateImage", { ...picture, image: "bm8gcGljdHVyZQ==" })).toMatchObject([
    { path: ["image"] },
  ]);
});

test("speech is a WAV with the right sample rate, and faster speech is shorter", async () => {
  const sandbox = await openSandbox();
  const text = "This is the sandbox speaking.";
  const normal = await sandbox.ask("generateAudio", { text });
  const fast = await sandbox.ask("generateAudio", { text, speed: 2 });
  const bytes = Buffer.from(normal.audio, "base64");
  expect([bytes.subarray(0, 4).toString(), bytes.subarray(8, 12).toString()]).toEqual(["RIFF", "WAVE"]);
  expect(bytes.readUInt32LE(24)).toBe(normal.sample_rate);
  expect(fast.audio.length).toBeLessThan(normal.audio.length * 0.7);
});

test.each([
  [{ text: "" }, "text"],
  [{ text: "hello", speed: 0.24 }, "speed"],
  [{ text: "hello", speed: 4.1 }, "speed"],
])("speech of %j is rejected", async (input, field) => {
  const sandbox = await openSandbox();
  expect(await sandbox.issuesOf("generateAudio", input)).toMatchObject([{ path: [field] }]);
});

test("a LoRA with a name that is special in JavaScript is rejected", async () => {
  const sandbox = await openSandbox();
  const lora = JSON.parse('{"__proto__": 5, "Add_Detail": 1}');
  expect(await sandbox.issuesOf("generateImage", { ...picture, lora })).toMatchObject([{ path: ["lora"] }]);
});
