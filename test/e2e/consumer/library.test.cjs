// The library as programs use it. Runs in Jest, Vitest, node:test, Bun and Deno, with the package installed beside it.
const assert = require("node:assert/strict");
const { createClient, InvalidInput } = require("gpuctl");
const { createSandbox } = require("gpuctl/sandbox");

/** Milliseconds: a picture and a recording take longer than the 5 s that most runners allow. */
const timeout = 60_000;
const test = globalThis.test ?? require("node:test").test;

test(
  "the client works with the sandbox",
  async () => {
    const sandbox = await createSandbox({
      seed: { rentals: [{ rentalType: "virtual-machine", gpuCount: 1, label: "trainer" }] },
    });
    const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.keys.full });
    try {
      const [{ id: rentalId }] = await client.listVirtualMachineRentals();
      sandbox.advance("5m");
      assert.equal((await client.waitFor({ rentalId })).status, "Running");
      await client.terminateRental({ rentalId });
      await assert.rejects(client.getRental({}), InvalidInput);
      await assert.rejects(client.call("listUsage", { limit: 0 }), InvalidInput);
      const { images } = await client.generateImage({ model_name: "SD1.5", prompt: "a lighthouse" });
      assert.equal(Buffer.from(images[0].image, "base64").subarray(1, 4).toString(), "PNG");
      const { audio } = await client.generateAudio({ text: "Good morning" });
      assert.equal(Buffer.from(audio, "base64").subarray(0, 4).toString(), "RIFF");
      let reply = "";
      const input = { model: "sandbox-echo", messages: [{ role: "user", content: "hello" }] };
      for await (const { text } of client.stream("createChatCompletion", input)) reply += text;
      assert.match(reply, /hello/);
    } finally {
      client.close();
      await sandbox.close();
    }
  },
  timeout,
);

// In Bun and Deno, the global fetch reports connection errors in other ways.
if (!globalThis.Bun && !globalThis.Deno) {
  test("the client reports a network error if the fetch it was given cannot connect", async () => {
    const sandbox = await createSandbox();
    const baseUrl = sandbox.url;
    await sandbox.close();
    const client = createClient({ baseUrl, apiKey: "key", fetch: globalThis.fetch, retries: 0 });
    await assert.rejects(client.listVirtualMachineRentals(), { name: "NetworkError" });
    await assert.rejects(client.createVirtualMachineRental({ gpuCount: 1 }), { name: "NetworkError" });
    client.close();
  });
}
