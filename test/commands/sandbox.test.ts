import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { createCli } from "../support/cli.ts";

const vm = "rentals create vm --gpus 1 --sandbox --yes";

test("sandbox status counts the records", async () => {
  const { run } = await createCli();
  await run(vm);
  expect((await run("sandbox status")).out).toMatchInlineSnapshot(`
    "file:            :memory:
    now:             2026-11-20T12:00:00.000Z
    frozen:          false
    rentals.active:  1
    rentals.ended:   0
    volumes:         0
    userExists:      true
    faults:          0
    balance:         $10,000.00
    engines.chat:    -
    engines.image:   -
    engines.audio:   -
    "
  `);
  expect(JSON.parse((await run("sandbox status -o json")).out)).toMatchObject({
    now: "2026-11-20T12:00:00.000Z",
  });
});

test("sandbox reset deletes all rentals", async () => {
  const { run } = await createCli();
  await run(vm);
  const { code, err } = await run("sandbox reset --yes");
  expect({ code, err }).toEqual({ code: 0, err: "The sandbox was reset.\n" });
  expect((await run("rentals list -o json --sandbox")).out).toBe("[]\n");
});

test("sandbox reset --dry-run deletes nothing", async () => {
  const { run } = await createCli();
  await run(vm);
  const { code, err } = await run("sandbox reset --yes --dry-run");
  expect({ code, err }).toEqual({ code: 0, err: "Nothing was done: this is a dry run.\n" });
  expect((await run("rentals list -o id --sandbox")).out).toBe("1001\n");
});

test("sandbox keys shows the sandbox's own keys", async () => {
  const { run } = await createCli();
  expect((await run("sandbox keys")).out).toMatchInlineSnapshot(`
    "ACCESS     KEY
    full       gpuctl-sandbox-full
    read-only  gpuctl-sandbox-read-only
    "
  `);
  expect((await run("sandbox keys -o id")).out.trimEnd().split("\n")).toHaveLength(2);
});

test("sandbox limits lists the assumptions and limits of the sandbox", async () => {
  const { run } = await createCli();
  const limits = JSON.parse((await run("sandbox limits -o json")).out);
  expect(limits.length).toBeGreaterThan(10);
  expect(limits[0]).toEqual({ id: expect.any(String), text: expect.any(String) });
});

test("sandbox serve prints its URL and ends after Ctrl-C", async () => {
  const { run } = await createCli();
  const { code, out } = await run("sandbox serve --port 0 -o json", { signal: AbortSignal.abort() });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
});

test("sandbox serve says who can use its controls and its web page if it listens on a network address", async () => {
  const { run } = await createCli();
  const served = async (host: string) => {
    const { code, err } = await run(`sandbox serve --port 0 --memory --host ${host}`, {
      signal: AbortSignal.abort(),
    });
    expect(code).toBe(0);
    return err;
  };
  const everywhere = await served("0.0.0.0");
  expect(everywhere).toContain("Only this computer can use the sandbox's controls.");
  expect(everywhere).toMatch(/open http:\/\/localhost:\d+\/ in a browser on this computer\./);
  const address = Object.values(networkInterfaces())
    .flatMap((one = []) => one)
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
  if (address === undefined) return;
  const oneAddress = await served(address);
  expect(oneAddress).toContain(
    "Without --token-file, no one who uses this address can use the sandbox's controls.",
  );
  expect(oneAddress).toContain("The page that shows what is going on cannot be opened at this address.");
});

test.each(["65536", "-1", "1.5", "http"])("sandbox serve --port %s is rejected", async (port) => {
  const { run } = await createCli();
  const { code, err } = await run(`sandbox serve --port ${port}`);
  expect(code).toBe(2);
  expect(err).toContain("--port");
});

test.each(["", " "])(
  "sandbox serve --host %j is rejected, because the sandbox would listen on all interfaces",
  async (host) => {
    const listen = async () => {
      throw new Error("it listens");
    };
    const { run } = await createCli({ listen });
    const { code, err } = await run(["sandbox", "serve", "--host", host]);
    expect(code).toBe(2);
    expect(err).toContain("--host");
  },
);

test("sandbox serve --dry-run starts no server", async () => {
  const { run } = await createCli();
  const { code, out, err } = await run("sandbox serve --dry-run -o json");
  expect({ code, err }).toEqual({ code: 0, err: "Nothing was done: this is a dry run.\n" });
  expect(JSON.parse(out)).toEqual({ url: null, host: "127.0.0.1", port: 8787 });
});

test("sandbox serve reports a port that is in use", async () => {
  const { run, sandbox } = await createCli();
  const { url, close } = await sandbox.serve({ host: "127.0.0.1", port: 0 });
  const { code, err } = await run(`sandbox serve --port ${new URL(url).port}`);
  await close();
  expect(code).toBe(2);
  expect(err).toContain("in use");
});

test("api spec prints the description of the service, and needs no key", async () => {
  const { run } = await createCli();
  const { out, requests } = await run("api spec --sandbox");
  expect(JSON.parse(out)).toMatchObject({ openapi: "3.1.0" });
  expect(requests[0]?.headers).not.toHaveProperty("authorization");
  const env = { GPUCTL_BASE_URL: "https://api.example.com" };
  expect(await run("api spec", { env })).toMatchObject({ code: 0 });
});
