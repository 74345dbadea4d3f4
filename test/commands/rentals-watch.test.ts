import { describe, expect, test } from "vitest";
import { createCli, type Responder, type RunOptions } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const list = "/v2/on-demand/virtual-machine-rentals";
const pending = { id: 1, label: "a", status: "Pending", gpuCount: 1, gpuType: "h100" };
const running = { ...pending, status: "Running" };
const other = { id: 2, label: "b", status: "Running", gpuCount: 1, gpuType: "h100" };

/** Prepares a watch of a service that returns the next listing at each poll. After the last one, presses Ctrl-C. */
async function watching(listings: readonly (readonly unknown[] | Response)[], options: RunOptions = {}) {
  const controller = new AbortController();
  const left = [...listings];
  const respond: Responder = ({ path }) => {
    if (path !== list) return undefined;
    const listing = left.shift();
    if (listing instanceof Response) return listing;
    if (listing !== undefined) return Response.json(listing);
    controller.abort();
    return new Promise<Response>(() => {});
  };
  // After a 404, gpuctl looks for a replacement operation. This service describes none.
  const { run } = await createCli({ respond, only: "documented" });
  const watch = (line: string) =>
    run(`rentals list --type vm --retries 0 ${line}`, {
      ...overNetwork(options.env),
      ...options,
      env: { ...overNetwork().env, ...options.env },
      signal: controller.signal,
    });
  return { watch };
}

test.each([429, 408, 503])("rentals list --watch continues after a response of %i", async (status) => {
  const limited = Response.json({ code: "LATER", message: "later", issues: [] }, { status });
  const { watch } = await watching([[pending], limited, [running]]);
  const { code, out, err } = await watch("--watch");
  expect(code).toBe(130);
  expect(out).toContain("was Pending");
  expect(err).toContain("failed: later. Last updated");
});

const failing = () => Response.json({ code: "OOPS", message: "out of order", issues: [] }, { status: 500 });

const control = /\u001b/;

describe("rentals list --watch in a pipe", () => {
  test("prints the table again after a change, without control sequences, until Ctrl-C", async () => {
    const { watch } = await watching([[pending], [pending], [running, other], [running, other], [other]]);
    const { code, out, err, slept } = await watch("--watch");
    expect({ code, err }).toEqual({ code: 130, err: "" });
    expect(out).not.toMatch(control);
    expect(slept.every((pause) => pause === 5000)).toBe(true);
    const [first = "", second = "", third = "", ...rest] = out.split("\n\n");
    expect(rest).toEqual([]);
    expect(first).toMatch(/^ID +LABEL +STATE +CHANGE .*\n1 +a +Pending +- /);
    expect(second).toMatch(/\n1 +a +Running +was Pending .*\n2 +b +Running +new /);
    expect(third).toMatch(/\n2 +b +Running +- .*\nRental 1 is no longer listed; it was Running\.\n$/);
  });

  test("-o id prints each ID when the rental is first seen", async () => {
    const { watch } = await watching([[], [pending], [running, other], [other]]);
    expect(await watch("--watch 1s -o id")).toMatchObject({ code: 130, out: "1\n2\n", err: "" });
  });

  test.each([
    ["-o json", "the output format json: use --output table, jsonl or id"],
    ["-o jsonl --jq .", "--jq cannot be used together: --jq can filter only a single result"],
  ])("%s is rejected, because a watch does not print a single document", async (flags, message) => {
    const { watch } = await watching([[]]);
    const outcome = await watch(`--watch ${flags}`);
    expect(outcome).toMatchObject({ code: 2, out: "", requests: [] });
    expect(outcome.err).toContain(message);
  });

  test("reports several failed polls once, and polls again", async () => {
    const { watch } = await watching([[pending], failing(), failing(), [running]]);
    const { code, out, err } = await watch("--watch");
    expect(code).toBe(130);
    expect(err).toMatch(/^The update at \d\d:\d\d:\d\d failed: out of order\..*press Ctrl-C to exit\n$/);
    expect(out).toContain("was Pending");
    expect(out.match(/^ID /gm)).toHaveLength(2);
  });

  test.each([
    [401, 3],
    [403, 4],
    [404, 5],
  ])("a response of %i ends the watch with exit code %i", async (status, code) => {
    const refusal = Response.json({ code: "NO", message: "no", issues: [] }, { status });
    const { watch } = await watching([[pending], refusal, []]);
    expect(await watch("--watch")).toMatchObject({ code });
  });

  test("a failed first poll ends the watch", async () => {
    const { watch } = await watching([failing(), [pending]]);
    expect(await watch("--watch")).toMatchObject({ code: 7, out: "" });
  });

  test("reports an empty list once, on stderr", async () => {
    const { watch } = await watching([[], [], []]);
    expect(await watch("--watch")).toMatchObject({ code: 130, out: "", err: "No active rentals.\n" });
  });
});

