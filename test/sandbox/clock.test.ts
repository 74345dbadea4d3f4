import { expect, test } from "vitest";
import { openSandbox, start } from "./harness.ts";

const second = 1000;
const day = 24 * 3600 * second;
const at = (ms: number) => new Date(start + ms).toISOString();

test("the sandbox uses the computer's clock until its own clock is moved", async () => {
  const sandbox = await openSandbox();
  expect(sandbox.clock.show()).toEqual({ now: at(0), frozen: false, offsetMs: 0 });
  sandbox.advance(5);
  expect(sandbox.clock.show()).toEqual({ now: at(5), frozen: false, offsetMs: 0 });
});

test("a frozen clock stays frozen after a move, and runs again when it is resumed", async () => {
  const sandbox = await openSandbox();
  expect(sandbox.clock.freeze()).toEqual({ now: at(0), frozen: true, offsetMs: null });
  sandbox.advance(day);
  expect(sandbox.clock.freeze()).toEqual({ now: at(0), frozen: true, offsetMs: null });
  expect(sandbox.clock.advance(second)).toEqual({ now: at(second), frozen: true, offsetMs: null });
  expect(sandbox.clock.resume()).toEqual({ now: at(second), frozen: false, offsetMs: second - day });
  sandbox.advance(2 * second);
  expect(sandbox.clock.resume().now).toBe(at(3 * second));
});

test("a running clock keeps running after it is moved", async () => {
  const sandbox = await openSandbox();
  expect(sandbox.clock.set(start + day)).toEqual({ now: at(day), frozen: false, offsetMs: day });
  sandbox.advance(second);
  expect(sandbox.clock.advance(day).now).toBe(at(2 * day + second));
});

test("a running clock stops at the end of the year 9999, so that every time stays a valid timestamp", async () => {
  const sandbox = await openSandbox();
  sandbox.clock.set(Date.UTC(9999, 11, 31, 23, 59, 59));
  sandbox.advance(5 * second);
  expect(sandbox.clock.show().now).toBe("9999-12-31T23:59:59.000Z");
  expect(sandbox.clock.freeze().now).toBe("9999-12-31T23:59:59.000Z");
});

test("the clock only goes forward, and not beyond the year 9999", async () => {
  const sandbox = await openSandbox();
  sandbox.clock.advance(day);
  const before = sandbox.clock.show();
  expect(() => sandbox.clock.set(start + day - 1)).toThrow(
    `time must not move the clock backward: the sandbox's time is ${at(day)}`,
  );
  expect(() => sandbox.clock.advance(-1)).toThrow("duration must not move the clock backward");
  expect(() => sandbox.clock.set(Date.UTC(10_000, 0))).toThrow(
    "time must not move the clock past 9999-12-31",
  );
  expect(() => sandbox.clock.advance(1e15)).toThrow("duration must not move the clock past 9999-12-31");
  expect(sandbox.clock.show()).toEqual(before);
});

test("moving to the current time changes nothing", async () => {
  const sandbox = await openSandbox();
  expect(sandbox.clock.set(start)).toEqual({ now: at(0), frozen: false, offsetMs: 0 });
});

test("a rental does not start while the clock is frozen, but starts when the clock is advanced", async () => {
  const sandbox = await openSandbox();
  sandbox.clock.freeze();
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  sandbox.advance(day);
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({ status: "Pending" });
  sandbox.clock.advance(2 * second);
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({
    status: "Running",
    startedAt: at(2 * second),
  });
});

const reserved = { gpuCount: 1, termType: "reserved", termPeriodDays: 30 } as const;

test("one jump of the clock over a boot and the end of a term records the right time for both", async () => {
  const sandbox = await openSandbox();
  sandbox.clock.freeze();
  await sandbox.ask("createVirtualMachineRental", reserved);
  await sandbox.ask("createVirtualMachineRental", { ...reserved, convertToOnDemandOnExpiry: false });
  sandbox.clock.advance(400 * day);
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({
    state: "active",
    termType: "on-demand",
    startedAt: at(2 * second),
    billedCents: 30 * 24 * 180 + Math.floor(((370 * day - 2 * second) / second / 3600) * 200),
  });
  expect(await sandbox.ask("listRentalHistory")).toMatchObject([
    {
      id: 1002,
      termType: "reserved",
      startedAt: at(2 * second),
      terminatedAt: at(30 * day + 2 * second),
      billedCents: 30 * 24 * 180,
    },
  ]);
});

test("many small steps give the same result as one jump", async () => {
  const [stepping, leaping] = [await openSandbox(), await openSandbox()];
  for (const sandbox of [stepping, leaping]) {
    sandbox.clock.freeze();
    await sandbox.ask("createVirtualMachineRental", { ...reserved, convertToOnDemandOnExpiry: false });
    await sandbox.ask("createVirtualMachineRental", reserved);
  }
  for (let step = 0; step < 45; step += 1) {
    stepping.clock.advance(day);
    await stepping.ask("listRentalHistory");
  }
  leaping.clock.advance(45 * day);
  for (const list of ["listRentalHistory", "listVirtualMachineRentals"] as const) {
    expect(await stepping.ask(list)).toEqual(await leaping.ask(list));
  }
});

test("after a reset, the sandbox uses the computer's clock again", async () => {
  const sandbox = await openSandbox();
  sandbox.clock.freeze();
  sandbox.clock.advance(day);
  sandbox.reset();
  expect(sandbox.clock.show()).toEqual({ now: at(0), frozen: false, offsetMs: 0 });
});

test("in two sandboxes, the same chats get the same responses, and pictures without a seed get the same seeds", async () => {
  const responses = async () => {
    const sandbox = await openSandbox();
    sandbox.clock.freeze();
    const chat = { model: "sandbox-echo", messages: [{ role: "user", content: "hello" }] };
    const picture = { model_name: "SDXL-turbo", prompt: "a lighthouse", steps: 1 } as const;
    return [
      await sandbox.ask("createChatCompletion", chat),
      await sandbox.ask("createChatCompletion", chat),
      (await sandbox.ask("generateImage", picture)).images[0]?.random_seed,
      (await sandbox.ask("generateImage", picture)).images[0]?.random_seed,
    ];
  };
  const [first, second] = [await responses(), await responses()];
  expect(first).toEqual(second);
  expect(first[0]).not.toEqual(first[1]);
  expect(first[2]).not.toBe(first[3]);
});
