/** The part of the bundler's knowledge that the split needs. */
interface Graph {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null;
}

/**
 * Files that a command line needs together, by the modules whose static imports they are. Read as one file each:
 * finding and opening a file costs more than compiling what is in it.
 */
const together = {
  help: ["/src/cli/help.ts", "/src/cli/help-look.ts", "/src/cli/topic-text.ts"],
  start: ["/src/cli/main.ts", "/src/context/node.ts"],
  call: [
    "/src/client/call.ts",
    "/src/client/transport.ts",
    "/src/client/describer.ts",
    "/src/context/description-cache.ts",
    "/src/commands/rentals/listing.ts",
  ],
  render: ["/src/output/render.ts"],
  table: ["/src/output/table.ts"],
} as const;

/** The file that a module goes into, or nothing when the bundler may choose. */
export function chunkOf(id: string, graph: Graph): string | undefined {
  return Object.entries(together).find(([, roots]) => isImportedBy(roots, id, graph, new Set()))?.[0];
}

/** Whether one of the roots is the module, or imports it statically over any number of steps. */
function isImportedBy(roots: readonly string[], id: string, graph: Graph, seen: Set<string>): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  if (roots.some((root) => id.endsWith(root))) return true;
  return (
    graph.getModuleInfo(id)?.importers.some((importer) => isImportedBy(roots, importer, graph, seen)) ?? false
  );
}
