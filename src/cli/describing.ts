import type { CallOptions, Negotiator } from "../client/call-options.ts";
import type { Description } from "../client/document.ts";
import { NoBaseUrl } from "../client/errors.ts";
import type { RequestParts } from "../client/request.ts";
import { UsageError } from "../commands/errors.ts";
import type { Describe } from "../context/context.ts";
import type { World } from "../context/world.ts";
import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import type { IsListedFor } from "./check.ts";
import { once } from "./once.ts";
import type { Settings } from "./settings.ts";

export interface Describing {
  readonly describe: Describe;
  readonly negotiator: Negotiator | undefined;
  /**
   * The request that would take the place of an operation, as far as is known without asking. Says so when asking might
   * show one.
   */
  readonly replacementFor: (id: OperationId, input: object) => Promise<RequestParts | undefined>;
  /** A description that is kept is looked at first; one that does not list the value is asked for anew, briefly. */
  readonly isListed: IsListedFor;
}

/** What is made of the service's description: it is asked for when it is first needed, and once. */
export function describing(
  settings: Settings,
  world: Pick<World, "descriptions" | "interrupted">,
  options: () => Promise<CallOptions>,
  warn: (line: string) => void,
): Describing {
  const describer = once(async () => {
    const { createDescriber } = await import("../client/describer.ts");
    return createDescriber(options, settings.sandbox ? undefined : world.descriptions);
  });
  const told = new Set<string>();
  const tellOnce = (line: string) => {
    if (!told.has(line)) warn(line);
    told.add(line);
  };
  return {
    // The sandbox of this process serves what is documented: with it there is nothing to negotiate.
    negotiator: settings.sandbox
      ? undefined
      : {
          soon: async () => (await describer()).soon(),
          again: async () => (await describer()).again(),
        },
    replacementFor: async (id, input) => {
      const { mayBeReplaced, replacementOf } = await import("../client/replacement.ts");
      if (settings.sandbox || settings.baseUrl === undefined || !mayBeReplaced(id)) return undefined;
      const { kept, settled } = await describer();
      if (!(await settled())) tellOnce(maybeReplaced(id));
      return replacementOf(id, { ...input }, await kept())?.parts;
    },
    isListed: async (id, path, value) => {
      if (settings.sandbox || settings.baseUrl === undefined) return false;
      const [{ kept, soon, again }, { listsValue }] = await Promise.all([
        describer(),
        import("../client/listed-values.ts"),
      ]);
      const lists = (description: Description | undefined) =>
        description && listsValue(description, id, path, value);
      if (settings.dryRun) return lists(await kept()) ?? false;
      return lists(await soon()) || lists(await again());
    },
    describe: async ({ refresh = false, orDocumented, promptly = false } = {}) => {
      if (settings.dryRun) {
        const kept = await (await describer()).kept();
        if (kept || settings.sandbox) return kept ?? documented(settings);
        const standIn = promptly ? undefined : await documented(settings);
        if (standIn === undefined || orDocumented?.(standIn) === false)
          throw new UsageError(unknownUnasked, { hint: "`gpuctl api spec` asks for it and keeps it." });
        tellOnce(goesByDocuments);
        return standIn;
      }
      if (promptly && !settings.sandbox) return (await describer()).promptly();
      try {
        return await (await describer()).live({ refresh });
      } catch (error) {
        if (world.interrupted.aborted) throw error;
        const standIn =
          orDocumented && !(error instanceof NoBaseUrl) ? await documented(settings) : undefined;
        if (standIn === undefined || !orDocumented?.(standIn)) throw withReason(error);
        const reason = error instanceof Error ? error.message : error;
        warn(`The service's description cannot be had (${reason}), so this goes by what is documented.`);
        return standIn;
      }
    },
  };
}

const unknownUnasked =
  "what would be sent is up to the service's description: none is kept, and a dry run asks for none";

const goesByDocuments =
  "No description of the service is kept, and a dry run asks for none: this goes by what is documented. `gpuctl api spec` keeps one.";

const maybeReplaced = (id: OperationId): string => {
  const { method, path, replacedBy } = routes[id];
  return `This may be sent as ${replacedBy?.method} ${replacedBy?.path} in place of ${method} ${path}: that is up to the service's description, which a dry run does not ask for. \`gpuctl api spec\` does.`;
};

/** A failure of the one request that the user did not name says what it was for. */
function withReason(error: unknown): unknown {
  if (!(error instanceof Error && "request" in error)) return error;
  const hint = "This goes by the service's own description, which could not be had.";
  return Object.assign(error, { hint });
}

/** What the service is documented to offer; in the sandbox also what that assumes. */
async function documented({ sandbox }: Settings): Promise<Description> {
  return (await import("./documented.ts")).documentedDescription({ assumed: sandbox });
}
