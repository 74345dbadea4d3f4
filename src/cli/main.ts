import type { Exchange } from "../client/exchange.ts";
import { Interrupted } from "../context/errors.ts";
import type { World } from "../context/world.ts";
import { connect } from "./connection.ts";
import { createContext } from "./context.ts";
import { DryRun, dryRunAnswer } from "./dry-run.ts";
import { exit } from "./exit.ts";
import type { Surroundings } from "./failure.ts";
import { createNotes } from "./notes.ts";
import { notices } from "./notices.ts";
import { print } from "./print.ts";
import { readConfig } from "./profile.ts";
import { type Invocation, parse } from "./program.ts";
import { run } from "./run.ts";
import { resolveSettings } from "./settings.ts";

/** One command line from start to end: results on stdout, everything else on stderr, the exit code back. */
export async function main(argv: readonly string[], world: World): Promise<number> {
  try {
    const parsed = parse(argv, world.version);
    if (!("show" in parsed)) return await execute(parsed, world);
    await world.stdout.write(parsed.show);
    return exit.done;
  } catch (error) {
    return fail(error, wantsJson(argv, world), world);
  }
}

async function execute(invocation: Invocation, world: World): Promise<number> {
  const settings = resolveSettings({
    typed: invocation.globals,
    env: world.env,
    config: readConfig(world),
    newProfile: invocation.spec.path.join(" ") === "auth login",
  });
  const notes = createNotes(settings, world);
  const tell = notices(settings, world, notes);
  let last: Exchange | undefined;
  const connection = connect(settings, world, (exchange) => {
    last = exchange;
    tell(exchange);
  });
  try {
    const context = createContext(settings, world, { connection, notes });
    const answer = await run({ invocation, settings, world, context });
    await print(answer, invocation.spec.view, settings, world);
    for (const line of notes.held) await world.stderr.write(`${line}\n`);
    return ("exitCode" in answer && answer.exitCode) || exit.done;
  } catch (error) {
    if (error instanceof DryRun) {
      await print(dryRunAnswer(connection.shown, settings.output), invocation.spec.view, settings, world);
      return exit.done;
    }
    return await fail(orInterrupted(error, world), settings.output === "json", world, {
      debug: settings.debug,
      sandbox: settings.sandbox,
      before: notes.beforeFailure(),
      last,
    });
  } finally {
    await connection.close();
  }
}

/** After Ctrl-C whatever failed was interrupted; what cost something or may have says so itself. */
const orInterrupted = (error: unknown, { interrupted }: World): unknown =>
  interrupted.aborted && !(error instanceof Error && tellsMore.has(error.name)) ? new Interrupted() : error;

const tellsMore: ReadonlySet<string> = new Set(["InterruptedWrite", "UnknownOutcome", "ResultLost"]);

/** The format of errors on a command line that could not be read: what it seems to ask for. */
function wantsJson(argv: readonly string[], { env }: World): boolean {
  const typed = argv.flatMap((word, at) => {
    const [, joined] = /^(?:-[qy]*o|--output(?:=|$))(.*)$/.exec(word) ?? [];
    return joined === undefined ? [] : [joined || argv[at + 1]];
  });
  return (typed.at(-1) ?? env.GPUCTL_OUTPUT) === "json";
}

interface Known extends Surroundings {
  readonly debug: boolean;
}

async function fail(error: unknown, json: boolean, world: World, known?: Known): Promise<number> {
  const [{ failureOf }, { failureDocument, failureText }] = await Promise.all([
    import("./failure.ts"),
    import("./report.ts"),
  ]);
  const failure = failureOf(error, known);
  if (known?.debug && error instanceof Error) await world.stderr.write(`${error.stack}\n`);
  await world.stderr.write(json ? failureDocument(failure) : failureText(failure));
  return failure.exitCode;
}
