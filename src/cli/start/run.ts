import type { Context, Ports } from "../../command-kit/context.ts";
import type { Command } from "../../command-kit/define.ts";
import type { Settings } from "../../config/settings.ts";
import type { Result } from "../../core/result.ts";
import type { System } from "../../system/types.ts";
import { loaders } from "../generated/loaders.ts";
import type { Invocation } from "../parse/program.ts";
import { valuesOf, withProfileDefaults } from "../parse/values.ts";
import { fillIn } from "../prompt/ask.ts";
import type { IsListedFor } from "../prompt/check.ts";
import { confirm, mayPrompt } from "../prompt/confirm.ts";

export interface Run {
  readonly isListed: IsListedFor;
  readonly invocation: Invocation;
  readonly command: Command;
  readonly settings: Settings;
  readonly system: System;
  readonly context: Context;
  readonly ports: Ports;
}

/** A command by its words. */
export async function loadCommand(words: string): Promise<Command> {
  const load = loaders[words];
  if (!load) throw new Error(`no module for ${words}: run npm run generate`);
  return (await load()).default;
}

/** From what was typed to a result: missing values, contract check, confirmation, the command itself. */
export async function run({
  invocation: typed,
  command,
  settings,
  system,
  context,
  ports,
  isListed,
}: Run): Promise<Result> {
  const invocation = withProfileDefaults(typed, settings);
  const node = invocation.command;
  const values = await fillIn(node, valuesOf(invocation), {
    io: system.io,
    incomplete: !settings.validate,
    mayAsk: () => mayPrompt(settings, system.io),
    kept: settings.profileValues,
    argv: invocation.argv,
    say: context.say,
  });
  const used = Object.fromEntries((command.uses ?? []).map((name) => [name, ports[name]]));
  const typedValues = { ...context, ...used, ...values };
  const input = (await command.buildInput?.(typedValues)) ?? values.input;
  if (settings.validate) await check(input, invocation, isListed);
  const given = { ...typedValues, input };
  if (!settings.dryRun && command.confirm) {
    const { confirm: asked } = command;
    const question = () => ("spending" in asked ? asked.spending(given) : asked.destruction(given));
    const real = node.operation === undefined && node.path[0] !== "sandbox";
    await confirm(question, node, { ...settings, sandbox: settings.sandbox && !real }, system.io);
  }
  return command.run(given);
}

/** Skipped when there is nothing to check, so that a plain listing loads no schema. */
async function check(input: object, invocation: Invocation, isListed: IsListedFor): Promise<void> {
  const { operation } = invocation.command;
  if (operation === undefined || Object.keys(input).length === 0) return;
  await (await import("../prompt/check.ts")).checkInput(operation, input, invocation, isListed);
}
