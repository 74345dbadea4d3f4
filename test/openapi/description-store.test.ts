import { expect, test } from "vitest";
import { createDescriptionStore } from "../../src/openapi/description-store.ts";
import { readDescription } from "../../src/openapi/document.ts";

test("several refreshes fetch the description again only once, and later loads return the new one", async () => {
  let fetches = 0;
  const store = createDescriptionStore(
    async () => ({
      url: "https://api.example.com/v2/openapi.json",
      now: () => 0,
      signal: undefined,
      fetch: async () => {
        fetches += 1;
        const text = JSON.stringify({ openapi: "3.1.0", info: { version: `${fetches}` }, paths: {} });
        const description = readDescription(text);
        if (description === undefined) throw new Error("not a description");
        return { text, description, etag: undefined };
      },
    }),
    undefined,
  );
  expect(await store.load()).toMatchObject({ info: { version: "1" } });
  expect(await store.load({ refresh: true })).toMatchObject({ info: { version: "2" } });
  expect(await store.load({ refresh: true })).toMatchObject({ info: { version: "2" } });
  expect(await store.load()).toMatchObject({ info: { version: "2" } });
});

test("a failed fetch is not cached: a later load fetches again", async () => {
  let fetches = 0;
  const text = JSON.stringify({ openapi: "3.1.0", info: {}, paths: {} });
  const description = readDescription(text);
  const store = createDescriptionStore(
    async () => ({
      url: "https://api.example.com/v2/openapi.json",
      now: () => 0,
      signal: undefined,
      fetch: async () => {
        fetches += 1;
        if (fetches < 4 || description === undefined) throw new Error("no response");
        return { text, description, etag: undefined };
      },
    }),
    undefined,
  );
  expect(await store.get()).toBeUndefined();
  await expect(store.load({ timeout: 1_000 })).rejects.toThrow("no response");
  await expect(store.load()).rejects.toThrow("no response");
  expect(await store.load({ timeout: 1_000 })).toEqual(description);
  expect(await store.load()).toEqual(description);
});
