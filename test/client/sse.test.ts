import { describe, expect, test } from "vitest";
import { type ServerEvent, serverEvents } from "../../src/client/stream.ts";
import { responseLimits } from "../../src/contract/plain/response-limits.ts";
import { fc, runs } from "../support/property.ts";

async function eventsOf(chunks: readonly Uint8Array[]): Promise<ServerEvent[]> {
  async function* body() {
    yield* chunks;
  }
  const events: ServerEvent[] = [];
  for await (const event of serverEvents(body(), responseLimits.part)) events.push(event);
  return events;
}

/** Splits the UTF-8 bytes of a text at these offsets. An offset beyond the end wraps around to the start. */
function split(text: string, places: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

const lineEnd = fc.constantFrom("\n", "\r", "\r\n");
const line = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(" ", ":", "é", "🖥", "data"),
      fc.string({ unit: "grapheme", maxLength: 1 }),
    ),
  })
  .map((text) => text.replace(/[\r\n]/g, ""));
const event = fc.record({
  name: fc.option(fc.constantFrom("message", "error", "ü")),
  lines: fc.array(line, { minLength: 1, maxLength: 3 }),
  comments: fc.array(line, { maxLength: 2 }),
  space: fc.boolean(),
});

describe("server-sent events", () => {
  test("are parsed completely, whatever their line endings and wherever they are split", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 5 }),
        lineEnd,
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 12 }),
        async (events, end, terminated, places) => {
          const text = events
            .map(({ name, lines, comments, space }) =>
              [
                ...comments.map((comment) => `:${comment}`),
                ...(name === null ? [] : [`event: ${name}`]),
                ...lines.map((data) => `data:${space || data.startsWith(" ") ? " " : ""}${data}`),
                "",
              ].join(end),
            )
            .join(end);
          const whole =
            terminated || events.length === 0 ? text + end : text.slice(0, -end.length || undefined);
          expect(await eventsOf(split(whole, places))).toEqual(
            events.map(({ name, lines }) => ({ event: name ?? undefined, data: lines.join("\n") })),
          );
        },
      ),
      runs(500),
    ));

  test("are parsed the same if they arrive byte by byte", async () => {
    const text =
      'data: {"a":"é🖥"}\r\n\r\n: ping\r\n\r\nevent: error\r\ndata: x\r\ndata: y\r\n\r\ndata: [DONE]';
    const expected = [
      { event: undefined, data: '{"a":"é🖥"}' },
      { event: "error", data: "x\ny" },
      { event: undefined, data: "[DONE]" },
    ];
    expect(await eventsOf([Buffer.from(text)])).toEqual(expected);
    expect(await eventsOf([...Buffer.from(text)].map((byte) => Buffer.of(byte)))).toEqual(expected);
  });

  test("can start with a byte order mark", async () => {
    expect(await eventsOf([Buffer.from("\uFEFFdata: x\n\n")])).toEqual([{ event: undefined, data: "x" }]);
  });

  test("can be errors in a field called error", async () => {
    expect(await eventsOf([Buffer.from('error: {"code":500}\n\ndata: [DONE]\n\n')])).toEqual([
      { event: "error", data: '{"code":500}' },
      { event: undefined, data: "[DONE]" },
    ]);
  });

  test("of the type error have the text of their last comment if they have no data", async () => {
    const text =
      ": ping\n\nevent: error\r\n: died\r\n\r\n: ping\n\nevent: error\n\nevent: error\rdata: x\r\rdata: event: error\n\n";
    const expected = [
      { event: "error", data: "died" },
      { event: "error", data: "" },
      { event: "error", data: "x" },
      { event: undefined, data: "event: error" },
    ];
    for (let at = 0; at <= text.length; at += 1) {
      expect(await eventsOf([text.slice(0, at), text.slice(at)].map((part) => Buffer.from(part)))).toEqual(
        expected,
      );
    }
  });

  test("do not result from an empty body, or from comments and fields other than data", async () => {
    expect(await eventsOf([])).toEqual([]);
    expect(await eventsOf([Buffer.from(": ping\n\n: ping\n\nid: 7\n\nretry: 5\n\n")])).toEqual([]);
  });

  test("can end in the middle of a character", async () => {
    expect(await eventsOf([Buffer.from("data: é").subarray(0, -1)])).toEqual([
      { event: undefined, data: "\uFFFD" },
    ]);
  });
});
