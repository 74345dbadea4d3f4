import { describe, expect, test } from "vitest";
import { createCli, type Responder } from "../support/cli.ts";

const states = ["Pending", "Pending", "Booting", "Running"];

/** A service whose rental has these states, one for each lookup. */
const starting = (): Responder => {
  const left = [...states];
  return ({ path }) =>
    path === "/v2/on-demand/rental" ? Response.json({ id: 1001, status: left.shift() }) : undefined;
};

const wait = "rentals wait 1001 --sandbox -o json";

describe("progress", () => {
  test("is animated on a terminal, with --no-input as well", async () => {
    const { run } = await createCli({ respond: starting() });
    const { shown, err } = await run(`${wait} --no-input`, { terminal: 80 });
    expect(err).toBe("");
    expect(shown).toEqual([
      "Waiting until rental 1001 is running",
      "Waiting until rental 1001 is running; it is Pending",
      "Waiting until rental 1001 is running; it is Pending",
      "Waiting until rental 1001 is running; it is Booting",
    ]);
  });

  test.each([{ TERM: "dumb" }, { CI: "1" }])(
    "is shown with %j as plain lines, one for each new text",
    async (env) => {
      const { run } = await createCli({ respond: starting() });
      const { shown, err } = await run(wait, { terminal: 80, env });
      expect(shown).toEqual([]);
      expect(err).toBe(
        [
          "Waiting until rental 1001 is running",
          "Waiting until rental 1001 is running; it is Pending",
          "Waiting until rental 1001 is running; it is Booting",
          "",
        ].join("\n"),
      );
    },
  );

  test.each([
    ["", {}, undefined],
    ["--quiet", {}, 80],
    ["--quiet", { TERM: "dumb" }, 80],
    ["--dry-run", {}, 80],
  ])("is not shown (flag: %s, environment: %j, columns of the terminal: %s)", async (flag, env, terminal) => {
    const { run } = await createCli({ respond: starting() });
    const { shown, err } = await run(`${wait} ${flag}`, { env, ...(terminal && { terminal }) });
    expect({ shown, err }).toEqual({ shown: [], err: "" });
  });

  test.each([
    ["image cat -n 2", ["Generating 2 images", "Generating 2 images: 1 done", "Generating 2 images: 2 done"]],
    ["tts hello", ["Generating speech"]],
    ["chat hello", ["Thinking"]],
    ["chat hello -o json", ["Thinking"]],
    ["volumes create --label data --size-in-gb 256 --region us-central-1", ["Creating the volume"]],
    ["rentals create vm --gpus 1 --yes", ["Creating the rental"]],
  ])("shows that %s is in progress", async (line, texts) => {
    const { run } = await createCli();
    const { code, shown, err } = await run(`${line} --sandbox`, { terminal: 80 });
    expect({ code, shown, err: code === 0 ? "" : err }).toEqual({ code: 0, shown: texts, err: "" });
  });
});
