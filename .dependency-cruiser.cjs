const { rooms, typesOnly } = require("./scripts/rooms.cjs");

const error = "error";

const stayWithin = Object.entries(rooms).map(([room, others]) => ({
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
    { name: "no-circle", severity: error, from: {}, to: { circular: true } },
    { name: "no-orphan-import", severity: error, from: {}, to: { couldNotResolve: true } },
    ...stayWithin,
    ...typesOnlyRules,
    {
      name: "config-reads-generated-contract",
      comment: "The configuration reads the contract's generated plain data only",
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
      comment: "The command line reaches a command through the generated tree only",
      severity: error,
      from: { path: "^src/cli/", pathNot: "^src/cli/generated/" },
      to: { path: "^src/commands/" },
    },
    {
      name: "client-of-the-library-without-sandbox",
      comment: "A program that imports the client never loads the sandbox",
      severity: error,
      from: { path: "^src/library/client\\.ts$" },
      to: { path: "^src/sandbox/", reachable: true },
    },
    {
      name: "contract-knows-zod-only",
      severity: error,
      from: { path: "^src/contract/" },
      to: { dependencyTypes: ["npm", "npm-dev", "npm-optional", "core"], pathNot: "node_modules/zod/" },
    },
    {
      name: "sandbox-and-docs-by-dynamic-import",
      comment: "The command line reaches the sandbox and the documents by dynamic import only",
      severity: error,
      from: { path: "^src/cli/" },
      to: { path: "^src/(sandbox|docs)/", dynamic: false },
    },
    {
      name: "process-in-system-only",
      comment: "Only src/system touches the process",
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
