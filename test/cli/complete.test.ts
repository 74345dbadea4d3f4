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
  cachePath(folders, kind, resolveSettings({ cli, flags: globalFlags, env, config: {}, for: "use" }));

const kept = (at: number, ...ids: string[]) =>
  JSON.stringify({ at, values: ids.map((value) => ({ value, description: `label of ${value}` })) });

/** A shell's question at minute 1000, among files by path; asking the service anew may change them. */
async function ask(line: readonly string[], files: Record<string, string>, refill = () => {}) {
  let asked = 0;
  const system: CompletionSystem = {
    env,
    clock: { now: () => 1000 * minute, sleep: async () => {} },
    files: {
      cwd: "/",
      folders,
      user: undefined,
      read: async () => new Uint8Array(),
      readText: (path) => files[path],
      stat: () => undefined,
      isWritable: () => false,
    },
    refreshCache: async () => {
      asked += 1;
      refill();
    },
  };
  return { out: await complete(line, system), asked };
}

describe("what a shell gets for a Tab", () => {
  const path = pathFor("rental");

  test("comes from the cache while it is fresh, without a request", async () => {
    const files = { [path]: kept(1000 * minute - freshMs + 1, "1001", "2002") };
    expect(await ask(["rental"], files)).toEqual({
      out: "1001\tlabel of 1001\n2002\tlabel of 2002\n",
      asked: 0,
    });
    expect(await ask(["rental", "2"], files)).toEqual({ out: "2002\tlabel of 2002\n", asked: 0 });
  });

  test("is asked for anew, once, when the cache is older", async () => {
    const files = { [path]: kept(1000 * minute - freshMs, "1001") };
    const brought = await ask(["rental"], files, () => {
      files[path] = kept(1000 * minute, "1002");
    });
    expect(brought).toEqual({ out: "1002\tlabel of 1002\n", asked: 1 });
  });

  test("is what was there before when the service is too slow, for an hour", async () => {
    expect(await ask(["rental"], { [path]: kept(1000 * minute - maxAgeMs + 1, "1001") })).toEqual({
      out: "1001\tlabel of 1001\n",
      asked: 1,
    });
    expect(await ask(["rental"], { [path]: kept(1000 * minute - maxAgeMs, "1001") })).toEqual({
      out: "",
      asked: 1,
    });
  });

  test.each([
    ["broken JSON", "{"],
    ["something else", '{"at":60000000,"values":[1]}'],
    ["what the future wrote", kept(1001 * minute, "1001")],
  ])("is nothing for %s", async (_what, text) => {
    expect(await ask(["rental"], { [path]: text })).toEqual({ out: "", asked: 1 });
  });

  test("is of the service and the account that the line names", async () => {
    const files = { [path]: kept(1000 * minute, "1001") };
    for (const other of [["--sandbox"], ["--base-url", "https://other.example.com"]]) {
      expect(await ask(["rental", "", ...other], files)).toEqual({ out: "", asked: 1 });
    }
    expect(pathFor("volume")).not.toBe(path);
    expect(path).not.toContain("abcd1234");
  });

  test.each([
    [[]],
    [["key"]],
    [["rental", "", "--profile", "nobody"]],
    [["rental", "", "--retries", "many"]],
  ])("is nothing, without a request, for %j", async (line) => {
    expect(await ask(line, {})).toEqual({ out: "", asked: 0 });
  });

  test("is the names of profiles, which need no service", async () => {
    const config = { profile: "a b", profiles: { "a b": {}, work: {}, "c\nd": {} } };
    const files = { "/config/config.json": JSON.stringify(config) };
    expect(await ask(["profile"], files)).toEqual({ out: "a b\t\nwork\t\n", asked: 0 });
    expect(await ask(["profile", "w", "--profile", "nobody"], files)).toEqual({ out: "work\t\n", asked: 0 });
    expect(await ask(["profile"], { "/config/config.json": "{" })).toEqual({ out: "", asked: 0 });
  });
});
