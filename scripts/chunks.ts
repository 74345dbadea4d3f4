/** The part of the bundler's plugin context that is used here. */
interface Graph {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null;
}

/**
 * Modules that share a chunk with all their static imports, because opening another file takes longer than compiling
 * code that a run does not use.
 */
const together = {
  // Loaded before the code cache works, so it must not import other chunks.
  "code-cache": ["/src/system/code-cache.ts"],
  help: ["/src/cli/help/help.ts", "/src/cli/help/topics.ts"],
  start: [
    "/src/cli/start/main.ts",
    "/src/cli/start/services.ts",
    "/src/system/node.ts",
    "/src/output/time.ts",
    // Used by every command declaration.
    "/src/command-kit/define.ts",
    "/src/command-kit/flag.ts",
    "/src/command-kit/arg.ts",
    "/src/command-kit/examples.ts",
  ],
  call: [
    "/src/client/call.ts",
    "/src/client/list.ts",
    "/src/client/transport/transport.ts",
    "/src/client/description.ts",
    "/src/system/description-cache.ts",
    "/src/commands/rentals/listing.ts",
    "/src/commands/rentals/filter.ts",
    "/src/commands/rentals/views.ts",
    "/src/commands/rentals/waiting.ts",
  ],
  render: [
    "/src/output/render.ts",
    // Used by jq and by the sandbox, and small.
    "/src/core/runtime/packages.ts",
    "/src/core/tasks/time-limit.ts",
    // Used by many commands, and small.
    "/src/core/tasks/steady-clock.ts",
  ],
  table: ["/src/output/table/table.ts"],
  contract: [
    "/src/contract/check/check.ts",
    "/src/contract/plain/fields.ts",
    "/src/contract/enums.ts",
    "/src/contract/errors.ts",
    "/src/contract/image-models.ts",
    "/src/contract/shared.ts",
  ],
  // Building the schemas of all operations takes a tenth of a run, so a command loads only those it needs.
  images: ["/src/contract/images.ts"],
  rentals: ["/src/contract/rentals.ts"],
  chats: ["/src/contract/chat.ts"],
  speech: ["/src/contract/audio.ts"],
  operations: ["/src/contract/index.ts"],
  destination: ["/src/media/output-target.ts"],
  // Commands use these without opening a sandbox.
  remote: ["/src/sandbox/control/remote.ts", "/src/sandbox/health.ts"],
  sandbox: ["/src/sandbox/index.ts"],
} as const;

/** The chunk of a module; undefined leaves the choice to the bundler. */
export function chunkOf(id: string, graph: Graph): string | undefined {
  return Object.entries(together).find(([, roots]) => isImportedBy(roots, id, graph, new Set()))?.[0];
}

/** Whether the module is one of the roots, or a root imports it statically, directly or through other modules. */
function isImportedBy(roots: readonly string[], id: string, graph: Graph, seen: Set<string>): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  if (roots.some((root) => id.endsWith(root))) return true;
  return (
    graph.getModuleInfo(id)?.importers.some((importer) => isImportedBy(roots, importer, graph, seen)) ?? false
  );
}
