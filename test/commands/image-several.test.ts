import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCli, type Responder } from "../support/cli.ts";
import { base64, saved, tinyPng } from "../support/pictures.ts";
import { overNetwork } from "../support/service.ts";

const picture = () => Response.json({ images: [{ image: base64(tinyPng()) }] });
const refused = (status: number, headers = {}) =>
  Response.json({ code: "NO", message: `Refused with ${status}`, issues: [] }, { status, headers });

/** Responds with `respond`. Counts the requests in progress (`seen`), and the attempts for each seed (`attempts`). */
function service(respond: (seed: number, attempt: number) => Response | Promise<Response>) {
  const attempts = new Map<number, number>();
  const seen = { underWay: 0, most: 0 };
  const responder: Responder = async ({ body }) => {
    const seed = (body as { seed: number }).seed;
    attempts.set(seed, (attempts.get(seed) ?? 0) + 1);
    seen.underWay += 1;
    seen.most = Math.max(seen.most, seen.underWay);
    await new Promise(setImmediate);
    const response = await respond(seed, attempts.get(seed) ?? 0);
    seen.underWay -= 1;
    return response;
  };
  return { responder, seen, attempts };
}

const names = (out: string, folder: string) =>
  out
    .trimEnd()
    .split("\n")
    .filter(Boolean)
    .map((path) => path.slice(folder.length + 1));

describe("image with several pictures", () => {
  test.each([
    ["", 4],
    ["--concurrency 1", 1],
    ["--concurrency 3", 3],
    ["--concurrency 32", 6],
  ])("and the flags '%s' has up to %i requests in progress at once", async (flags, most) => {
    const { responder, seen } = service(picture);
    const { run, folder } = await createCli({ respond: responder });
    const { code, out } = await run(`image cat -n 6 --seed 1 ${flags} --out c.png`, overNetwork());
    expect({ code, most: seen.most }).toEqual({ code: 0, most });
    expect(names(out, folder)).toEqual(["c-1.png", "c-2.png", "c-3.png", "c-4.png", "c-5.png", "c-6.png"]);
  });

  test("in progress at once causes no warning of Node.js about listeners", async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => void warnings.push(name);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const { responder, seen } = service(picture);
    const { run } = await createCli({ respond: responder });
    const { code } = await run("image cat -n 20 --concurrency 20 --out c.png", overNetwork());
    expect({ code, most: seen.most, warnings }).toEqual({ code: 0, most: 20, warnings: [] });
  });

  test.each(["0", "33", "many"])("rejects --concurrency %s", async (value) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(`image cat -n 2 --concurrency ${value} --sandbox`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("--concurrency");
  });

  test.each(["10001", "5000000000"])("rejects -n %s", async (value) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(`image cat -n ${value} --sandbox`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("--count must be a whole number from 1 to 10000");
  });

  test("prints paths in the order of the requests, whichever picture arrives first", async () => {
    const arrived: (() => void)[] = [];
    const { responder } = service(async (seed) => {
      if (seed === 1) await new Promise<void>((resolve) => arrived.push(resolve));
      if (seed === 3) arrived.pop()?.();
      return picture();
    });
    const { run, folder } = await createCli({ respond: responder });
    const { out } = await run("image cat -n 3 --seed 1 --out {seed}.png", overNetwork());
    expect(names(out, folder)).toEqual(["1.png", "2.png", "3.png"]);
  });

  test("checks --max-cost for all pictures before anything is sent", async () => {
    const { run } = await createCli();
    const line = "image cat -n 6 --concurrency 6 --sandbox --max-cost";
    expect(await run(`${line} 0.0719`)).toMatchObject({ code: 11, requests: [] });
    expect(await run(`${line} 0.072`)).toMatchObject({ code: 0 });
  });
});

