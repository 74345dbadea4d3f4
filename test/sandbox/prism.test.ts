import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { asList, asRecord, asText, isRecord, parseJson } from "../../src/core/json.ts";
import { createSandbox } from "../../src/library/sandbox.ts";
import { randomFrom, randomValue } from "../support/schema-values.ts";

/** A folder in which Prism is installed. `.ci/full` makes one. */
const programs = process.env.GPUCTL_TEST_GENERATORS;

const calls = 2000;

/** A port that no program uses. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });

/** Starts Prism's proxy in front of a sandbox, and returns its URL. */
async function prismFor(document: object, upstream: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-prism-"));
  const file = join(folder, "openapi.json");
  await writeFile(file, JSON.stringify(document));
  const port = await freePort();
  const prism = execa(
    join(programs ?? "", "node_modules", ".bin", "prism"),
    ["proxy", file, upstream, "--errors", "--port", String(port), "--verboseLevel", "info"],
    { reject: false, stdin: "ignore" },
  );
  onTestFinished(async () => {
    prism.kill("SIGKILL");
    await prism;
    await rm(folder, { recursive: true });
  });
  await new Promise<void>((resolve, reject) => {
    prism.stdout.on("data", (chunk) => {
      if (String(chunk).includes("listening")) resolve();
    });
    prism.then(({ stdout, stderr }) => reject(new Error(`Prism did not start: ${stdout}${stderr}`)));
  });
  return `http://127.0.0.1:${port}`;
}

interface Listed {
  readonly method: string;
  readonly path: string;
  readonly operation: Readonly<Record<string, unknown>>;
}

describe.runIf(programs !== undefined)("Prism, in front of a served sandbox", () => {
  test("finds no violation in random calls that match the description, or in their responses", async () => {
    await using sandbox = await createSandbox();
    const document = asRecord(await (await fetch(`${sandbox.url}/v2/openapi.json`)).json());
    const proxy = await prismFor(document, sandbox.url);
    const operations = Object.entries(asRecord(document.paths)).flatMap(([path, methods]) =>
      Object.entries(asRecord(methods)).map(
        ([method, operation]): Listed => ({
          method: method.toUpperCase(),
          path,
          operation: asRecord(operation),
        }),
      ),
    );
    const random = randomFrom(7);
    /** The IDs of the records in earlier responses, by the kind of the record. */
    const seen = { rental: new Set<unknown>(), volume: new Set<unknown>(), key: new Set<unknown>() };
    const known = (field: string): readonly unknown[] => {
      if (/^rentalIds?$/.test(field)) return [...seen.rental].slice(-20);
      if (field === "storageVolumeId") return [...seen.volume].slice(-20);
      if (/^(id|sshPublicKeyIds?)$/.test(field)) return [...seen.key].slice(-20);
      return field === "model" ? ["sandbox-echo"] : [];
    };
    const remember = (path: string, body: unknown) => {
      const kind = (["rental", "volume", "key"] as const).find((name) => path.includes(name));
      if (kind === undefined) return;
      for (const record of Array.isArray(body) ? body : [body]) {
        if (isRecord(record) && record.id !== undefined) seen[kind].add(record.id);
      }
    };
    const disagreements: string[] = [];
    const statuses = new Map<string, Set<number>>();
    let sent = 0;
    while (sent < calls) {
      const { method, path, operation } = random.pick(operations) ?? fail();
      const id = asText(operation.operationId);
      const value = (schema: unknown, field: string) =>
        randomValue(
          { type: "object", properties: { [field]: schema }, required: [field] },
          random,
          document,
          known,
        );
      const query = new URLSearchParams();
      let target = path;
      for (const { name, in: place, required, schema } of asList(operation.parameters).map(asRecord)) {
        const field = asText(name);
        if (required !== true && random.next() < 0.5) continue;
        const text = String(asRecord(value(schema, field))[field]);
        if (place === "path") target = target.replace(`{${field}}`, encodeURIComponent(text));
        else query.append(field, text);
      }
      const schema = asRecord(asRecord(asRecord(operation.requestBody).content)["application/json"]).schema;
      let input = schema === undefined ? undefined : randomValue(schema, random, document, known);
      // Users are rarely deleted, because the sandbox must then be reset.
      if (id.startsWith("deleteCurrentUser") && random.next() < 0.9) continue;
      const send = async () => {
        sent += 1;
        const body = input === undefined ? undefined : JSON.stringify(input);
        const response = await fetch(`${proxy}${target}${query.size > 0 ? `?${query}` : ""}`, {
          method,
          headers: {
            authorization: `Bearer ${random.next() < 0.95 ? sandbox.keys.full : sandbox.keys.readOnly}`,
            ...(body !== undefined && { "content-type": "application/json" }),
          },
          ...(body !== undefined && { body }),
        });
        const text = await response.text();
        const isReport = response.headers.get("content-type")?.includes("problem+json") ?? false;
        if (isReport || response.headers.has("sl-violations")) {
          disagreements.push(`${method} ${target} ${query} ${body} ${text}`);
        } else statuses.set(id, (statuses.get(id) ?? new Set()).add(response.status));
        return { response, text };
      };
      let { response, text } = await send();
      const corrections = correctionsIn(text);
      if (corrections.length > 0) {
        input = { ...asRecord(input), ...Object.fromEntries(corrections) };
        ({ response, text } = await send());
      }
      if (response.ok) remember(path, parseJson(text));
      if (id.startsWith("deleteCurrentUser") && response.ok) {
        sandbox.reset();
        for (const ids of Object.values(seen)) ids.clear();
      }
      if (random.next() < 0.05) sandbox.advance("1h");
    }
    expect(disagreements).toEqual([]);
    // Each operation was called, and at least one of its calls succeeded.
    expect([...statuses.keys()].sort()).toEqual(
      operations.map(({ operation }) => operation.operationId).sort(),
    );
    const failing = [...statuses].filter(([, found]) => !found.has(200)).map(([id]) => id);
    expect(failing).toEqual([]);
  }, 900_000);
});

/** The correct price and end of a term, from the issues of an error. */
const correctionsIn = (text: string) =>
  asList(asRecord(parseJson(text)).issues)
    .map(asRecord)
    .flatMap(({ path, message }) => {
      const [field] = asList(path);
      const expected = /^must be (\S+),/.exec(asText(message))?.[1];
      if (typeof field !== "string" || !field.startsWith("expected") || expected === undefined) return [];
      return [[field, parseJson(expected) ?? expected] as const];
    });

function fail(): never {
  throw new Error("there are no operations");
}
