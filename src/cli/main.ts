import type { Exchange } from "../client/exchange.ts";
import { Interrupted } from "../context/errors.ts";
import type { World } from "../context/world.ts";
import type { Filter } from "../output/jq.ts";
import { isMachineFormat, outputFormats } from "../output/view.ts";
import { type Config, exposure, readConfig } from "./config/profile.ts";
import { connect } from "./connection.ts";
import { createContext } from "./context.ts";
import { DryRun, dryRunAnswer } from "./dry-run.ts";
import { exit } from "./exit.ts";
import type { Surroundings } from "./failure.ts";
import { helpLook } from "./help-look.ts";
import { createNotes, type Notes } from "./notes.ts";
import { notices } from "./notices.ts";
import { checkColumns } from "./output-settings.ts";
import { prepare, print } from "./print.ts";
import { type Invocation, parse } from "./program.ts";
import { run } from "./run.ts";
import { serviceClock } from "./service-clock.ts";
import { type ProfileUse, resolveSettings } from "./settings.ts";

/** One command line from start to end: results on stdout, everything else on stderr, the exit code back. */
export async function main(argv: readonly string[], world: World): Promise<number> {
  try {
    const parsed = parse(argv, world.version, helpLook(world));
    if (!("show" in parsed)) return await execute(parsed, world);
    await world.stdout.write(parsed.show);
    return exit.done;
  } catch (error) {
    return fail(error, wantsDocuments(argv, world), world);
  }
}

async function execute(invocation: Invocation, world: World): Promise<number> {
  const config = configFor(invocation, world);
  const settings = resolveSettings({
    typed: invocation.globals,
    env: world.env,
    config,
    for: profileUse(invocation.spec.path),
  });
  const notes = createNotes(settings, world);
  const warning = exposure(config, world);
  if (warning) notes.say(warning);
  const service = serviceClock(world.now);
  const tell = notices(settings, { stderr: world.stderr, now: service.now }, notes);
  let last: Exchange | undefined;
  const watch = (exchange: Exchange) => {
    if (exchange.status !== undefined) last = exchange;
    service.watch(exchange);
    tell(exchange);
  };
  let filter: Filter | undefined;
  const connection = connect(settings, world, watch, notes.say, () => {
    void prepare(invocation.spec.view, settings);
  });
  try {
    checkColumns(invocation.spec.view, settings);
    filter = settings.jq === undefined ? undefined : await compiled(settings.jq);
    const context = createContext(settings, world, { connection, notes, serviceNow: service.now });
    const answer = await run({ invocation, settings, world, context, isListed: connection.isListed });
    const dated = { ...world, now: service.now };
    await print(answer, invocation.spec.view, { settings, world: dated, notes, filter });
    await tellHeld(notes, world);
    // Only the user ends what is shown again and again.
    if ("frames" in answer) return exit.interrupted;
    return ("exitCode" in answer && answer.exitCode) || exit.done;
  } catch (error) {
    if (error instanceof DryRun) {
      const answer = dryRunAnswer(connection.shown, settings.output);
      await print(answer, { kind: "document" }, { settings, world, notes, filter });
      await tellHeld(notes, world);
      return exit.done;
    }
    return await fail(orInterrupted(error, world), isMachineFormat(settings.output), world, {
      debug: settings.debug,
      sandbox: settings.sandbox,
      before: notes.beforeFailure(),
      last,
    });
  } finally {
    await connection.close();
  }
}

async function tellHeld({ held }: Notes, { stderr }: World): Promise<void> {
  for (const line of held) await stderr.write(`${line}\n`);
}

/** A command that needs no configuration runs where that cannot be read; the one that examines it tells so. */
function configFor({ spec }: Invocation, world: World): Config {
  try {
    return readConfig(world);
  } catch (error) {
    if (!spec.needsNoConfig) throw error;
    return {};
  }
}

/** What a command does with the profile, by the words of the command. */
function profileUse([noun = "", verb = ""]: readonly string[]): ProfileUse {
  if (noun === "profile") return verb === "add" ? "make" : "mend";
  return noun === "setup" || noun === "config" || noun === "doctor" || (noun === "auth" && verb === "login")
    ? "mend"
    : "use";
}

/** After Ctrl-C whatever failed was interrupted; what cost something or may have says so itself. */
const orInterrupted = (error: unknown, { interrupted }: World): unknown =>
  interrupted.aborted && !(error instanceof Error && tellsMore.has(error.name)) ? new Interrupted() : error;

const tellsMore: ReadonlySet<string> = new Set(["InterruptedWrite", "UnknownOutcome", "ResultLost"]);

/** Loaded where there is something to filter; it must compile before anything is sent. */
const compiled = async (expression: string): Promise<Filter> =>
  (await import("../output/jq.ts")).compileFilter(expression);

/** Whether errors are documents on a command line that could not be read: what it seems to ask for. */
function wantsDocuments(argv: readonly string[], { env }: World): boolean {
  const typed = argv.flatMap((word, at) => {
    if (/^--jq(?:=|$)/.test(word)) return ["json"];
    const [, joined] = /^(?:-[qy]*o|--output(?:=|$))(.*)$/.exec(word) ?? [];
    return joined === undefined ? [] : [joined || argv[at + 1]];
  });
  const asked = typed.at(-1) ?? env.GPUCTL_OUTPUT;
  return outputFormats.some((format) => format === asked && isMachineFormat(format));
}

interface Known extends Surroundings {
  readonly debug: boolean;
}

async function fail(error: unknown, asDocument: boolean, world: World, known?: Known): Promise<number> {
  const [{ failureOf }, { failureDocument, failureText }] = await Promise.all([
    import("./failure.ts"),
    import("./report.ts"),
  ]);
  const failure = failureOf(error, known);
  if (known?.debug && error instanceof Error) await world.stderr.write(`${error.stack}\n`);
  await world.stderr.write(asDocument ? failureDocument(failure) : failureText(failure));
  return failure.exitCode;
}
