import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";

describe("a slip of the keyboard", () => {
  test.each([
    ["rentls list", "rentals"],
    ["rentals lst", "list"],
    ["rentals create vn", "vm"],
    ["volumes list --outptu json", "--output"],
    ["rentals create vm --gpu-cuont 1", "--gpu-count"],
    ["rentals create vm --gpus 1 --gpu h1000", "h100"],
    ["rentals list --type vms", "vm"],
    ["rentals create vm --gpus 1 --region us-centrall-1", "us-central-1"],
  ])("%s is told of %s", async (line, nearest) => {
    const { run } = await createCli();
    const { code, out, err, requests } = await run(`${line} --sandbox`);
    expect({ code, out, requests }).toEqual({ code: 2, out: "", requests: [] });
    expect(err).toContain(nearest);
  });

  test.each([
    ["rentals get 1 2", "one word too many"],
    ["volumes list everything", "one word too many"],
    ["rentals get", "RENTAL missing"],
    ["volumes list --output", "--output"],
    ["rentals create vm --gpus", "--gpus"],
  ])("%s says %s", async (line, words) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(line, { env: { GPUCTL_SANDBOX: "1" } });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(words);
  });
});

describe("names that stand beside each other", () => {
  test.each([
    [
      "--gpu-count 2 --gpu-type h200 --term-period-days 3",
      { gpuCount: 2, gpuType: "h200", termPeriodDays: 3 },
    ],
    ["--gpus 2 --gpu h200 --days 3", { gpuCount: 2, gpuType: "h200", termPeriodDays: 3 }],
    ["--gpus 2 --gpu-count 2", { gpuCount: 2 }],
  ])("%s", async (flags, body) => {
    const { run } = await createCli();
    const { requests } = await run(`rentals create vm ${flags} --sandbox`);
    expect(requests.find(({ method }) => method === "POST")?.body).toEqual(body);
  });

  test("with different values they are refused", async () => {
    const { run } = await createCli();
    const { code, err, requests } = await run("rentals create vm --gpus 2 --gpu-count 3 --sandbox");
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("--gpu-count and --gpus are the same flag");
  });

  test("an error names the flag as it was typed", async () => {
    const { run } = await createCli();
    const { err } = await run("rentals create bare-metal --gpus 9 --network-type ethernet --sandbox");
    expect(err).toBe("Error: --gpus must be a multiple of 8, not 9\nNothing was sent.\n");
    expect((await run("image x --size 512x512 --sandbox")).err).toContain("Error: --size: 512x512 is not");
    expect((await run("image x --height 512 --sandbox")).err).toContain("--height: 1024x512 is not");
  });

  test("a word and the flag of the same field are refused together", async () => {
    const { run } = await createCli();
    expect(await run("image cat --prompt dog --sandbox")).toMatchObject({ code: 2, requests: [] });
  });
});

test.each([
  "",
  "--help",
  "rentals",
  "rentals --help",
  "rentals create",
  "rentals create vm --help",
  "-h",
  "image -h",
])("help stands on stdout: gpuctl %s", async (line) => {
  const { run } = await createCli();
  const { code, out, err } = await run(line);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^Usage: gpuctl/);
});

test.each(["--version", "-V", "rentals list --version"])("gpuctl %s prints the version", async (line) => {
  const { run } = await createCli();
  expect(await run(line)).toMatchObject({ code: 0, out: "0.0.0-test\n", err: "" });
});
