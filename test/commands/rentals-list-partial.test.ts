import { describe, expect, test } from "vitest";
import { createCli, type Responder } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const paths = {
  vm: "/v2/on-demand/virtual-machine-rentals",
  "bare-metal": "/v2/on-demand/bare-metal-rentals",
};
const rental = { id: 7, status: "Running", label: "trainer", gpuCount: 2, gpuType: "h200" };
const refusal = (status: number) =>
  Response.json({ code: "REFUSED", message: "not today", issues: [] }, { status });

/** A service whose listing of `type` fails. By default, the other listing has one rental. */
const failing =
  (type: keyof typeof paths, status: number, other: readonly unknown[] = [rental]): Responder =>
  ({ path }) =>
    path === paths[type] ? refusal(status) : Response.json(other);

async function listing(respond: Responder, flags = "") {
  const { run } = await createCli({ respond });
  return run(`rentals list --retries 0 ${flags}`, overNetwork());
}

describe("rentals list when a listing fails or is interrupted", () => {
  test.each([
    [404, 5],
    [403, 4],
    [401, 3],
    [429, 9],
    [500, 7],
  ])("after a response of %i, the other listing is printed and the exit code is %i", async (status, code) => {
    const outcome = await listing(failing("bare-metal", status));
    expect(outcome.code).toBe(code);
    expect(outcome.out).toMatch(/^ID .*\n7 +trainer +Running .*\n$/);
    expect(outcome.err).toMatch(/^Error: not today.* \(GET \S+bare-metal-rentals returned \d+ REFUSED\)\n/);
    expect(outcome.err).toContain(
      "Only virtual machines are listed; there may be active bare-metal rentals.",
    );
  });

  test("bare-metal rentals are printed if the listing of virtual machines fails", async () => {
    const { code, out, err } = await listing(failing("vm", 403), "-o id");
    expect({ code, out }).toEqual({ code: 4, out: "7\n" });
    expect(err).toContain("Only bare-metal rentals are listed; there may be active virtual machines.");
  });

  test.each([
    ["json", JSON.stringify([rental])],
    ["jsonl", JSON.stringify(rental)],
    ["yaml", "id: 7"],
    ["csv", "7,trainer,Running"],
    ["tsv", "7\ttrainer\tRunning"],
  ])("-o %s prints the other listing, and one error document", async (format, printed) => {
    const { code, out, err } = await listing(failing("bare-metal", 404), `-o ${format}`);
    expect(code).toBe(5);
    expect(format === "json" ? JSON.stringify(JSON.parse(out)) : out).toContain(printed);
    expect(err.trimEnd()).not.toContain("\n");
    const { error } = JSON.parse(err);
    expect(error).toMatchObject({ code: "REFUSED", status: 404, exitCode: 5, retryable: false });
    expect(error.hint).toContain("Only virtual machines are listed");
    expect(error.request.url).toContain(paths["bare-metal"]);
  });

  test("--jq is applied to the other listing, and the error is retryable", async () => {
    const { code, out, err } = await listing(failing("bare-metal", 503), "--jq .[].label");
    expect({ code, out }).toEqual({ code: 7, out: "trainer\n" });
    expect(JSON.parse(err).error).toMatchObject({ exitCode: 7, retryable: true });
  });

  test("the error is that of the failed listing even if --jq fails on the other one", async () => {
    const { code, err } = await listing(failing("bare-metal", 429), "--jq .[].label|keys");
    expect(code).toBe(9);
    const { error } = JSON.parse(err);
    expect(error).toMatchObject({ status: 429, exitCode: 9 });
    expect(error.hint).toContain("--jq failed on the result");
    expect(error.hint).toContain("Only virtual machines are listed");
  });

  test("if the listing that succeeded is empty, the message is about its type only", async () => {
    const { code, out, err } = await listing(failing("bare-metal", 404, []));
    expect({ code, out }).toEqual({ code: 5, out: "" });
    expect(err).toMatch(/^No active virtual machines\.\nError: not today/);
    const json = await listing(failing("bare-metal", 404, []), "-o json");
    expect(json).toMatchObject({ code: 5, out: "[]\n" });
  });

  test("nothing is printed if both listings fail, or if the only requested listing fails", async () => {
    const both = await listing(() => refusal(403));
    expect(both).toMatchObject({ code: 4, out: "" });
    expect(both.err).not.toContain("Only");
    expect(await listing(failing("vm", 404), "--type vm -o json")).toMatchObject({ code: 5, out: "" });
  });

  test("nothing is printed after Ctrl-C", async () => {
    const controller = new AbortController();
    const { run } = await createCli({
      respond: ({ path }) => {
        if (path === paths.vm) return Response.json([rental]);
        controller.abort();
        return new Promise<Response>(() => {});
      },
    });
    const outcome = await run("rentals list", { ...overNetwork(), signal: controller.signal });
    expect(outcome).toMatchObject({ code: 130, out: "" });
  });
});

describe("rentals list --watch when one of its two listings fails", () => {
  /**
   * Watches one virtual machine and these bare-metal listings, one listing at each poll, and then presses Ctrl-C. A
   * number stands for a listing that fails with this status.
   */
  async function watching(bareMetal: readonly (readonly unknown[] | number)[], flags: string) {
    const controller = new AbortController();
    const left = [...bareMetal];
    const { run } = await createCli({
      respond: ({ path }) => {
        if (path === paths.vm) return Response.json([rental]);
        const next = left.shift();
        if (typeof next === "number") return refusal(next);
        if (next !== undefined) return Response.json(next);
        controller.abort();
        return new Promise<Response>(() => {});
      },
    });
    return run(`rentals list --retries 0 --watch ${flags}`, { ...overNetwork(), signal: controller.signal });
  }
  const metal = { id: 8, status: "Pending" };

  test.each([404, 403, 500])("a response of %i does not end the watch", async (status) => {
    const { code, out, err } = await watching([status, status, [metal]], "");
    expect(code).toBe(130);
    expect(out.split("\n\n").map((table) => /\n8 /.test(table))).toEqual([false, true]);
    expect(err).toMatch(
      /^Updated at \d\d:\d\d:\d\d, except for bare-metal rentals: not today.*\. Retrying every 5s; press Ctrl-C to exit\n$/,
    );
  });

  test("a failed listing leaves its rentals in the table as they were last seen", async () => {
    const { out } = await watching([[metal], 500, [{ ...metal, status: "Running" }]], "");
    expect(out).not.toContain("no longer listed");
    expect(out).toMatch(/\n8 +- +Running +was Pending /);
    expect(out.match(/^ID /gm)).toHaveLength(2);
  });

  test("-o jsonl prints only rentals from listings that succeeded", async () => {
    const { out } = await watching([[metal], 500], "-o jsonl");
    const ids = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect(ids).toEqual([7, 8, 7]);
  });
});
