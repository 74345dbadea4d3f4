import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { description, descriptionPath } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const line = "rentals create vm --gpus 1 --yes";

describe("the next steps after rentals create", () => {
  test("are printed on stderr, with flags for the same service", async () => {
    const { run } = await createCli();
    expect((await run(`${line} --sandbox`)).err).toBe(`Next steps:
  gpuctl rentals wait 1001 --sandbox       # wait until it is running
  gpuctl rentals ssh 1001 --sandbox        # open a shell on it
  gpuctl rentals terminate 1001 --sandbox  # end it and stop the billing
`);
    expect((await run(line, { env: { GPUCTL_SANDBOX: "1" } })).err).toContain("  gpuctl rentals ssh 1002  ");
    const { err } = await run(`${line} --wait --sandbox`);
    expect(err).toContain("gpuctl rentals ssh 1003 --sandbox");
    expect(err).not.toContain("rentals wait");
  });

  test("have their comments above the commands on a narrow terminal", async () => {
    const { run } = await createCli();
    const { err } = await run(`${line} --sandbox`, { terminal: 60 });
    expect(err).toContain(`Next steps:
  # wait until it is running
  gpuctl rentals wait 1001 --sandbox
  # open a shell on it
  gpuctl rentals ssh 1001 --sandbox
`);
    expect((await run(`${line} --sandbox`, { terminal: 80 })).err).toContain("--sandbox  # end it");
  });

  test("work as printed", async () => {
    const { run } = await createCli();
    const { err } = await run(`${line} --sandbox`);
    const steps = [...err.matchAll(/^ {2}gpuctl (.*?) +# /gm)].map(([, step = ""]) => step);
    expect(steps).toHaveLength(3);
    for (const step of steps) {
      const flags = step.includes("ssh") ? " --print" : " --yes";
      expect(await run(step + flags), step).toMatchObject({ code: 0 });
    }
  });

  test("put -- before an ID that looks like a flag", async () => {
    const terminate = "POST /v2/on-demand/rentals/terminate";
    const { run } = await createCli({
      negotiates: true,
      respond: ({ method, path }) => {
        if (path === descriptionPath) return Response.json(description({ [terminate]: {} }));
        if (method === "POST") return Response.json({ id: "--all" });
        return Response.json(path.endsWith("/rental") ? { id: "--all", state: "active" } : []);
      },
    });
    const { err } = await run(`${line} --base-url https://api.example.com`, overNetwork());
    const steps = [...err.matchAll(/^ {2}gpuctl (.*?) +# /gm)].map(([, step = ""]) => step);
    expect(steps).toEqual(
      ["wait", "ssh", "terminate"].map(
        (verb) => `rentals ${verb} --base-url https://api.example.com -- --all`,
      ),
    );
    const ended = await run(
      "rentals terminate --yes --base-url https://api.example.com -- --all",
      overNetwork(),
    );
    expect(ended.requests.at(-2)).toMatchObject({ method: "POST", body: { rentalId: "--all" } });
    expect(ended.err).toContain(
      "Run `gpuctl rentals wait --for terminated --base-url https://api.example.com -- --all` to wait for it.",
    );
  });

  test.each(["-q", "-o id", "-o json", "-o yaml", "-o csv", "--jq .id", "--dry-run"])(
    "are not printed with %s",
    async (flags) => {
      const { run } = await createCli();
      const { code, err } = await run(`${line} --sandbox ${flags}`);
      expect({ code, err }).toEqual({ code: 0, err: "" });
    },
  );

  test.each([
    ["POST /v2/on-demand/rentals/terminate", true],
    ["POST /v2/on-demand/virtual-machine-rentals/terminate", true],
    ["POST /v2/on-demand/bare-metal-rentals/terminate", false],
    ["GET /v2/on-demand/rental", false],
  ])(
    "include rentals terminate only if the service lists an operation that ends a virtual machine: %s, %s",
    async (operation, suggested) => {
      const { run } = await createCli({
        negotiates: true,
        respond: ({ method, path }) => {
          if (path === descriptionPath) return Response.json(description({ [operation]: {} }));
          return Response.json(method === "POST" ? { id: "vm-7" } : []);
        },
      });
      const { code, err } = await run(`${line} --base-url https://api.example.com`, overNetwork());
      expect(code).toBe(0);
      expect(err).toContain("  gpuctl rentals wait vm-7 --base-url https://api.example.com ");
      expect(err.includes("rentals terminate vm-7")).toBe(suggested);
    },
  );
});

test.each([
  ["--sandbox", "--sandbox"],
  ["--sandbox -o json", "--sandbox"],
  ["--profile play", "--profile play"],
  ["--base-url https://api.example.com --yes", "--base-url https://api.example.com"],
])("with %s, a command that an error suggests has flags for the same service", async (flags, same) => {
  const { run, sandbox } = await createCli();
  await run("profile add play --base-url https://api.example.com");
  const network = overNetwork({ GPUCTL_API_KEY: sandbox.keys.full });
  const { code, err } = await run(`rentals get trainer ${flags}`, flags.includes("--sandbox") ? {} : network);
  expect({ code, err }).toEqual({
    code: 5,
    err: expect.stringContaining(`\`gpuctl rentals list ${same}\` shows`),
  });
});
