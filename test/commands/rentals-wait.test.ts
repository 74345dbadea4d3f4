import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createCli, type Responder } from "../support/cli.ts";
import { hour } from "../support/leases.ts";
import { endTimeLimits, steadyClock } from "../support/time-limits.ts";

const vm = "rentals create vm --gpus 1 --sandbox --yes";
const lookup = "/v2/on-demand/rental";

/** Responds to the lookup of a rental with this record. The sandbox responds to all other requests. */
const lookupReturns =
  (record: unknown): Responder =>
  ({ path }) =>
    path === lookup ? Response.json(record) : undefined;

describe("rentals wait", () => {
  test("polls until the rental runs", async () => {
    const { run } = await createCli();
    await run(vm);
    const { code, out, slept } = await run("rentals wait 1001 --interval 1s -o json --sandbox");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ id: 1001, status: "Running" });
    expect(slept).toEqual([1000, 1000]);
  });

  test("--for active is satisfied by a rental that is still starting", async () => {
    const { run } = await createCli();
    await run(vm);
    expect(await run("rentals wait 1001 --for active --sandbox")).toMatchObject({ code: 0, slept: [] });
  });

  test("polls once more at the timeout, then says that the rental is still billed", async () => {
    const { run } = await createCli({
      respond: lookupReturns({ id: 1, state: "active", status: "Pending" }),
    });
    const outcome = await run("rentals wait 1 --interval 4s --wait-timeout 10s --sandbox");
    expect(outcome).toMatchObject({ code: 8, out: "", slept: [1000, 2000, 4000, 3000] });
    expect(outcome.requests).toHaveLength(5);
    expect(outcome.err).toContain("is still billed");
  });

  test("names the same state as the other commands if the fields `state` and `status` differ", async () => {
    const record = { id: 1001, state: "active", status: "Pending" };
    const { run } = await createCli({
      respond: ({ path, method }) =>
        path === lookup || path.endsWith("-rentals")
          ? Response.json(path === lookup || method === "POST" ? record : [record])
          : undefined,
    });
    const lines = [
      vm,
      "rentals get 1001 --sandbox",
      "rentals list --sandbox",
      "rentals ssh 1001 --print --sandbox",
    ];
    const wait = await run("rentals wait 1001 --wait-timeout 1m --sandbox", { terminal: 120 });
    const texts = [wait.err, ...wait.shown];
    for (const line of lines) {
      const { out, err } = await run(line);
      texts.push(out + err);
    }
    for (const text of texts.filter((one) => !one.endsWith("is running"))) {
      expect(text).toContain("Pending");
      expect(text).not.toContain("active");
    }
  });

  test("fails at once if the rental has ended", async () => {
    const { run } = await createCli({ respond: lookupReturns({ id: 1, state: "terminated" }) });
    const outcome = await run("rentals wait 1 --sandbox");
    expect(outcome).toMatchObject({ code: 5, out: "", slept: [] });
    expect(outcome.err).toContain("has ended");
    expect(await run("rentals wait 1 --for terminated --sandbox")).toMatchObject({ code: 0 });
  });

  test("fails at once if the rental has failed, and says that it may still be billed", async () => {
    const { run } = await createCli({ respond: lookupReturns({ id: 1, state: "active", status: "Failed" }) });
    const outcome = await run("rentals wait 1 --sandbox");
    expect(outcome).toMatchObject({ code: 7, out: "", slept: [] });
    expect(outcome.err).toContain("may still be billed");
  });

  test("fails if the rental is not found in the account", async () => {
    const { run } = await createCli();
    expect(await run("rentals wait 4711 --sandbox")).toMatchObject({ code: 5, out: "" });
  });

  test("compares states without regard to case, and ignores unknown states", async () => {
    const { run } = await createCli({
      respond: lookupReturns({ id: 1, status: "RUNNING", state: "curious" }),
    });
    expect(await run("rentals wait 1 --sandbox")).toMatchObject({ code: 0 });
  });

  test.each(["--interval 0s", "--interval soon", "--wait-timeout -1s", "--for asleep"])(
    "rejects %s",
    async (flag) => {
      const { run } = await createCli();
      const outcome = await run(`rentals wait 1 ${flag} --sandbox`);
      expect(outcome).toMatchObject({ code: 2, out: "", requests: [] });
      expect(outcome.err).toContain(flag.split(" ")[0]);
    },
  );

  describe("whose --wait-timeout ends during a lookup", () => {
    test("exits with 8 although the service never responds", async () => {
      const end = endTimeLimits();
      const { run } = await createCli({
        respond: ({ path }) => {
          if (path !== lookup) return undefined;
          setImmediate(end);
          return new Promise(() => {});
        },
      });
      const outcome = await run("rentals wait 1 --wait-timeout 10s --sandbox");
      expect(outcome).toMatchObject({ code: 8, out: "", slept: [] });
      expect(outcome.err).toBe(
        "Error: timed out waiting until rental 1 is running: its state could not be read in time\nThe rental was not changed and may still be billed.\n",
      );
    });

    test("says which state the rental had before", async () => {
      const end = endTimeLimits();
      let lookups = 0;
      const { run } = await createCli({
        respond: ({ path }) => {
          if (path !== lookup) return undefined;
          lookups += 1;
          if (lookups < 3) return Response.json({ id: 1, status: "Pending" });
          setImmediate(end);
          return new Promise(() => {});
        },
      });
      const outcome = await run("rentals wait 1 --wait-timeout 10s --sandbox");
      expect(outcome).toMatchObject({ code: 8, out: "", slept: [1000, 2000] });
      expect(outcome.err).toContain("its state could not be read in time; before, it was Pending\n");
    });

    test("does not wait until the service accepts requests again", async () => {
      const end = endTimeLimits();
      const { run } = await createCli({
        respond: ({ path }) => {
          if (path !== lookup) return undefined;
          end();
          return new Response("", { status: 503, headers: { "Retry-After": "50" } });
        },
      });
      const outcome = await run("rentals wait 1 --wait-timeout 10s --sandbox");
      expect(outcome).toMatchObject({ code: 8, slept: [] });
      expect(outcome.err).toContain("its state could not be read in time");
      expect(outcome.requests).toHaveLength(1);
    });
  });

  test("ends in time if the service does not respond when a label is looked up", async () => {
    const end = endTimeLimits();
    const { run } = await createCli({
      respond: ({ path }) => {
        if (path !== lookup) return undefined;
        setImmediate(end);
        return new Promise(() => {});
      },
    });
    const outcome = await run("rentals wait trainer --wait-timeout 10s --timeout 1h --sandbox");
    expect(outcome).toMatchObject({ code: 8, out: "", slept: [] });
    expect(outcome.err).toBe(
      "Error: timed out waiting: the label could not be looked up in time\nThe rental was not changed and may still be billed.\n",
    );
  });

  test("counts the time to look up a label toward --wait-timeout", async () => {
    const { run, advance } = await createCli({
      respond: ({ path, method }) => {
        if (method === "GET" && path.endsWith("-rentals")) advance(2_500);
        return undefined;
      },
    });
    await run(`${vm} --label trainer`);
    const { code, slept } = await run("rentals wait trainer --for terminated --wait-timeout 10s --sandbox");
    expect({ code, waited: slept.reduce((sum, one) => sum + one, 0) }).toEqual({
      code: 8,
      waited: expect.closeTo(5_000, -3),
    });
  });

  test("ends in time although the clock is set back", async () => {
    let lookups = 0;
    const { run, advance } = await createCli({
      respond: ({ path }) => {
        if (path !== lookup) return undefined;
        lookups += 1;
        if (lookups === 3) advance(-hour);
        return Response.json({ id: 1, status: "Pending" });
      },
    });
    const outcome = await run("rentals wait 1 --wait-timeout 10s --sandbox");
    expect(outcome).toMatchObject({ code: 8, slept: [1000, 2000, 4000, 3000] });
  });

  test("ends in time although the clock is set back while requests take long", async () => {
    const pass = steadyClock();
    const { run, advance } = await createCli({
      respond: ({ path }) => {
        if (path !== lookup) return undefined;
        advance(-hour);
        pass(8_000);
        return Response.json({ id: 1, status: "Pending" });
      },
    });
    const outcome = await run("rentals wait 1 --wait-timeout 20s --sandbox");
    expect(outcome).toMatchObject({ code: 8, slept: [1000, 2000] });
  });

  test("exits with 130 after Ctrl-C", async () => {
    const { run } = await createCli({ respond: lookupReturns({ id: 1, status: "Pending" }) });
    const outcome = await run("rentals wait 1 --sandbox", { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ code: 130, out: "" });
  });
});

