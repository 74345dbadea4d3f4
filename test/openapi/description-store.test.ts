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
