import type { Exchange, Observer } from "../../client/fetch.ts";
import { type Config, exposureWarning, profileValue, profileValues, readConfig } from "../../config/file.ts";
import { checkColumns, type ProfileUse, promptsAllowed, resolveSettings } from "../../config/settings.ts";
import { Interrupted } from "../../core/errors.ts";
import { createRedactor, secretsInCommand } from "../../core/redact.ts";
import type { Result } from "../../core/result.ts";
import { sandboxKeys } from "../../core/sandbox.ts";
import { passwordsIn } from "../../core/urls.ts";
import { isMachineFormat, outputFormats } from "../../core/view.ts";
import type { Sink, System } from "../../system/types.ts";
import { helpFor, overview } from "../help/help.ts";
import { helpStyle } from "../help/layout.ts";
import { globalFlags } from "../parse/globals.ts";
import { type BareGroup, type Invocation, parse } from "../parse/program.ts";
import { guardIo } from "../print/guard.ts";
import { createNotes } from "../print/notes.ts";
import { isClosedPipe, preloadRenderer, print } from "../print/print.ts";
import { serviceFlags } from "../print/service-flags.ts";
import { canPrompt } from "../prompt/confirm.ts";
import { exit } from "../report/exit.ts";
import type { FailureContext } from "../report/failure.ts";
import { connect } from "./connection.ts";
import { DryRun, dryRunResult } from "./dry-run.ts";
import { loadCommand, run } from "./run.ts";
import type { Runtime, Services } from "./services.ts";

/** Runs one command line: results on stdout, everything else on stderr. Returns the exit code. */
export async function main(argv: readonly string[], outside: System, services: Services): Promise<number> {
  const { env } = outside;
  const redactor = createRedactor(Object.values(sandboxKeys));
  for (const secret of secretsIn(argv, env)) redactor.add(secret);
  const io = guardIo(outside.io, redactor);
  try {
    const system = { ...outside, io };
    const typed = parse(argv, services.version);
    const words = "group" in typed ? await chosenLine(typed, system) : undefined;
    const parsed = words === undefined ? typed : parse(words, services.version);
    if ("command" in parsed) return await execute(parsed, { system, services, redactor, outside });
    if ("show" in parsed) {
      await io.stdout.write(parsed.show, { drawn: true });
      return exit.done;
    }
    const style = await helpStyle(io.stdout, env);
    const path = "group" in parsed ? parsed.group : parsed.help;
    const help = argv.length > 0 ? helpFor(path, style) : overview(style);
    await io.stdout.write(help ?? "", { drawn: true });
    return exit.done;
  } catch (error) {
    return fail(error, io.stderr, { asJson: wantsJson(argv, env) });
  }
}

/**
 * Asks which command of the group to run, and returns its command line. Returns undefined if gpuctl cannot prompt, or
 * if the help of the group is to be shown instead.
 */
async function chosenLine(bare: BareGroup, { env, io }: System): Promise<readonly string[] | undefined> {
  if (!canPrompt({ promptsAllowed: promptsAllowed(bare.globals, env) }, io)) return undefined;
  return (await import("../prompt/group.ts")).chosenLine(bare, io);
}

interface Start extends Omit<Runtime, "settings" | "notes"> {
  /** The system with the original streams, which do not mask secrets. */
  readonly outside: System;
}

