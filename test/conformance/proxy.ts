import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import * as z from "zod";
import { routing } from "../support/conformance.ts";

const redocly = "node_modules/@redocly/cli/bin/cli.js";

/** One thing that the proxy found wrong about one exchange. */
export interface Finding {
  readonly exchange: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Which side of the exchange is wrong. */
  readonly target: "request" | "response";
  readonly message: string;
}

/** One request and its response, as the proxy recorded them. */
export type Exchange = z.output<typeof exchange>;

export interface Report {
  readonly exchanges: readonly Exchange[];
  readonly findings: readonly Finding[];
}

interface Proxy {
  readonly url: string;
  /** Ends the proxy, and gives what it saw and found. */
  readonly close: () => Promise<Report>;
}

const headers = z.array(z.object({ name: z.string(), value: z.string() }));
const exchange = z.object({
  request: z.object({ method: z.string(), url: z.string(), headers }),
  response: z.object({ status: z.int(), headers }),
});
const har = z.object({ log: z.object({ entries: z.array(exchange) }) });

/** The one of its formats that holds every single finding and not one of each kind. */
const sarif = z.object({
  runs: z.tuple([
    z.object({
      results: z.array(
        z.object({
          message: z.object({ text: z.string() }),
          properties: z.object({
            exchangeIndex: z.int(),
            method: z.string(),
            path: z.string(),
            status: z.int(),
            target: z.enum(["request", "response"]),
          }),
        }),
      ),
    }),
  ]),
});

/**
 * Starts Redocly's proxy in front of a target; it holds what passes against a description. Its files lie in a folder.
 * @throws when it does not listen
 */
export async function startProxy(target: string, description: object, folder: string): Promise<Proxy> {
  const [api, kept] = [join(folder, "openapi.json"), join(folder, "exchanges.har")];
  await writeFile(api, JSON.stringify(description));
  const child = execa(
    "node",
    [
      redocly,
      "proxy",
      ...["--target", target],
      ...["--port", "0"],
      ...["--har", kept],
      ...["--api", api],
      ...["--report-format", "sarif"],
      ...["--match-mode", "basepath"],
      ...["--ignore-headers", Object.values(routing).join(",")],
    ],
    {
      env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
      reject: false,
      stdin: "ignore",
    },
  );
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
      const [, found] = /Proxy listening on (\S+)/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.then(() => reject(new Error(`the proxy did not start: ${said}`)));
  });
  return {
    url,
    close: async () => {
      child.kill("SIGTERM");
      const { stdout, stderr } = await child;
      const failed = /^(Rule ".*" failed|Failed to write) .*$/m.exec(stderr);
      if (failed) throw new Error(`the proxy could not check the exchanges: ${failed[0]}`);
      const [{ results }] = sarif.parse(JSON.parse(stdout)).runs;
      return {
        exchanges: har.parse(JSON.parse(await readFile(kept, "utf8"))).log.entries,
        findings: results.map(({ message, properties: { exchangeIndex, ...about } }) => ({
          exchange: exchangeIndex,
          message: message.text,
          ...about,
        })),
      };
    },
  };
}
