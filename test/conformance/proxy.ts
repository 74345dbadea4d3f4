import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import * as z from "zod";
import { routing } from "../support/conformance.ts";

const redocly = "node_modules/@redocly/cli/bin/cli.js";

/** One mismatch that the proxy found in one exchange. */
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
  /**
   * Stops the proxy and returns what it recorded and found.
   * @throws when the proxy could not check the exchanges
   */
  readonly close: () => Promise<Report>;
}

const headers = z.array(z.object({ name: z.string(), value: z.string() }));
const exchange = z.object({
  request: z.object({ method: z.string(), url: z.string(), headers }),
  response: z.object({ status: z.int(), headers }),
});
const har = z.object({ log: z.object({ entries: z.array(exchange) }) });

/** The proxy's SARIF report. Unlike its JSON report, it lists every finding instead of one of each kind. */
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
 * Starts Redocly's proxy in front of `target`. The proxy checks the traffic against `description` and writes its files
 * to `folder`.
 * @throws when the proxy does not start
 */
export async function startProxy(target: string, description: object, folder: string): Promise<Proxy> {
  const [api, harFile] = [join(folder, "openapi.json"), join(folder, "exchanges.har")];
  await writeFile(api, JSON.stringify(description));
  const child = execa(
    "node",
    [
      redocly,
      "proxy",
      ...["--target", target],
      ...["--port", "0"],
      ...["--har", harFile],
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
    let output = "";
    child.stderr.on("data", (chunk) => {
      output += chunk;
      const [, found] = /Proxy listening on (\S+)/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.then(() => reject(new Error(`the proxy did not start: ${output}`)));
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
        exchanges: har.parse(JSON.parse(await readFile(harFile, "utf8"))).log.entries,
        findings: results.map(({ message, properties: { exchangeIndex, ...about } }) => ({
          exchange: exchangeIndex,
          message: message.text,
          ...about,
        })),
      };
    },
  };
}