async function execute(
  invocation: Invocation,
  { system, services, redactor, outside }: Start,
): Promise<number> {
  const { clock, env, files, io } = system;
  const loading = loadCommand(invocation.command.path.join(" "));
  const config = configFor(invocation, system);
  for (const secret of [...secretsOf(config), ...typedSecrets(invocation)]) redactor.add(secret);
  const settings = resolveSettings({
    cli: invocation.globals,
    flags: globalFlags,
    env,
    config,
    for: profileUse(invocation.command),
  });
  const toService = serviceFlags(invocation.globals);
  const notes = createNotes(settings, io.stderr, toService);
  const warning = exposureWarning(config, files);
  if (warning) notes.say(warning);
  const service = serviceClock(clock.now);
  let last: Exchange | undefined;
  const runtime = { settings, system, services, notes, redactor };
  const connection = connect(runtime, {
    readsInDryRun: invocation.command.readsInDryRun,
    observe: (exchange) => {
      if (exchange.status !== undefined) last = exchange;
      service.observe(exchange);
      notes.response(exchange, service.now());
    },
    onSent: () => {
      void loading.then(({ view }) => preloadRenderer(view, settings, io.stdout.isTTY));
    },
  });
  try {
    const command = await loading;
    checkColumns(command.view, settings);
    const filter = settings.jq === undefined ? undefined : await compiled(settings.jq, system);
    const printing = {
      ...system,
      clock: { ...clock, now: service.now },
      ...(command.printsKey && { io: { ...io, stdout: guardIo(outside.io, noSecrets).stdout } }),
    };
    const finish = async (result: Result) => {
      try {
        await print(result, command.view, { settings, system: printing, notes, redactor, filter });
      } catch (error) {
        const failure = failureIn(result);
        // The reader has closed the pipe, so no one needs the rest of the list.
        if (!failure && "records" in result && isClosedPipe(error)) return exit.done;
        if (!failure) throw error;
        if (!isClosedPipe(error)) notes.setFailureContext(withNotPrinted(notes.failureContext(), error));
        throw failure;
      }
      const failure = failureIn(result);
      if ("nextSteps" in result && result.nextSteps?.length && settings.output === "table") {
        const { nextStepLines } = await import("../print/next-steps.ts");
        const { isTTY, columns } = io.stderr;
        for (const line of nextStepLines(result.nextSteps, toService, isTTY ? columns : Infinity)) {
          notes.say(line);
        }
      }
      if (failure) throw failure;
      for (const line of notes.held) await io.stderr.write(`${line}\n`);
      // Frames are shown until the user interrupts.
      if ("frames" in result) return exit.interrupted;
      return ("exitCode" in result && result.exitCode) || exit.done;
    };
    try {
      const runOptions = { invocation, command, connection, serviceNow: service.now };
      return await finish(await run(runOptions, runtime));
    } catch (error) {
      if (!(error instanceof DryRun)) throw error;
      return await finish(dryRunResult(connection.dryRunRequests, settings.output));
    }
  } catch (error) {
    const isUnsent =
      invocation.command.confirm === "spending" &&
      !connection.hasWritten() &&
      notes.failureContext() === undefined;
    const reported = orInterrupted(error, { ...system, isUnsent });
    const { keptResponse } = await import("../report/kept-response.ts");
    const kept = await keptResponse(reported, { files, date: new Date(service.now()) });
    return await fail(reported, io.stderr, {
      asJson: isMachineFormat(settings.output),
      debug: settings.debug,
      sandbox: settings.sandbox,
      invocation,
      completedBefore: [notes.failureContext(), kept].filter(Boolean).join(" ") || undefined,
      last,
    });
  } finally {
    connection.close();
  }
}

/** The error that makes a result incomplete, as far as it is known now. */
function failureIn(result: Result): Error | undefined {
  if ("records" in result) return result.failureAtEnd?.();
  return "failure" in result ? result.failure : undefined;
}

/** Completes the context of the command's own failure: adds why the result could not be printed. */
function withNotPrinted(context: string | undefined, error: unknown): string {
  const { message } = error instanceof Error ? error : new Error(String(error));
  return [context, `Also, ${message.replace(/\.$/, "")}.`].filter(Boolean).join(" ");
}

/** A redactor without secrets, for `auth token`, which prints the key. */
const noSecrets = createRedactor();

/**
 * The key in the environment, passwords in URLs on the command line, and passwords in base URLs and proxies in the
 * environment.
 */
function secretsIn(argv: readonly string[], env: System["env"]): readonly string[] {
  const urls = Object.entries(env).flatMap(([name, text = ""]) =>
    text.includes("@") && /^gpuctl_.*_url$|_proxy$/i.test(name) ? text : [],
  );
  return [...(env.GPUCTL_API_KEY ? [env.GPUCTL_API_KEY] : []), ...[...argv, ...urls].flatMap(passwordsIn)];
}

/**
 * Keys that occur inside a command that prints the key. Such a command may be the value of a flag, or the value that
 * `config set apiKeyCommand` sets.
 */
function typedSecrets({ command, args: [key, value = ""], flags }: Invocation): readonly string[] {
  const given = command.flags
    .filter(({ isKeyCommand }) => isKeyCommand)
    .map(({ names }) => flags[names[0]]?.value);
  const lines = [...given, ...(key === "apiKeyCommand" ? [value] : [])];
  return lines.flatMap((line) => (typeof line === "string" ? secretsInCommand(line) : []));
}

