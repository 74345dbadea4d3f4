const { rooms, typesOnly } = require("./scripts/rooms.cjs");

const error = "error";

const roomRules = Object.entries(rooms).map(([room, others]) => ({
  name: `${room}-imports`,
  comment: `src/${room} may import ${others.map((other) => `src/${other}`).join(", ") || "no other room"}`,
  severity: error,
  from: { path: `^src/${room}/` },
  to: { path: "^src/", pathNot: `^src/(${[room, ...others].join("|")})(/|\\.ts$)` },
}));

const typesOnlyRules = Object.entries(typesOnly).map(([room, others]) => ({
  name: `${room}-imports-types`,
  comment: `src/${room} may import only types of ${others.map((other) => `src/${other}`).join(", ")}`,
  severity: error,
  from: { path: `^src/${room}/` },
  to: { path: `^src/(${others.join("|")})/`, dependencyTypesNot: ["type-only"] },
}));

module.exports = {
  forbidden: [
    { name: "no-circular", severity: error, from: {}, to: { circular: true } },
    { name: "no-unresolvable", severity: error, from: {}, to: { couldNotResolve: true } },
    ...roomRules,
    ...typesOnlyRules,
    {
      name: "config-reads-generated-contract",
      comment: "src/config imports only the contract's generated plain data, so that it loads no schemas",
      severity: error,
      from: { path: "^src/config/" },
      to: { path: "^src/contract/", pathNot: "^src/contract/generated/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "commands-stay-in-their-noun",
      comment: "A command never imports from another noun's folder",
      severity: error,
      from: { path: "^src/commands/([^/]+)/" },
      to: { path: "^src/commands/", pathNot: "^src/commands/$1/" },
    },
    {
      name: "cli-without-nouns",
      comment: "src/cli imports commands only through the generated tree",
      severity: error,
      from: { path: "^src/cli/", pathNot: "^src/cli/generated/" },
      to: { path: "^src/commands/" },
    },
    {
      name: "library-client-without-sandbox",
      comment: "A program that imports the client never loads the sandbox",
      severity: error,
      from: { path: "^src/library/client\\.ts$" },
      to: { path: "^src/sandbox/", reachable: true },
    },
    {
      name: "contract-imports-only-zod",
      severity: error,
      from: { path: "^src/contract/" },
      to: { dependencyTypes: ["npm", "npm-dev", "npm-optional", "core"], pathNot: "node_modules/zod/" },
    },
    {
      name: "sandbox-and-docs-by-dynamic-import",
      comment:
        "src/cli imports src/sandbox and src/docs only dynamically, so that most commands start without them",
      severity: error,
      from: { path: "^src/cli/" },
      to: { path: "^src/(sandbox|docs)/", dynamic: false },
    },
    {
      name: "process-in-system-only",
      comment: "Only src/system imports node:process",
      severity: error,
      from: { path: "^src/", pathNot: "^src/system/" },
      to: { path: "^(node:)?process$" },
    },
    {
      name: "commands-by-dynamic-import",
      comment: "Help, completion and manual pages never load a command",
      severity: error,
      from: { path: "^src/(cli|docs)/" },
      to: { path: "^src/commands/", dynamic: false },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
