import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { CommandNode } from "../../src/command-kit/tree.ts";
import { type Cli, createCli, type Outcome } from "./cli.ts";
import { commands, operationsOf } from "./commands.ts";
import { runShown } from "./examples.ts";
import { answerOf, type NonstandardService } from "./nonstandard-services.ts";
import { overNetwork } from "./service.ts";

/** A command line as it is sent to an account, on the state that it needs. */
export interface Line {
  readonly spec: CommandNode;
  readonly line: string;
  readonly snapshot: string;
}

export interface Ran extends Outcome {
  /** Writes that the service knew, by method and path. */
  readonly writes: readonly string[];
}

const documented: NonstandardService = { name: "documented" };

/** An example as it is typed for an account, with JSON for its result. */
function lineOf(command: string, spec: CommandNode): string {
  const plain = command.replace(/ --(sandbox|dry-run|yes)\b| (?:-o|--output) \w+| > .*$/g, "");
  const model = operationsOf(spec).includes("createChatCompletion") ? " --model sandbox-echo" : "";
  return plain.replace(/(?= -- )|$/, `${model} --yes --no-input -o json`);
}

/** Rentals of both kinds that are active and that are over, more than fit on a small page. */
async function furnish({ sandbox }: Pick<Cli, "sandbox">): Promise<void> {
  const bareMetal = { gpuCount: 8, networkType: "ethernet" };
  const made = [{ gpuCount: 1 }, bareMetal, { gpuCount: 1 }, bareMetal, { gpuCount: 2 }, bareMetal];
  for (const over of [true, false]) {
    for (const input of made) {
      const kind = input === bareMetal ? "bare-metal" : "virtual-machine";
      const path = `/v2/on-demand/${kind}-rentals`;
      const { id } = await posted(sandbox, path, input);
      if (over) await posted(sandbox, `${path}/terminate`, { rentalId: id });
    }
  }
}

async function posted({ fetch, keys }: Cli["sandbox"], path: string, body: object) {
  const headers = { authorization: `Bearer ${keys.full}` };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(new Request(`http://sandbox.test${path}`, init));
  expect(answer.status).toBe(200);
  return Object(await answer.json());
}

/** Responses of models, kept because a picture takes a while to draw. */
const heard = new Map<string, ArrayBuffer>();

/** A tool whose service becomes a nonstandard one once `send` names it. */
export async function travelling() {
  let service: NonstandardService | undefined;
  let writes: string[] = [];
  const cli: Cli = await createCli({
    negotiates: true,
    answer: async (seen) => {
      if (!service) return undefined;
      const said = JSON.stringify([seen.path, seen.body]);
      const known = heard.get(said);
      const answer = known ? new Response(known) : await answerOf(service, cli.sandbox, seen);
      if (!known && seen.path.startsWith("/v1/") && answer.ok) {
        heard.set(said, await answer.clone().arrayBuffer());
      }
      if (seen.method !== "GET" && answer.status !== 404) writes.push(`${seen.method} ${seen.path}`);
      return answer;
    },
  });
  return {
    cli,
    /** Runs a line on its own state, with nothing kept of what was known of a service. */
    send: async ({ line, snapshot }: Line, to: NonstandardService): Promise<Ran> => {
      await rm(join(cli.folder, "state"), { recursive: true, force: true });
      cli.sandbox.restore(snapshot);
      [service, writes] = [to, []];
      const account = overNetwork({ GPUCTL_API_KEY: cli.sandbox.keys.full });
      const hurried = line.replace(/(?= -- )|$/, to.patience ? ` ${to.patience}` : "");
      const run: Cli["run"] = (typed, own) => cli.run(typed, { ...own, ...account });
      const ran = await runShown({ ...cli, run }, hurried);
      service = undefined;
      return { ...ran, out: everywhere(ran.out, cli.folder), writes };
    },
  };
}

/** An output without the folder and the moment of its run. */
const everywhere = (out: string, folder: string): string =>
  out.replaceAll(folder, "HOME").replace(/\d{4}-\d\d-\d\d-\d{6}/g, "NOW");

export interface Known {
  readonly line: Line;
  readonly ordinary: Ran;
}

let all: Promise<readonly Known[]> | undefined;

/** The first example of each command that speaks to the service, and what comes of it where all is as documented. */
export const known = (): Promise<readonly Known[]> => {
  all ??= learn();
  return all;
};

async function learn(): Promise<readonly Known[]> {
  const { cli, send } = await travelling();
  const learnt: Known[] = [];
  for (const spec of commands) {
    const example = spec.examples.find(({ command }) => command.includes(" --sandbox"));
    if (example === undefined) continue;
    cli.sandbox.reset();
    for (const before of example.after ?? []) {
      expect(await runShown(cli, before), before).toMatchObject({ code: 0 });
    }
    await furnish(cli);
    const line = {
      spec,
      line: lineOf(example.command, spec),
      snapshot: JSON.stringify(cli.sandbox.snapshot()),
    };
    const ordinary = await send(line, documented);
    if (ordinary.requests.length > 0) learnt.push({ line, ordinary });
  }
  return learnt;
}
