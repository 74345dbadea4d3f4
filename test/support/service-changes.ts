import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { CommandNode } from "../../src/command-kit/tree.ts";
import { type Cli, createCli, type Outcome } from "./cli.ts";
import { commands, operationsOf } from "./commands.ts";
import { runShown } from "./examples.ts";
import { type NonstandardService, responseOf } from "./nonstandard-services.ts";
import { overNetwork } from "./service.ts";

/** A command line for an account, and the sandbox state that it needs. */
export interface Line {
  readonly spec: CommandNode;
  readonly line: string;
  readonly snapshot: string;
}

export interface ServiceOutcome extends Outcome {
  /** Method and path of each write that did not get a 404. */
  readonly writes: readonly string[];
}

const documented: NonstandardService = { name: "documented" };

/** Converts an example for the sandbox into a command line for an account, with JSON output. */
function lineOf(command: string, spec: CommandNode): string {
  const plain = command.replace(/ --(sandbox|dry-run|yes)\b| (?:-o|--output) \w+| > .*$/g, "");
  const model = operationsOf(spec).includes("createChatCompletion") ? " --model sandbox-echo" : "";
  return plain.replace(/(?= -- )|$/, `${model} --yes --no-input -o json`);
}

/** Creates active and terminated rentals of both types, more than fit on a small page. */
async function seedRentals({ sandbox }: Pick<Cli, "sandbox">): Promise<void> {
  const bareMetal = { gpuCount: 8, networkType: "ethernet" };
  const made = [{ gpuCount: 1 }, bareMetal, { gpuCount: 1 }, bareMetal, { gpuCount: 2 }, bareMetal];
  for (const terminated of [true, false]) {
    for (const input of made) {
      const kind = input === bareMetal ? "bare-metal" : "virtual-machine";
      const path = `/v2/on-demand/${kind}-rentals`;
      const { id } = await posted(sandbox, path, input);
      if (terminated) await posted(sandbox, `${path}/terminate`, { rentalId: id });
    }
  }
}

async function posted({ fetch, keys }: Cli["sandbox"], path: string, body: object) {
  const headers = { authorization: `Bearer ${keys.full}` };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(new Request(`http://sandbox.test${path}`, init));
  expect(response.status).toBe(200);
  return Object(await response.json());
}

/** Cached responses of models, because drawing a picture is slow. */
const modelResponses = new Map<string, ArrayBuffer>();

/** gpuctl with a service that behaves like the nonstandard service passed to `send`. */
export async function serviceHarness() {
  let service: NonstandardService | undefined;
  let writes: string[] = [];
  const cli: Cli = await createCli({
    negotiates: true,
    respond: async (seen) => {
      if (!service) return undefined;
      const request = JSON.stringify([seen.path, seen.body]);
      const cached = modelResponses.get(request);
      const response = cached ? new Response(cached) : await responseOf(service, cli.sandbox, seen);
      if (!cached && seen.path.startsWith("/v1/") && response.ok) {
        modelResponses.set(request, await response.clone().arrayBuffer());
      }
      if (seen.method !== "GET" && response.status !== 404) writes.push(`${seen.method} ${seen.path}`);
      return response;
    },
  });
  return {
    cli,
    /** Runs a command line with its snapshot as the service's state, and an empty description cache. */
    send: async ({ line, snapshot }: Line, to: NonstandardService): Promise<ServiceOutcome> => {
      await rm(join(cli.folder, "state"), { recursive: true, force: true });
      cli.sandbox.restore(snapshot);
      [service, writes] = [to, []];
      const account = overNetwork({ GPUCTL_API_KEY: cli.sandbox.keys.full });
      const withOptions = line.replace(/(?= -- )|$/, to.timeoutFlags ? ` ${to.timeoutFlags}` : "");
      const run: Cli["run"] = (typed, own) => cli.run(typed, { ...own, ...account });
      const ran = await runShown({ ...cli, run }, withOptions);
      service = undefined;
      return { ...ran, out: normalized(ran.out, cli.folder), writes };
    },
  };
}

/**
 * The output with placeholders for the folder, for times in file names and for a lease's own values, which differ in
 * each run.
 */
const normalized = (out: string, folder: string): string =>
  out
    .replaceAll(folder, "HOME")
    .replace(/\d{4}-\d\d-\d\d-\d{6}/g, "NOW")
    .replace(/("(?:token|endsAt|startedAt)": ?)"[^"]+"/g, '$1"OWN"');

export interface Baseline {
  readonly line: Line;
  readonly outcome: ServiceOutcome;
}

let all: Promise<readonly Baseline[]> | undefined;

/**
 * For each command in `independent` that calls the service, its first example that uses the sandbox, and the outcome
 * of that example with a service that matches the documentation.
 */
export const baselines = (): Promise<readonly Baseline[]> => {
  all ??= recordBaselines();
  return all;
};

/** Commands whose results depend on all listings, on a machine, or on a file in the folder of the example. */
const dependent = ["rentals run", "rentals guard", "rentals lease extend", "batch run"];

/**
 * All other commands. Unless they need the service's description, their results must not depend on how a service
 * differs from the documentation.
 */
export const independent = commands.filter(({ path }) => !dependent.includes(path.join(" ")));

async function recordBaselines(): Promise<readonly Baseline[]> {
  const { cli, send } = await serviceHarness();
  const recorded: Baseline[] = [];
  for (const spec of independent) {
    const example = spec.examples.find(({ command }) => command.includes(" --sandbox"));
    if (example === undefined) continue;
    cli.sandbox.reset();
    for (const before of example.after ?? []) {
      expect(await runShown(cli, before), before).toMatchObject({ code: 0 });
    }
    await seedRentals(cli);
    const line = {
      spec,
      line: lineOf(example.command, spec),
      snapshot: JSON.stringify(cli.sandbox.snapshot()),
    };
    const outcome = await send(line, documented);
    if (outcome.requests.length > 0) recorded.push({ line, outcome });
  }
  return recorded;
}
