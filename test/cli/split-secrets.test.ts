import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withoutSplitSecrets } from "../../src/cli/print/split-secrets.ts";
import { createRedactor } from "../../src/core/redact.ts";

const key = "sk-said-back-0123456789";

/** The texts that are released, and the largest number of records that were held back at one time. */
async function printed(texts: readonly string[]) {
  const redactor = createRedactor();
  redactor.add(key);
  const released: string[] = [];
  let sent = 0;
  let held = 0;
  async function* records() {
    for (const content of texts) {
      held = Math.max(held, sent - released.length);
      sent += 1;
      yield [{ choices: [{ delta: { content } }] }];
    }
  }
  for await (const batch of withoutSplitSecrets(records(), "choices", redactor)) {
    // Printing masks the secrets within each text.
    for (const one of batch)
      released.push(JSON.parse(redactor.redact(JSON.stringify(one))).choices[0].delta.content);
  }
  return { released, held };
}

describe("records are released as soon as their texts cannot be part of a secret", () => {
  test.each([
    ["the first character of a secret", "s"],
    ["the rest of a secret and the first character of the next one", `${key.slice(1)}s`],
    ["half of a secret", key.slice(0, 9)],
  ])("even if each text is %s", async (_name, text) => {
    const texts = Array.from({ length: 500 }, () => text);
    const { released, held } = await printed(["s", ...texts]);
    expect(released).toHaveLength(texts.length + 1);
    expect(released.join("")).not.toContain(key);
    expect(held).toBeLessThan(3);
  });

  test("even if empty texts follow the first character of a secret", async () => {
    const texts = ["s", ...Array.from({ length: 100 }, () => "")];
    const { released, held } = await printed(texts);
    expect(released).toEqual(texts);
    expect(held).toBeLessThan(20);
  });
});

test("secrets are masked in the same way however the text is split", async () => {
  const piece = fc.oneof(
    fc.constantFrom(key, "s", "sk-", "said-back-", "0123456789", " ", ""),
    fc.nat(key.length).map((at) => key.slice(at)),
    fc.nat(key.length).map((at) => key.slice(0, at)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (texts) => {
      const { released } = await printed(texts);
      expect(released).toHaveLength(texts.length);
      const joined = released.join("");
      expect(joined.replaceAll(key, "****")).toBe(joined);
      expect(joined.replaceAll("****", key)).toBe(texts.join(""));
    }),
  );
});
