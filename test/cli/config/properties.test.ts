import { readFile, writeFile } from "node:fs/promises";

import { expect, test } from "vitest";
import { configKeys } from "../../../src/config/keys.ts";
import { createCli } from "../../support/cli.ts";
import { anyCharacter, fc, runs } from "../../support/property.ts";

const key = "sk-in-a-file-0123456789";

test("whatever a configuration contains, it is used or refused, never changed, and its key is not shown", async () => {
  const { run, folder } = await createCli();
  await run("config set retries 1");
  const path = (await run("config path")).out.trim();
  expect(path.startsWith(folder)).toBe(true);
  const name = fc.constantFrom("default", "work", "__proto__", "");
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom("true", "1", "https://api.example.com"),
  );
  const setting = fc.oneof(
    fc.constantFrom(...configKeys.map((one) => one.name)),
    fc.constantFrom("budget", "chat", "x"),
  );
  const profile = fc.dictionary(setting, value, { maxKeys: 4 }).map((one) => ({ ...one, apiKey: key }));
  const text = fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .record({ profile: name, profiles: fc.dictionary(name, profile, { maxKeys: 3 }) })
        .map((one) => JSON.stringify(one)),
    },
    { weight: 1, arbitrary: fc.jsonValue().map((one) => JSON.stringify(one)) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter }).map((one) => `${one}${key}`) },
  );
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom("config list", "profile list", "profile show"),
      async (content, line) => {
        await writeFile(path, content, { mode: 0o600 });
        const { code, out, err } = await run(line);
        expect([0, 2, 5], err).toContain(code);
        expect(out + err).not.toContain(key);
        expect(await readFile(path, "utf8")).toBe(Buffer.from(content).toString("utf8"));
      },
    ),
    runs(60),
  );
});

test("config get prints a value exactly as it was set, until the value is unset", async () => {
  const { run } = await createCli();
  const values = fc.oneof(
    fc.tuple(fc.constant("chat.model"), fc.stringMatching(/^[A-Za-z0-9][\w./:-]{0,30}$/)),
    fc.tuple(fc.constant("retries"), fc.integer({ min: 0, max: 10 }).map(String)),
    fc.tuple(
      fc.constant("budget.maxBurn"),
      fc.integer({ min: 0, max: 10_000 }).map((cents) => (cents / 100).toFixed(2)),
    ),
  );
  await fc.assert(
    fc.asyncProperty(values, async ([name, text]) => {
      expect(await run(["config", "set", name, text])).toMatchObject({ code: 0 });
      expect(await run(["config", "get", name])).toMatchObject({ code: 0, out: `${text}\n` });
      expect(await run(["config", "unset", name])).toMatchObject({ code: 0 });
      expect((await run(["config", "get", name])).out).not.toBe(`${text}\n`);
    }),
    runs(25),
  );
});
