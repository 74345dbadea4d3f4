import type { Context } from "../context/context.ts";
import type { World } from "../context/world.ts";
import type { Answer } from "../output/answer.ts";
import { readArgs } from "./args.ts";
import { fillIn } from "./ask.ts";
import type { IsListedFor } from "./check.ts";
import { withKept } from "./config/kept-flags.ts";
import { confirm, mayPrompt } from "./confirm.ts";
import type { Invocation } from "./program.ts";
import type { Settings } from "./settings.ts";

export interface Run {
  readonly isListed: IsListedFor;
  readonly invocation: Invocation;
  readonly settings: Settings;
  readonly world: World;
  readonly context: Context;
}

/** From what was typed to an answer: missing values, contract check, confirmation, the command itself. */
export async function run({ invocation: typed, settings, world, context, isListed }: Run): Promise<Answer> {
  const invocation = withKept(typed, settings);
  const { spec } = invocation;
  const loading = spec.load();
  const args = await fillIn(spec, readArgs(invocation), {
    world,
    incomplete: !settings.validate,
    mayAsk: () => mayPrompt(settings, world),
    defaults: context.settings.defaults,
    argv: invocation.argv,
    say: context.say,
  });
  const { verb } = await loading;
  const input = (await verb.input?.(args, context)) ?? args.fields;
  if (settings.validate) await check(input, invocation, isListed);
  const checked = input as never;
  const { question } = verb;
  if (!settings.dryRun && question) {
    const real = spec.operations.length === 0 && spec.path[0] !== "sandbox";
    const place = { ...settings, sandbox: settings.sandbox && !real };
    await confirm(() => question(checked, args, context), spec, place, world);
  }
  return verb.run(checked, context, args);
}

/** Skipped when there is nothing to check, so that a plain listing loads no schema. */
async function check(input: object, invocation: Invocation, isListed: IsListedFor): Promise<void> {
  const [main] = invocation.spec.operations;
  if (main === undefined || Object.keys(input).length === 0) return;
  await (await import("./check.ts")).checkInput(main, input, invocation, isListed);
}