describe("rentals create --wait", () => {
  test("prints the rental once it runs", async () => {
    const { run } = await createCli();
    const { code, out, err, slept } = await run(`${vm} --wait -o json`);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ id: 1001, status: "Running" });
    expect(err).toContain("Rental 1001 created");
    expect(slept).toEqual([1000, 2000]);
  });

  test("exits with 8 and names the rental if the wait times out", async () => {
    // The wait also counts real time, which depends on the machine.
    const realTime = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    onTestFinished(() => realTime.mockRestore());
    const { run } = await createCli({ respond: lookupReturns({ id: 1001, status: "Pending" }) });
    const outcome = await run(`${vm} --wait --wait-timeout 3s`);
    expect(outcome).toMatchObject({ code: 8, out: "", slept: [1000, 2000] });
    expect(outcome.err).toContain("rental 1001");
    expect(outcome.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("says that the rental was created, not that nothing was changed, if the lookup responds with another rental", async () => {
    const { run } = await createCli({ respond: lookupReturns({ id: 777, status: "Running" }) });
    const outcome = await run(`${vm} --wait`);
    expect(outcome).toMatchObject({ code: 7, out: "" });
    expect(outcome.err).toContain("Rental 1001 was created and is billed. Do not create it again.");
    expect(outcome.err).not.toContain("Nothing was changed");
  });
});
