import { describe, expect, test } from "vitest";
import { cachePath, freshMs, maxAgeMs } from "../../src/cli/complete/cache.ts";
import { type CompletionSystem, complete } from "../../src/cli/complete/complete.ts";
import { globalFlags } from "../../src/cli/parse/globals.ts";
import { resolveSettings } from "../../src/config/settings.ts";
import { key } from "../support/service.ts";

const minute = 60_000;
const folders = { config: "/config", state: "/state", temporary: "/tmp" };
const env = { GPUCTL_BASE_URL: "https://api.example.com", GPUCTL_API_KEY: key };
const pathFor = (kind: "rental" | "volume", cli = {}) =>
  cachePath(
    folders,
    { kind, operation: "" },
    resolveSettings({ cli, flags: globalFlags, env, config: {}, for: "use" }),
  );

const cached = (at: number, ...ids: string[]) =>
  JSON.stringify({ at, values: ids.map((value) => ({ value, description: `label of ${value}` })) });

/**
 * The completions of a command line when the clock shows minute 1000. `files` maps paths to contents; `refresh` can
 * change `files`.
 */
async function completionsOf(line: readonly string[], files: Record<string, string>, refresh = () => {}) {
  let refreshes = 0;
  const system: CompletionSystem = {
    env,
    clock: { now: () => 1000 * minute, sleep: async () => {} },
    files: {
      cwd: "/",
      folders,
      user: undefined,
      processes: { self: "this one", isRunning: () => true, isHere: () => true },
      read: async () => new Uint8Array(),
      readText: (path) => files[path],
      stat: () => undefined,
      isWritable: () => false,
    },
    refreshCache: async () => {
      refreshes += 1;
      refresh();
    },
  };
  return { out: await complete(line, system), refreshes };
}

describe("completion values", () => {
  const path = pathFor("rental");

  test("come from a fresh cache, without a request", async () => {
    const files = { [path]: cached(1000 * minute - freshMs + 1, "1001", "2002") };
    expect(await completionsOf(["rental"], files)).toEqual({
      out: "1001\tlabel of 1001\n2002\tlabel of 2002\n",
      refreshes: 0,
    });
    expect(await completionsOf(["rental", "2"], files)).toEqual({
      out: "2002\tlabel of 2002\n",
      refreshes: 0,
    });
  });

  test("that look like flags are never offered, because gpuctl would mistake them for flags", async () => {
    const files = { [path]: cached(1000 * minute, "--yes", "-o", "1001", "a-b") };
    expect(await completionsOf(["rental"], files)).toMatchObject({
      out: "1001\tlabel of 1001\na-b\tlabel of a-b\n",
    });
    expect(await completionsOf(["rental", "-"], files)).toMatchObject({ out: "" });
    const config = JSON.stringify({ profiles: { "--insecure-http": {}, work: {} } });
    expect(await completionsOf(["profile"], { "/config/config.json": config })).toMatchObject({
      out: "work\t\n",
    });
  });

  test("are refreshed once when the cache is stale", async () => {
    const files = { [path]: cached(1000 * minute - freshMs, "1001") };
    const completed = await completionsOf(["rental"], files, () => {
      files[path] = cached(1000 * minute, "1002");
    });
    expect(completed).toEqual({ out: "1002\tlabel of 1002\n", refreshes: 1 });
  });

  test("fall back to values less than an hour old when a refresh fails or is too slow", async () => {
    expect(await completionsOf(["rental"], { [path]: cached(1000 * minute - maxAgeMs + 1, "1001") })).toEqual(
      {
        out: "1001\tlabel of 1001\n",
        refreshes: 1,
      },
    );
    expect(await completionsOf(["rental"], { [path]: cached(1000 * minute - maxAgeMs, "1001") })).toEqual({
      out: "",
      refreshes: 1,
    });
  });

  test.each([
    ["broken JSON", "{"],
    ["JSON of another shape", '{"at":60000000,"values":[1]}'],
    ["values from the future", cached(1001 * minute, "1001")],
  ])("are empty if the cache has %s", async (_what, text) => {
    expect(await completionsOf(["rental"], { [path]: text })).toEqual({ out: "", refreshes: 1 });
  });

  test("belong to the service that the command line selects", async () => {
    const files = { [path]: cached(1000 * minute, "1001") };
    for (const other of [["--sandbox"], ["--base-url", "https://other.example.com"]]) {
      expect(await completionsOf(["rental", "", ...other], files)).toEqual({ out: "", refreshes: 1 });
    }
    expect(pathFor("volume")).not.toBe(path);
    expect(path).not.toContain("abcd1234");
  });

  test.each([
    [[]],
    [["key"]],
    [["rental", "", "--profile", "missing"]],
    [["rental", "", "--retries", "many"]],
  ])("are empty for the invalid arguments %j, without a request", async (line) => {
    expect(await completionsOf(line, {})).toEqual({ out: "", refreshes: 0 });
  });

  test("include profile names, without a request", async () => {
    const config = { profile: "a b", profiles: { "a b": {}, work: {}, "c\nd": {} } };
    const files = { "/config/config.json": JSON.stringify(config) };
    expect(await completionsOf(["profile"], files)).toEqual({ out: "a b\t\nwork\t\n", refreshes: 0 });
    expect(await completionsOf(["profile", "w", "--profile", "missing"], files)).toEqual({
      out: "work\t\n",
      refreshes: 0,
    });
    expect(await completionsOf(["profile"], { "/config/config.json": "{" })).toEqual({
      out: "",
      refreshes: 0,
    });
  });
});