describe("image with several pictures, when requests fail,", () => {
  test.each([
    ["a response of 500", 500, 10, "the outcome is unknown"],
    ["a broken connection", 0, 10, "the outcome is unknown"],
  ])("saves the other pictures after %s", async (_what, status, expected, message) => {
    const { responder, attempts } = service((seed) => {
      if (seed !== 2) return picture();
      if (status === 0) return new Response(brokenBody());
      return refused(status);
    });
    const { run, folder } = await createCli({ respond: responder });
    const line = "image cat -n 5 --seed 1 --concurrency 2 --out {seed}.png";
    const { code, out, err } = await run(line, overNetwork());
    expect({ code, saved: names(out, folder) }).toEqual({
      code: expected,
      saved: ["1.png", "3.png", "4.png", "5.png"],
    });
    expect(err).toContain("1 of 5 images failed\n  image 2: ");
    expect(err).toContain(message);
    expect(err).toContain(
      "4 images, $0.048 spent (estimated from the documented price); 1 more may have been charged",
    );
    expect(attempts.get(2)).toBe(1);
  });

  test("names the flag of a field that the service rejects", async () => {
    const issues = [{ path: ["steps"], message: "is too large" }];
    const { responder } = service((seed) =>
      seed === 2 ? Response.json({ code: "BAD_REQUEST", message: "No", issues }, { status: 400 }) : picture(),
    );
    const { run } = await createCli({ respond: responder });
    const line = "image cat -n 2 --seed 1 --steps 30 --concurrency 1 --out {seed}.png";
    const { code, err } = await run(line, overNetwork());
    expect(code).toBe(12);
    expect(err).toMatch(/image 2: No .*: --steps \(steps\) is too large/);
  });

  test("sends no more requests after three unknown outcomes in a row", async () => {
    const { responder, attempts } = service(() => refused(500));
    const { run } = await createCli({ respond: responder });
    const { code, err } = await run("image cat -n 9 --seed 1 --concurrency 1", overNetwork());
    expect({ code, sent: attempts.size }).toEqual({ code: 10, sent: 3 });
    expect(err).toContain("6 other images: not tried, because image 3 failed");
  });

  test("reports a response of 422 once, and sends no more requests", async () => {
    const { responder, attempts } = service(() => refused(422));
    const { run } = await createCli({ respond: responder });
    const { code, out, err } = await run("image cat -n 9 --seed 1 --concurrency 2", overNetwork());
    expect({ code, out, sent: attempts.size }).toEqual({ code: 6, out: "", sent: 2 });
    expect(err).toContain("Error: Refused with 422");
  });
});

const brokenBody = () =>
  new ReadableStream({
    pull: (stream) => stream.error(Object.assign(new Error("reset"), { code: "ECONNRESET" })),
  });

