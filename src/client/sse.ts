import { createParser } from "eventsource-parser";

export interface ServerEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** Server-sent events of a body; a tail without its blank line still counts. */
export async function* serverEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const ready: ServerEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => ready.push({ event, data }) });
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
  }
  parser.feed(`${decoder.decode()}\n\n`);
  yield* ready.splice(0);
}
