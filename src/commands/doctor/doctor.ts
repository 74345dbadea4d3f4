import type { Installation } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { reasonOf, Unhealthy } from "../../core/errors.ts";
import { usesAscii } from "../../core/locale.ts";
import { once } from "../../core/tasks/once.ts";
import { wrap } from "../../core/text.ts";
import * as local from "./checks/local.ts";
import * as service from "./checks/service.ts";
import { type Check, type CheckInput, type Finding, failure } from "./finding.ts";

/** The checks by name, in the order of the report. */
const checks: Readonly<Record<string, Check>> = {
  node: local.node,
  configuration: local.configuration,
  "state folder": local.stateFolder,
  "base URL": service.baseUrl,
  proxy: service.proxy,
  TLS: service.tls,
  clock: service.clock,
  description: service.description,
  key: service.key,
  terminal: local.terminal,
  sandbox: local.sandbox,
  player: local.player,
  ssh: local.ssh,
  completions: local.completions,
};

export default defineCommand({
  path: "doctor",
  summary: "Check the installation and suggest fixes",
  details: "Changes nothing, sends at most three read requests, and exits 0 only when no check fails.",
  needsNoConfig: true,
  uses: ["installation", "completionScript", "withServiceFlags"],
  view: {
    kind: "list",
    columns: [
      { title: "CHECK", paths: ["check"] },
      { title: "STATUS", paths: ["status"] },
      { title: "MESSAGE", paths: ["message"] },
      { title: "ADVICE", paths: ["advice"] },
    ],
    empty: "Nothing was checked.",
    id: ["check"],
  },
  examples: [
    { text: "Check everything except the service", command: "gpuctl doctor --sandbox" },
    { text: "Print as JSON, for a script", command: "gpuctl doctor --sandbox -o json" },
  ],
  run: async (context) => {
    const { call, completionScript, installation, interrupted, now, progress, settings, withServiceFlags } =
      context;
    const limits = { retries: 0, timeout: { compute: timeout, inference: timeout } };
    const input: CheckInput = {
      ...installation,
      settings,
      now,
      completionScript,
      read: (id, input) => call(id, input, limits),
      host: once(() => installation.probe(String(settings.baseUrl), timeout)),
    };
    const found = await progress("Checking", () =>
      Promise.all(Object.entries(checks).map(([name, check]) => resultOf(name, check, input))),
    );
    const results = found.map(({ advice, ...result }) => ({
      ...result,
      ...(advice !== undefined && { advice: withServiceFlags(advice) }),
    }));
    // After an interruption, the failures that the checks report are not real.
    interrupted.throwIfAborted();
    const failures = results.filter(({ status }) => status === "failure").length;
    if (settings.output === "table") {
      return { text: report(results, installation), exitCode: failures > 0 ? 1 : 0 };
    }
    if (failures > 0) throw new Unhealthy(results, failures);
    return { data: results };
  },
});

interface CheckResult extends Finding {
  readonly check: string;
}

/** Runs a check. A check that throws is a failure. */
async function resultOf(name: string, check: Check, input: CheckInput): Promise<CheckResult> {
  try {
    return { check: name, ...(await check(input)) };
  } catch (error) {
    return { check: name, ...failure(reasonOf(error), "--debug shows more.") };
  }
}

/** Milliseconds to wait for a response. */
const timeout = 5_000;

const signs = { ok: "✓", warning: "!", failure: "✗" };
const asciiSigns = { ok: "+", warning: "!", failure: "x" };

/** Yields a sign, a status and a message for each check, with its advice below, and then the totals. */
async function* report(
  results: readonly CheckResult[],
  { env, terminal }: Pick<Installation, "env" | "terminal">,
): AsyncGenerator<string> {
  const ascii = usesAscii(env) || (terminal.stdout && env.TERM === "dumb");
  const sign = ascii ? asciiSigns : signs;
  const width = Math.max(...results.map(({ check }) => check.length));
  const indent = " ".repeat(width + "x warning    ".length);
  const columns =
    terminal.stdout && terminal.columns > 0 ? terminal.columns - indent.length : Number.POSITIVE_INFINITY;
  for (const { check, status, message, advice = "" } of results) {
    const [first = "", ...rest] = [message, advice].filter(Boolean).flatMap((text) => wrap(text, columns));
    yield `${sign[status]} ${status.padEnd("warning".length)}  ${check.padEnd(width)}  ${first}\n`;
    for (const line of rest) yield `${indent}${line}\n`;
  }
  const count = (wanted: Finding["status"]) => results.filter(({ status }) => status === wanted).length;
  const warnings = count("warning");
  yield `\n${count("ok")} ok, ${warnings} warning${warnings === 1 ? "" : "s"}, ${count("failure")} failed\n`;
}
