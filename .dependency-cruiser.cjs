/** The rooms of src/ and who may import whom; the table of the house, held in CI. */
const rooms = {
  contract: [],
  output: [],
  media: [],
  client: ["contract"],
  sandbox: ["contract"],
  context: ["client"],
  commands: ["contract", "client", "context", "output", "media"],
  docs: ["contract", "commands"],
  library: ["contract", "client", "sandbox", "output"],
  cli: ["contract", "client", "context", "commands", "output", "media"],
};

const stayWithin = Object.entries(rooms).map(([room, others]) => ({
  name: `${room}-imports`,
  comment: `src/${room} may import ${others.map((other) => `src/${other}`).join(", ") || "nothing of ours"}`,
  severity: "error",
  from: { path: `^src/${room}/`, ...(room === "cli" && { pathNot: "^src/cli/entry\\.ts$" }) },
  to: { path: "^src/", pathNot: `^src/(${[room, ...others].join("|")})/` },
}));

/** What only the type checker sees does not count as reaching into a room. */
const typesOnly = (name, from, to) => ({
  name,
  severity: "error",
  from: { path: from },
  to: { path: to, dependencyTypesNot: ["type-only"] },
});

module.exports = {
  forbidden: [
    { name: "no-circle", severity: "error", from: {}, to: { circular: true } },
    { name: "no-orphan-import", severity: "error", from: {}, to: { couldNotResolve: true } },
    ...stayWithin,
    typesOnly("context-takes-types-of-client", "^src/context/", "^src/client/"),
    typesOnly("commands-take-types-of-context", "^src/commands/", "^src/context/"),
    {
      name: "client-of-the-library-without-sandbox",
      comment: "A program that imports the client never loads the sandbox",
      severity: "error",
      from: { path: "^src/library/client\\.ts$" },
      to: { path: "^src/sandbox/", reachable: true },
    },
    {
      name: "contract-knows-zod-only",
      severity: "error",
      from: { path: "^src/contract/" },
      to: { dependencyTypes: ["npm", "npm-dev", "npm-optional", "core"], pathNot: "node_modules/zod/" },
    },
    {
      name: "sandbox-by-dynamic-import",
      comment:
        "The entry reaches the sandbox by dynamic import, so that nothing of it loads without --sandbox",
      severity: "error",
      from: { path: "^src/cli/" },
      to: { path: "^src/(sandbox|docs)/", dynamic: false },
    },
    {
      name: "verbs-by-dynamic-import",
      comment: "Help, completion and manual pages never load a verb",
      severity: "error",
      from: { path: "^src/commands/.*index\\.ts$" },
      to: {
        path: "^src/commands/",
        pathNot: [
          "index\\.ts$",
          "views\\.ts$",
          "^src/commands/config/keys\\.ts$",
          "^src/commands/spec\\.ts$",
          "flags\\.ts$",
          "^src/commands/completion/shells\\.ts$",
        ],
        dynamic: false,
      },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
