import { expect, test } from "vitest";
import { createDescriptionStore } from "../../src/openapi/description-store.ts";
import { readDescription } from "../../src/openapi/document.ts";

/** A store whose service returns a new version of the description for each fetch, after `failures` failed fetches. */
function storeOf({ failures = 0 } = {}) {
  let fetches = 0;
  return createDescriptionStore(
    async () => ({
      url: "https://api.example.com/v2/openapi.json",
      now: () => 0,
      signal: undefined,
      fetch: async () => {
        fetches += 1;
        const text = JSON.stringify({ openapi: "3.1.0", info: { version: `${fetches}` }, paths: {} });
        const description = readDescription(text);
        if (fetches <= failures || description === undefined) throw new Error("no response");
        return { text, description, etag: undefined };
      },
    }),
    undefined,
  );
}

const version = (number: number) => ({ info: { version: `${number}` } });

test("several refreshes fetch the description again only once, and later loads return the new one", async () => {
  const store = storeOf();
  expect(await store.load()).toMatchObject(version(1));
  expect(await store.load({ refresh: true })).toMatchObject(version(2));
  expect(await store.load({ refresh: true })).toMatchObject(version(2));
  expect(await store.load()).toMatchObject(version(2));
});

test("a failed fetch is not cached: a later load fetches again", async () => {
  const store = storeOf({ failures: 3 });
  expect(await store.get()).toBeUndefined();
  await expect(store.load({ timeout: 1_000 })).rejects.toThrow("no response");
  await expect(store.load()).rejects.toThrow("no response");
  expect(await store.load({ timeout: 1_000 })).toMatchObject(version(4));
});