describe("rentals list --watch on a terminal", () => {
  const terminal = { terminal: 80, env: {} };

  test("uses the alternate screen, shows how to exit, and prints the last list at the end", async () => {
    const { watch } = await watching([[pending], [running]], terminal);
    const { code, out, err } = await watch("--watch 2s --color never");
    expect({ code, err }).toEqual({ code: 130, err: "" });
    const [before, screens = "", after] = out.split(/\u001b\[\?1049[hl]/);
    const [none, first, second, ...more] = screens.split("\u001b[H\u001b[J");
    expect([before, none, more]).toEqual(["", "", []]);
    expect(first).toMatch(/Pending[\s\S]*\n\nUpdated at \d\d:\d\d:\d\d, every 2s; press Ctrl-C to exit\n$/);
    expect(second).toContain("was Pending");
    expect(after).toMatch(/^ID .*\n1 +a +Running +was Pending .*\n$/);
  });

  test("says which columns do not fit", async () => {
    const { watch } = await watching([[{ ...pending, region: "us-central-1" }]], {
      ...terminal,
      terminal: 40,
    });
    const { out } = await watch("--watch --color never");
    expect(out).toContain(
      "\nColumns left out to fit: REGION. See --columns id,region or -o json.\nUpdated at",
    );
  });

  test("shows at most as many lines as the window has", async () => {
    const many = Array.from({ length: 40 }, (_, id) => ({ ...running, id: id + 1 }));
    const { watch } = await watching([many], { ...terminal, rows: 10 });
    const { out } = await watch("--watch --color never");
    const [, screen = ""] = out.split(/\u001b\[\?1049[hl]/);
    expect(screen.split("\n")).toHaveLength(10);
    expect(screen).toContain("… and 35 more\n");
  });

  test("shows a failed poll on the same screen, below the last result", async () => {
    const { watch } = await watching([[pending], failing()], terminal);
    const { out, err } = await watch("--watch --color never");
    expect(err).toBe("");
    expect(out).toMatch(/failed: out of order.*Last updated at \d\d:\d\d:\d\d/);
    expect(out.match(/Pending/g)).toHaveLength(3);
  });

  test.each([
    ["", { TERM: "dumb" }],
    ["", { CI: "1" }],
    ["--quiet", {}],
  ])("does not redraw the screen with %s %j", async (flag, env) => {
    const { watch } = await watching([[pending], [pending], [running]], { ...terminal, env });
    const { out, err } = await watch(`--watch --color never ${flag}`);
    expect(out + err).not.toMatch(control);
    expect(out.match(/^ID /gm)).toHaveLength(2);
    expect(err).toMatch(flag === "" ? /press Ctrl-C to exit\n$/ : /^$/);
  });
});

describe("the interval of rentals list --watch", () => {
  test.each([
    ["--watch", 5000],
    ["--watch 2s", 2000],
    ["--watch=1m30s", 90_000],
    ["--watch --include-cluster-pools", 5000],
    ["--watch -o table", 5000],
  ])("%s polls every %i ms", async (flags, interval) => {
    const { watch } = await watching([[pending], [pending]]);
    expect((await watch(flags)).slept[0]).toBe(interval);
  });

  test.each(["--watch 500ms", "--watch 0s", "--watch=soon", "--watch 5", "--watch="])(
    "%s is rejected, and nothing is sent",
    async (flags) => {
      const { watch } = await watching([[]]);
      const outcome = await watch(flags);
      expect(outcome).toMatchObject({ code: 2, out: "", requests: [] });
      expect(outcome.err).toContain("--watch");
    },
  );

  test("is the next argument, which is rejected if it is not a duration", async () => {
    const { watch } = await watching([[]]);
    const outcome = await watch("--watch everything");
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    expect(outcome.err).toContain('--watch must be a duration such as 30s, 2m or 1h30m, not "everything"');
  });
});

test("rentals list does not read --watch as the value of --type", async () => {
  const { watch } = await watching([[]]);
  const { err } = await watch("--type --watch");
  expect(err).toContain("--type requires a value, but the next word is --watch\n");
});

test("rentals list --watch --dry-run prints the request once", async () => {
  const { run } = await createCli();
  const { code, out, requests } = await run("rentals list --watch --type vm --dry-run --sandbox");
  expect({ code, requests }).toEqual({ code: 0, requests: [] });
  expect(out.match(/^GET /gm)).toHaveLength(1);
});