describe("image after a response of 429", () => {
  test("waits as long as the service asks, sends half as many requests at once, and sends the request again", async () => {
    const most: number[] = [];
    const { responder, seen, attempts } = service((seed, attempt) => {
      most.push(seen.underWay);
      return seed <= 4 && attempt === 1 ? refused(429, { "retry-after": "7" }) : picture();
    });
    const { run, folder } = await createCli({ respond: responder });
    const line = "image cat -n 6 --seed 1 --concurrency 4 --out {seed}.png";
    const { code, out, slept } = await run(line, overNetwork());
    expect({ code, saved: names(out, folder).length }).toEqual({ code: 0, saved: 6 });
    expect([...attempts.values()]).toEqual([2, 2, 2, 2, 1, 1]);
    expect(new Set(slept)).toEqual(new Set([7_000]));
    expect(Math.max(...most.slice(4, 7))).toBe(2);
  });

  test("waits no longer than the service asks, even if the system's clock is set back meanwhile", async () => {
    const { responder } = service((seed, attempt) =>
      seed === 1 && attempt === 1 ? refused(429, { "retry-after": "7" }) : picture(),
    );
    const cli = await createCli({ respond: responder });
    let isSetBack = false;
    const onSleep = () => {
      if (!isSetBack) cli.advance(-3_600_000);
      isSetBack = true;
    };
    const { code, slept } = await cli.run("image cat -n 2 --seed 1 --out c.png", {
      ...overNetwork(),
      onSleep,
    });
    expect(code).toBe(0);
    expect(Math.max(...slept)).toBe(7_000);
  });

  test("without Retry-After, waits longer each time, until --retries is reached", async () => {
    const { responder, attempts } = service((seed) => (seed === 1 ? picture() : refused(429)));
    const { run, folder } = await createCli({ respond: responder });
    const line = "image cat -n 3 --seed 1 --concurrency 1 --retries 2 --out {seed}.png";
    const { code, out, slept, err } = await run(line, overNetwork());
    expect({ code, saved: names(out, folder), slept }).toEqual({
      code: 12,
      saved: ["1.png"],
      slept: [500, 1000],
    });
    expect(attempts.get(2)).toBe(3);
    expect(err).toContain("image 2: Refused with 429");
    expect(err).toContain("image 3: not tried, because image 2 failed");
  });

  test.each([
    ["with --retries 0", "--retries 0", "1"],
    ["when the wait is too long", "", "3600"],
  ])("sends no request again %s", async (_what, flags, seconds) => {
    const { responder, attempts } = service(() => refused(429, { "retry-after": seconds }));
    const { run } = await createCli({ respond: responder });
    const { code, slept } = await run(`image cat -n 5 --seed 1 --concurrency 1 ${flags}`, overNetwork());
    expect({ code, slept, sent: attempts.size }).toEqual({ code: 9, slept: [], sent: 1 });
  });

  test.each(["1", "3"])(
    "fails with the 429 if every response is a 429, with %s requests at once",
    async (concurrency) => {
      const { responder } = service(() => refused(429));
      const { run } = await createCli({ respond: responder });
      const line = `image cat -n 8 --seed 1 --concurrency ${concurrency} -o json`;
      const { code, err } = await run(line, overNetwork());
      expect(code).toBe(9);
      expect(JSON.parse(err).error).toMatchObject({
        code: "NO",
        message: "Refused with 429",
        status: 429,
        retryable: true,
        hint: expect.stringContaining("Too many requests"),
        request: { method: "POST" },
      });
    },
  );

  test("does not repeat the request if there is only one picture", async () => {
    const { responder, attempts } = service(() => refused(429, { "retry-after": "1" }));
    const { run } = await createCli({ respond: responder });
    expect(await run("image cat --seed 1", overNetwork())).toMatchObject({ code: 9, slept: [] });
    expect(attempts.get(1)).toBe(1);
  });
});

test("image stops the requests in progress after Ctrl-C, names the saved pictures, and exits with 130", async () => {
  const controller = new AbortController();
  const { responder } = service((seed) => {
    if (seed !== 3) return picture();
    return new Response(
      new ReadableStream({
        start: (stream) => stream.enqueue(Buffer.from('{"images":[{"image":"iVBORw0K')),
        pull: () => controller.abort(),
      }),
    );
  });
  const cli = await createCli({ respond: responder });
  const line = "image cat -n 9 --seed 1 --concurrency 1 --out {seed}.png";
  const { code, out, err } = await cli.run(line, { ...overNetwork(), signal: controller.signal });
  expect({ code, saved: names(out, cli.folder) }).toEqual({ code: 130, saved: ["1.png", "2.png"] });
  expect(err).toContain("interrupted after 2 of 9 images\n  image 3: ");
  expect(err).toContain("6 other images: interrupted before the request");
  expect(err).toContain(`Saved before the failure: ${join(cli.folder, "1.png")}`);
  const [, kept = ""] = /The incomplete response was saved to (\S+)\./.exec(err) ?? [];
  expect(await readFile(kept, "utf8")).toBe('{"images":[{"image":"iVBORw0K');
  expect((await saved(cli)).filter((name) => name.endsWith(".part"))).toEqual([]);
});

test("image prints a line for each finished or failed picture on a terminal without animation", async () => {
  const { responder } = service((seed) => (seed === 2 ? refused(500) : picture()));
  const { run } = await createCli({ respond: responder });
  const options = { ...overNetwork({ TERM: "dumb" }), terminal: 80 };
  const { err } = await run("image cat -n 3 --seed 1 --concurrency 1 --out {seed}.png", options);
  expect(err).toContain(
    "Generating 3 images\nGenerating 3 images: 1 done\nGenerating 3 images: 1 done, 1 failed\nGenerating 3 images: 2 done, 1 failed\n",
  );
});
