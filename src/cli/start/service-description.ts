import type { RequestParts } from "../../client/request.ts";
import type { CallOptions } from "../../client/send.ts";
import type { Describe } from "../../command-kit/context.ts";
import type { Settings } from "../../config/settings.ts";
import { routes } from "../../contract/generated/routes.ts";
import type { OperationId } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { reasonOf, UsageError } from "../../core/errors.ts";
import { NoBaseUrl } from "../../core/service-errors.ts";
import { once } from "../../core/tasks/once.ts";
import type { DescriptionLookup } from "../../openapi/description-store.ts";
import type { Description } from "../../openapi/document.ts";
import type { IsListedFor } from "../prompt/check.ts";
import type { Runtime } from "./services.ts";

export interface ServiceDescription {
  readonly describe: Describe;
  readonly descriptions: DescriptionLookup | undefined;
  /**
   * For a dry run: the request that would be sent instead, if the cached description lists a replacement for the
   * operation. Warns if the command would first fetch the description, which may then list something else.
   */
  readonly replacementFor: (id: OperationId, input: object) => Promise<RequestParts | undefined>;
  /**
   * Whether the service's description lists a value. If the cached description does not list it, fetches the
   * description again, with a short timeout. In a dry run, fetches nothing.
   */
  readonly isListed: IsListedFor;
}

/**
 * Creates everything that depends on the service's description. The description is fetched with `options` when it is
 * first needed, and kept until it may be outdated.
 */
export function createServiceDescription(
  { settings, system, services, notes }: Runtime,
  options: () => Promise<CallOptions>,
): ServiceDescription {
  const stores = once(async () => {
    const { createCurrentDescriptions } = await import("../../client/description.ts");
    const cache = settings.sandbox ? undefined : await services.descriptionCache();
    return createCurrentDescriptions(options, { cache, now: system.clock.now });
  });
  const store = async () => (await stores())();
  const warned = new Set<string>();
  const warnOnce = (line: string) => {
    if (!warned.has(line)) notes.say(line);
    warned.add(line);
  };
  return {
    // The sandbox inside gpuctl serves every documented path, and building its description takes longer than a call.
    descriptions: settings.sandbox
      ? undefined
      : {
          get: async () => (await store()).get(),
          refresh: async () => (await store()).refresh(),
        },
    replacementFor: async (id, input) => {
      const { mayBeReplaced, replacementOf } = await import("../../openapi/replacement.ts");
      if (settings.sandbox || settings.baseUrl === undefined || !mayBeReplaced(id)) return undefined;
      const { description, isCurrent } = await (await store()).peek();
      if (!isCurrent) warnOnce(maybeReplaced(id));
      return replacementOf(id, input, description)?.parts;
    },
    isListed: async (id, path, value) => {
      if (settings.sandbox || settings.baseUrl === undefined) return false;
      const [{ get, refresh, peek }, { listsValue }] = await Promise.all([
        store(),
        import("../../openapi/listed-values.ts"),
      ]);
      const lists = (description: Description | undefined) =>
        description && listsValue(description, id, path, value);
      if (settings.dryRun) return lists((await peek()).description) ?? false;
      return lists(await get()) || lists(await refresh());
    },
    describe: async ({ refresh = false, orDocumented, timeout } = {}) => {
      if (settings.dryRun) {
        const { description } = await (await store()).peek();
        if (description || settings.sandbox) return description ?? documentedDescription(settings);
        const fallback = timeout === undefined ? await documentedDescription(settings) : undefined;
        if (fallback === undefined || orDocumented?.(fallback) === false) {
          throw new UsageError(notCached, { hint: "Run `gpuctl api spec` to fetch and cache it." });
        }
        warnOnce(documentedInstead);
        return fallback;
      }
      const { load } = await store();
      if (timeout !== undefined && !settings.sandbox) return load({ timeout });
      try {
        return await load({ refresh });
      } catch (error) {
        if (system.interrupted.aborted) throw error;
        const fallback =
          orDocumented && !(error instanceof NoBaseUrl) ? await documentedDescription(settings) : undefined;
        if (fallback === undefined || !orDocumented?.(fallback)) throw withPurpose(error);
        notes.say(
          `Could not fetch the service's OpenAPI description (${reasonOf(error)}). Using the one in this version of gpuctl, which may be older.`,
        );
        return fallback;
      }
    },
  };
}

/** The documented API, and in the sandbox also the operations that the sandbox adds. */
export const documentedDescription = ({ sandbox }: Pick<Settings, "sandbox">): Promise<Description> =>
  sandbox ? served() : documented();

const documented = once(async () => descriptionOf((await import("../../contract/index.ts")).operations));

const served = once(async () =>
  descriptionOf((await import("../../sandbox/assumed/index.ts")).servedOperations),
);

async function descriptionOf(operations: Readonly<Record<string, Operation>>): Promise<Description> {
  const { openApi } = await import("../../contract/document/openapi.ts");
  return openApi(Object.values(operations), { servers: [] });
}

const notCached =
  "this request depends on the service's OpenAPI description, which is not cached; a dry run does not fetch it";

const documentedInstead =
  "The service's OpenAPI description is not cached, and a dry run does not fetch it. Using the one in this version of gpuctl. Run `gpuctl api spec` to cache it.";

const maybeReplaced = (id: OperationId): string => {
  const { method, path, replacedBy } = routes[id];
  return `This request may be sent as ${replacedBy?.method} ${replacedBy?.path} instead of ${method} ${path}, depending on the service's description, which a dry run does not fetch. Run \`gpuctl api spec\` to fetch it.`;
};

/** Adds a hint that explains why gpuctl sent a request that the user did not ask for. */
function withPurpose(error: unknown): unknown {
  if (!(error instanceof Error && "request" in error)) return error;
  return Object.assign(error, { hint: "This command needs the service's OpenAPI description." });
}
