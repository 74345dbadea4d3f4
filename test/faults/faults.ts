import { vi } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import type { ResponseLimits } from "../../src/contract/plain/response-limits.ts";
import type { Act, Connection } from "./service.ts";

/** The exit code and the code of the error. */
type Ending = readonly [exit: number, code: string | RegExp];

export interface Fault {
  readonly name: string;
  /** How far the exchange got. */
  readonly moment: "sent" | "headers" | "body" | "response";
  readonly act: Act;
  readonly read: Ending;
  /** Whether a read that fails like this is retried. */
  readonly retried: boolean;
  /** The ending of an operation that creates, spends, deletes or generates. */
  readonly write: Ending;
  /** The part of the body that arrives and must be kept if the response is paid for. Undefined: this is not checked. */
  readonly arrives?: string;
}

/** Small limits, so that a response that exceeds them is small, too. */
export const limits: Partial<ResponseLimits> = {
  body: { read: 4_000, generate: 4_000, write: 4_000, spend: 4_000, destroy: 4_000 },
  failure: 20_000,
  part: 2_000,
  shortList: 1_000,
};

/** The value of `--timeout` in milliseconds. The fake clock stands still until a fault with silence advances it. */
export const timeout = 20_000;
const silence = () => {
  vi.advanceTimersByTime(timeout);
};

const unknown: Ending = [exit.unknownOutcome, "UNKNOWN_OUTCOME"];
const network = { read: [exit.network, /^(E[A-Z]+|HPE_\w+)$/], retried: true, write: unknown } as const;

const json = "200 OK\r\nContent-Type: application/json";
const half = '{"id": 1, "text": "ha';

/** The ways in which a response can say where its body ends. */
const framings: readonly { readonly name: string; readonly start: (connection: Connection) => void }[] = [
  { name: "of known length", start: ({ respond }) => respond(`${json}\r\nContent-Length: 900`, half) },
  {
    name: "in chunks",
    start: ({ respond }) =>
      respond(`${json}\r\nTransfer-Encoding: chunked`, `${half.length.toString(16)}\r\n${half}\r\n`),
  },
  { name: "that ends with the connection", start: ({ respond }) => respond(json, half) },
];

const cuts: readonly { readonly name: string; readonly cut: (connection: Connection) => void }[] = [
  { name: "a reset", cut: ({ reset }) => reset() },
  { name: "silence", cut: silence },
  { name: "the end of the connection", cut: ({ close }) => close() },
];

const bodyCuts: readonly Fault[] = framings.flatMap(({ name, start }) =>
  cuts.flatMap(({ name: by, cut }): Fault[] => {
    // The end of the connection is also the end of such a body, so the response would count as complete.
    if (name.endsWith("connection") && by.endsWith("connection")) return [];
    const act: Act = async (connection) => {
      start(connection);
      await connection.partRead;
      cut(connection);
    };
    return [{ name: `${by} in a body ${name}`, moment: "body", act, ...network, arrives: half }];
  }),
);

const refused = (status: number, code: number): Fault => ({
  name: `status ${status}`,
  moment: "response",
  act: whole(status, '{"code":"NO","message":"No","issues":[]}'),
  read: [code, "NO"],
  retried: status === 429,
  write: [code, "NO"],
});

const failed = (status: number, code: number, retried = status >= 500): Fault => ({
  ...refused(status, code),
  retried,
  write: unknown,
});

/** A whole response. */
function whole(status: number, body: string, headers = ""): Act {
  return ({ respond }) =>
    respond(`${status} X${headers}\r\nContent-Length: ${Buffer.byteLength(body)}`, body);
}

/** A body without end. */
const endless =
  (head: string, text: string): Act =>
  ({ respond, write }) => {
    respond(head);
    for (let part = 0; part < 100; part += 1) write(text.repeat(10));
  };

const levels = 5_000;
const nested = `{"code":"NO","message":"No","issues":${"[".repeat(levels)}${"]".repeat(levels)}}`;

export const faults: readonly Fault[] = [
  { name: "a reset", moment: "sent", act: ({ reset }) => reset(), ...network },
  { name: "the end of the connection", moment: "sent", act: ({ close }) => close(), ...network },
  { name: "silence", moment: "sent", act: silence, ...network },
  { name: "another protocol", moment: "sent", act: ({ write }) => write("SSH-2.0-x\r\n"), ...network },
  {
    name: "the end of the connection in the headers",
    moment: "headers",
    act: ({ write, close }) => {
      write("HTTP/1.1 200 OK\r\nContent-");
      close();
    },
    ...network,
  },
  {
    name: "silence in the headers",
    moment: "headers",
    act: ({ write }) => {
      write("HTTP/1.1 200 OK\r\nContent-");
      silence();
    },
    ...network,
  },
  {
    name: "headers without end",
    moment: "headers",
    act: ({ respond, write }) => {
      respond(`200 OK\r\nX-Filler: ${"x".repeat(100_000)}`);
      write("");
    },
    ...network,
  },
  ...bodyCuts,
  {
    name: "a chunk without a length",
    moment: "body",
    act: async ({ respond, write, partRead }) => {
      respond(`${json}\r\nTransfer-Encoding: chunked`, `${half.length.toString(16)}\r\n${half}\r\n`);
      await partRead;
      write("nonsense\r\n");
    },
    ...network,
    arrives: half,
  },
  refused(400, exit.refused),
  refused(401, exit.credential),
  refused(403, exit.forbidden),
  failed(408, exit.network, true),
  refused(409, exit.refused),
  refused(422, exit.refused),
  refused(429, exit.network),
  failed(499, exit.refused),
  failed(500, exit.service),
  failed(501, exit.notFound),
  failed(503, exit.service),
  {
    name: "status 304",
    moment: "response",
    act: whole(304, ""),
    read: [exit.service, "HTTP_304"],
    retried: false,
    write: unknown,
  },
  {
    name: "a redirect to another host",
    moment: "response",
    act: whole(307, "moved", "\r\nLocation: https://elsewhere.example/"),
    read: [exit.service, "HTTP_307"],
    retried: false,
    write: unknown,
  },
  {
    name: "an error without end",
    moment: "response",
    act: endless("500 X", "no ".repeat(30)),
    read: [exit.service, "HTTP_500"],
    retried: true,
    write: unknown,
  },
  {
    name: "a refusal without end",
    moment: "response",
    act: endless("400 X", "no ".repeat(30)),
    read: [exit.refused, "HTTP_400"],
    retried: false,
    write: unknown,
  },
  {
    name: `an error with ${levels} levels`,
    moment: "response",
    act: whole(500, nested),
    read: [exit.service, "HTTP_500"],
    retried: true,
    write: unknown,
  },
  {
    name: `a refusal with ${levels} levels`,
    moment: "response",
    act: whole(400, nested),
    read: [exit.refused, "HTTP_400"],
    retried: false,
    write: unknown,
  },
  {
    name: "a response that is not JSON",
    moment: "response",
    act: whole(200, "<html>"),
    read: [exit.service, "UNREADABLE_ANSWER"],
    retried: false,
    write: unknown,
    arrives: "<html>",
  },
  {
    name: "a response that is too large",
    moment: "response",
    act: endless(json, '{"a": "b"} '),
    read: [exit.service, "ANSWER_TOO_LARGE"],
    retried: false,
    write: unknown,
  },
  {
    name: "a list with a record that is too large",
    moment: "response",
    act: endless(json, "[[[[[[[[[["),
    read: [exit.service, "ANSWER_TOO_LARGE"],
    retried: false,
    write: unknown,
  },
];
