import { join } from "node:path";
import { defineCommand } from "../../command-kit/define.ts";
import { flag } from "../../command-kit/flag.ts";
import { saveFailed, UsageError } from "../../core/errors.ts";
import { makeFolderSync } from "../../core/files.ts";
import type { Money } from "../../core/values/money.ts";
import { type Permission, permissions } from "../../mcp/permissions.ts";

export default defineCommand({
  path: "mcp",
  summary: "Serve tools to agents on stdin and stdout, over the Model Context Protocol",
  details:
    "Start the server from the configuration of an agent. The tools only read, unless --allow permits more. The limits apply to all calls together until the server ends: --max-cost limits the total cost of inference and of reserved terms, and --max-burn limits the hourly cost of the active rentals, including a new one. --allow destroy permits every tool that terminates or deletes, even `delete_current_user`. Every call that does more than read is reported on stderr and in mcp-spending.jsonl in the state folder.",
  flags: {
    allow: flag.choices("What the tools may do beyond reading", permissions),
    maxCost: flag.dollars(
      "Maximum cost of inference and reservations together, in dollars; required with --allow spend",
    ),
    maxBurn: flag.dollars(
      "Maximum hourly cost of all active rentals, including a new one, in dollars; required with --allow spend",
    ),
    assumePrice: flag.dollars(
      "Price in dollars to assume for each chat answer and each audio file of generated speech, because their prices are not documented. Without this flag, chat and speech calls are refused.",
    ),
    out: flag.text("Folder for images and audio files", {
      value: "FOLDER",
      defaultText: "mcp in the state folder",
    }),
  },
  uses: ["task", "commandNode", "failureOf", "messages", "preload"],
  view: { kind: "lines", path: "path" },
  examples: [
    { text: "Let an agent look at a sandbox", command: "gpuctl mcp --sandbox" },
    {
      text: "Let an agent rent for up to $10 an hour, generate for up to $5, and delete",
      command: "gpuctl mcp --allow spend --max-cost 5 --max-burn 10 --allow destroy --sandbox",
    },
  ],
  run: async ({ flags, messages, preload, task, commandNode, failureOf, ...context }) => {
    const { settings, files, interrupted } = context;
    const allowed = new Set(flags.allow);
    checkLimits(allowed, flags);
    if (settings.dryRun) {
      throw new UsageError("--dry-run does not apply to mcp", {
        hint: "To let the tools only read, use neither --dry-run nor --allow.",
      });
    }
    await preload("program");
    const [{ serveTools }, { streamTransport }, { Budget, spendingLog }, { callDescribed, listedTools }] =
      await Promise.all([
        import("../../mcp/server.ts"),
        import("../../mcp/transport.ts"),
        import("../../mcp/spending.ts"),
        import("./described.ts"),
      ]);
    const folder = flags.out === undefined ? join(files.state, "mcp") : files.resolve(flags.out);
    if (allowed.has("spend")) makeFolder(folder);
    const { log } = messages;
    const origin = settings.sandbox
      ? { sandbox: true }
      : { profile: settings.profile, baseUrl: settings.baseUrl };
    log(
      `mcp: ${servedText(settings)}; allowed: ${["read", ...allowed].join(", ")}.${messages.isTerminal ? " Waiting for messages from a client on stdin." : ""}`,
    );
    await serveTools(
      streamTransport({
        ...messages,
        onUnsent: async (message) => {
          const { keepUnsent } = await import("../../mcp/unsent.ts");
          await keepUnsent(message, { folder, now: context.now, log });
        },
      }),
      {
        version: settings.version,
        sandbox: settings.sandbox,
        allowed,
        folder,
        maxBurn: flags.maxBurn,
        budget: allowed.has("spend") && flags.maxCost !== undefined ? new Budget(flags.maxCost) : undefined,
        assumedPrice: flags.assumePrice,
        record: spendingLog({
          folder: files.state,
          now: context.now,
          redact: context.redactor.redact,
          origin: { server: files.processes.self, ...origin },
        }),
        listed: () => listedTools({ describe: context.describe, say: log }),
        now: context.now,
        task,
        commandNode,
        failureOf,
        callDescribed,
        log,
      },
      interrupted,
    );
    return { exitCode: 0 };
  },
});

const servedText = ({ sandbox, baseUrl }: { sandbox: boolean; baseUrl?: string | undefined }): string =>
  sandbox || baseUrl !== undefined
    ? `serving ${sandbox ? "the sandbox" : baseUrl}`
    : "no base URL is set, so no calls can be made; run `gpuctl setup` or add --sandbox";

interface Limits {
  readonly maxCost: Money | undefined;
  readonly maxBurn: Money | undefined;
  readonly assumePrice: Money | undefined;
}

/** Throws `UsageError` if spending is allowed without limits, or if a price is given for calls that are not allowed. */
function checkLimits(allowed: ReadonlySet<Permission>, { maxCost, maxBurn, assumePrice }: Limits): void {
  if (!allowed.has("spend")) {
    if (assumePrice === undefined) return;
    throw new UsageError("--assume-price requires --allow spend; otherwise, the tools spend nothing");
  }
  const limits = { "--max-cost": maxCost, "--max-burn": maxBurn };
  const missing = Object.entries(limits).flatMap(([name, limit]) => (limit === undefined ? [name] : []));
  if (missing.length === 0) return;
  throw new UsageError(`--allow spend requires ${missing.join(" and ")}`, {
    hint: "Both limits hold until the server ends. For example: --allow spend --max-cost 5 --max-burn 10",
  });
}

function makeFolder(folder: string): void {
  try {
    makeFolderSync(folder, 0o700);
  } catch (error) {
    throw saveFailed(folder, error);
  }
}
