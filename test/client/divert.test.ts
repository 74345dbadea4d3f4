import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { type Diverted, divertingFetch } from "../../src/client/divert.ts";
import type { FetchResponse } from "../../src/client/fetch.ts";
import { ResponseTooLarge } from "../../src/core/service-errors.ts";
import { fc } from "../support/property.ts";

const init = { method: "POST", headers: {} };

/** A body that arrives in pieces of these sizes, in turn. */
async function* inPieces(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** An `open` function whose receivers refuse parts that contain `!`, and the strings that the receivers have taken. */
function taker() {
  const taken: { text: string; isEnded: boolean }[] = [];
  const open = (): Diverted => {
    const one = { text: "", isEnded: false };
    taken.push(one);
    return {
      placeholder: `taken-${taken.length}`,
      write: (part) => {
        if (part.includes("!")) return false;
        one.text += part;
        return true;
      },
      end: () => {
        one.isEnded = true;
      },
      text: () => one.text,
    };
  };
  return { taken, open };
}

async function divert(
  text: string,
  { sizes = [1e9], status = 200, path = "images.*.image", max = 1e9, limit = 1e9, isStream = false } = {},
) {
  const { taken, open } = taker();
  const respond = async (): Promise<FetchResponse> => ({
    status,
    headers: new Headers(),
    body: isStream ? Readable.from(inPieces(text, sizes)) : inPieces(text, sizes),
  });
  const response = await divertingFetch(respond, { path, max, open }, limit)("http://localhost", init);
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) chunks.push(chunk);
  const rest = Buffer.concat(chunks);
  return {
    rest: rest.toString(),
    restored: Buffer.from(response.restored?.(rest) ?? rest).toString(),
    taken,
  };
}

const key = fc.constantFrom("images", "image", "audio", "im\\u0061ge", 'quo"te', "back\\slash", "é");
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(null, true, 1.5, "", "text", 'a "quoted" [text]', "{\\", "a/b\n", "猫"),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(key, tie("any"), { maxKeys: 3 }),
  ),
})).any;

test("wherever the bytes are cut, the strings at the path are taken out and everything else stays", async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 });
  const images = fc.array(fc.dictionary(key, value, { maxKeys: 4 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(key, value),
      images,
      sizes,
      fc.boolean(),
      async (other, list, cut, isStream) => {
        const body = { ...other, images: list };
        const text = JSON.stringify(body).replaceAll("/", "\\/");
        const { rest, restored, taken } = await divert(text, { sizes: cut, isStream });
        const expected = list.flatMap(({ image }) => (typeof image === "string" ? [image] : []));
        const isAscii = expected.every((one) => /^[\0-\x7f]*$/.test(one));
        if (isAscii) expect(taken).toEqual(expected.map((one) => ({ text: one, isEnded: true })));
        expect(JSON.parse(restored)).toEqual(body);
        expect(rest.includes("taken-1")).toBe(expected.length > 0);
      },
    ),
  );
});

test("only strings at exactly the path are taken, even if a key in the path is escaped", async () => {
  const text =
    '{"image":"a","images":[["b"],{"image":["c"]},{"i\\u006dage":"d"},{"x":{"image":"e"}}],"audio":"f"}';
  expect((await divert(text)).taken.map((one) => one.text)).toEqual(["d"]);
  expect((await divert(text, { path: "audio" })).taken.map((one) => one.text)).toEqual(["f"]);
});

test("a part that is not taken stays, and so does the rest of its string", async () => {
  const { rest, restored, taken } = await divert('{"images":[{"image":"abcd!\\"x"},{"image":"y"}]}', {
    sizes: [24],
  });
  expect(taken).toEqual([
    { text: "abc", isEnded: false },
    { text: "y", isEnded: true },
  ]);
  expect(rest).toBe('{"images":[{"image":"taken-1d!\\"x"},{"image":"taken-2"}]}');
  expect(restored).toBe('{"images":[{"image":"abcd!\\"x"},{"image":"y"}]}');
});

test.each([
  "<html>",
  '{"images":[{"image":"abc',
  '{"images":[{"image":"ab\\u00',
  '"a\\',
  "]]}}",
  '\u0000\u00ff"',
])("any bytes come back as they were: %j", async (text) => {
  for (let size = 1; size <= text.length; size += 1) {
    expect((await divert(text, { sizes: [size] })).restored).toBe(text);
  }
});

test("nothing is taken out of a failed response", async () => {
  const text = '{"images":[{"image":"abc"}]}';
  expect(await divert(text, { status: 500 })).toMatchObject({ rest: text, taken: [] });
});

test.each([false, true])("what is taken out counts toward the size limit (stream: %s)", async (isStream) => {
  const text = JSON.stringify({ images: [{ image: "a".repeat(100) }] });
  await expect(divert(text, { limit: 100, isStream })).rejects.toThrow(ResponseTooLarge);
  expect((await divert(text, { limit: text.length, isStream })).taken).toHaveLength(1);
});

test("strings beyond the maximum stay in the response", async () => {
  const text = JSON.stringify({ images: ["a", "b", "c", "d"].map((image) => ({ image })) });
  const { rest, restored, taken } = await divert(text, { max: 2, sizes: [7] });
  expect(taken.map((one) => one.text)).toEqual(["a", "b"]);
  expect(JSON.parse(rest).images.slice(2)).toEqual([{ image: "c" }, { image: "d" }]);
  expect(restored).toBe(text);
});

test("what arrived before a stream broke is passed on before the error", async () => {
  const { taken, open } = taker();
  const body = new Readable({ read: () => {} });
  body.on("data", (chunk) => {
    if (String(chunk).includes("seed")) body.destroy(new Error("the connection broke"));
  });
  const respond = async (): Promise<FetchResponse> => ({ status: 200, headers: new Headers(), body });
  const response = await divertingFetch(
    respond,
    { path: "image", max: 1, open },
    1e9,
  )("http://localhost", init);
  let rest = "";
  const reading = (async () => {
    for await (const chunk of response.body ?? []) rest += chunk;
  })();
  body.push('{"image":"abc');
  body.push("def");
  body.push('","seed":1');
  await expect(reading).rejects.toThrow("the connection broke");
  expect(rest).toBe('{"image":"taken-1","seed":1');
  expect(taken).toEqual([{ text: "abcdef", isEnded: true }]);
});

test("a stream that is read no further is closed", async () => {
  const body = Readable.from(inPieces('{"a":1,"b":2}', [1]));
  const respond = async (): Promise<FetchResponse> => ({ status: 200, headers: new Headers(), body });
  const { open } = taker();
  const response = await divertingFetch(respond, { path: "x", max: 1, open }, 1e9)("http://localhost", init);
  for await (const _ of response.body ?? []) break;
  expect(body.destroyed).toBe(true);
});
