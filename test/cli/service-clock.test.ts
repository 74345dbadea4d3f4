import { expect, test } from "vitest";
import { createCli, firstMoment } from "../support/cli.ts";

const hour = 3_600_000;
const list = "rentals list --type vm --columns AGE --no-header";
const terminal = { env: { GPUCTL_SANDBOX: "1" }, terminal: 120 };
const age = (out: string): string => out.trim();

test("ages use the sandbox's clock", async () => {
  const { run, advance } = await createCli();
  await run("rentals create vm --gpus 1 --sandbox --yes");
  expect(age((await run(list, terminal)).out)).toBe("now");
  await run("sandbox clock advance 5m");
  expect(age((await run(list, terminal)).out)).toBe("5m ago");
  await run("sandbox clock freeze");
  advance(24 * hour);
  expect(age((await run(list, terminal)).out)).toBe("5m ago");
});

test("a clock that is frozen between two full seconds does not round ages down", async () => {
  const { run, advance } = await createCli();
  advance(700);
  await run("sandbox clock freeze");
  await run("rentals create vm --gpus 1 --sandbox --yes");
  await run("sandbox clock advance 1h");
  expect(age((await run(list, terminal)).out)).toBe("1h ago");
});

const at = (ms: number): string => new Date(firstMoment + ms).toUTCString();

test.each([
  ["a second behind", at(-1000), "1h ago"],
  ["two days behind", at(-48 * hour), "in 1d 22h"],
  ["two days ahead", at(48 * hour), "2d ago"],
  ["not known", undefined, "1h ago"],
  ["not a valid time", "soon", "1h ago"],
])(
  "an age uses the service's clock if it is known and differs by more than 2 s, or else the local clock (service: %s)",
  async (_name, date, expected) => {
    const { run } = await createCli({
      respond: () =>
        Response.json([{ id: 1, createdAt: new Date(firstMoment - hour).toISOString() }], {
          headers: date === undefined ? {} : { date },
        }),
    });
    const env = { GPUCTL_BASE_URL: "https://api.example.com", GPUCTL_API_KEY: "key-of-mine" };
    expect(age((await run(list, { env, terminal: 120 })).out)).toBe(expected);
  },
);