/** Every secret in the profiles: keys, keys inside key commands, and passwords in URLs. */
const secretsOf = ({ profiles = {} }: Config): readonly string[] =>
  Object.values(profiles).flatMap((profile) => [
    ...(profile.apiKey ? [profile.apiKey] : []),
    ...Object.values(profileValues(profile)).flatMap(passwordsIn),
    ...secretsInCommand(profileValue(profile, "apiKeyCommand") ?? ""),
  ]);

/** Commands that need no configuration run even if the configuration file cannot be read. `doctor` reports why. */
function configFor({ command }: Invocation, { files }: System): Config {
  try {
    return readConfig(files);
  } catch (error) {
    if (!command.needsNoConfig) throw error;
    return {};
  }
}

/** How a command uses the profile. A command that needs no configuration does not need a valid profile either. */
function profileUse({ path: [noun, verb], needsNoConfig }: Invocation["command"]): ProfileUse {
  if (noun === "profile") return verb === "add" ? "create" : "repair";
  return needsNoConfig || noun === "setup" || noun === "config" || (noun === "auth" && verb === "login")
    ? "repair"
    : "use";
}

/**
 * After Ctrl-C, every failure counts as an interruption, except errors that report a possible change or charge.
 * `isUnsent`: the command would have spent money, but sent no write.
 */
function orInterrupted(
  error: unknown,
  { interrupted, isUnsent }: Pick<System, "interrupted"> & { readonly isUnsent: boolean },
): unknown {
  const isReported = error instanceof Error && reportedAfterInterrupt.has(error.name);
  const plain = new Interrupted();
  const isPlain = error instanceof Interrupted && error.message === plain.message;
  if (!isPlain && (isReported || !interrupted.aborted)) return error;
  return isUnsent ? new Interrupted("interrupted: nothing was spent") : plain;
}

const reportedAfterInterrupt: ReadonlySet<string> = new Set([
  "InterruptedWrite",
  "UnknownOutcome",
  "EmptyResult",
  "ResultTruncated",
  "StoredElsewhere",
  "ResultLost",
  "SomeFailed",
  "StillBilled",
  "LeaseNotStored",
]);

/** Compiles the filter. Called before anything is sent, so that an invalid filter has no effects. */
const compiled = async (expression: string, { interrupted }: System) =>
  (await import("../../output/jq.ts")).compileFilter(expression, interrupted);

/**
 * Whether a command line, or else the environment, seems to ask for a machine format. Decides whether an error is
 * reported as JSON if it occurs before the settings are known.
 */
function wantsJson(argv: readonly string[], env: System["env"]): boolean {
  const formats = argv.flatMap((word, at) => {
    if (/^--jq(?:=|$)/.test(word)) return ["json"];
    const [, joined] = /^(?:-[qy]*o|--output(?:=|$))(.*)$/.exec(word) ?? [];
    return joined === undefined ? [] : [joined || argv[at + 1]];
  });
  const format = formats.at(-1) ?? env.GPUCTL_OUTPUT;
  return outputFormats.some((one) => one === format && isMachineFormat(one));
}

interface FailOptions extends FailureContext {
  readonly asJson: boolean;
  readonly debug?: boolean;
}

/** Reports an error on stderr and returns its exit code. */
async function fail(error: unknown, stderr: Sink, options: FailOptions): Promise<number> {
  const { failureDocument, failureOf, failureText } = await import("../report/failure.ts");
  const failure = failureOf(error, options);
  if (options.debug && error instanceof Error) await stderr.write(`${error.stack}\n`);
  await stderr.write(options.asJson ? failureDocument(failure) : failureText(failure));
  return failure.exitCode;
}

/**
 * Clock difference to ignore, in milliseconds: the Date header has whole seconds, and a response takes time to arrive.
 */
const tolerance = 2000;
const restOfSecond = 999;

/** The year 10000. A later time is wrong, and may be outside the range of a `Date`. */
const endOfTime = Date.UTC(10_000, 0);

/**
 * The service's time, from the Date header of its last response. Before the first response, or if the two clocks differ
 * by no more than `tolerance`, it is this machine's time. The header has whole seconds. The clock assumes the end of
 * the second in the header, so that no timestamp of the service is in the future.
 */
function serviceClock(localNow: () => number): { readonly observe: Observer; readonly now: () => number } {
  let offset = 0;
  return {
    observe: ({ header }) => {
      const serviceTime = Date.parse(header("date") ?? "");
      if (!(serviceTime >= 0 && serviceTime < endOfTime)) return;
      const difference = serviceTime - localNow();
      offset = Math.abs(difference) <= tolerance ? 0 : difference + restOfSecond;
    },
    now: () => localNow() + offset,
  };
}
