/** The rooms of src/ and what each may import. dependency-cruiser enforces this table, and ARCHITECTURE.md shows it. */
const rooms = {
  contract: [],
  core: [],
  output: ["core"],
  media: ["core"],
  openapi: ["contract", "core"],
  client: ["contract", "core", "openapi"],
  sandbox: ["contract", "core"],
  sessions: ["core"],
  batch: ["contract", "core", "client", "media", "system"],
  jobs: ["contract", "core", "client", "media", "system"],
  mcp: ["contract", "core", "client", "media", "command-kit", "system"],
  config: ["contract", "core", "client"],
  system: ["core", "client"],
  "command-kit": ["contract", "core", "client", "system", "config"],
  commands: [
    "command-kit",
    "contract",
    "core",
    "client",
    "openapi",
    "output",
    "media",
    "sessions",
    "batch",
    "jobs",
    "mcp",
    "system",
    "config",
  ],
  library: ["contract", "core", "client", "openapi", "sandbox"],
  // The generated command tree, and the types of its nodes.
  docs: ["cli/generated", "command-kit/tree", "contract", "core"],
};

/** The imports above that are limited to types. They do not exist at run time. */
const typesOnly = {
  config: ["client"],
  system: ["client"],
  batch: ["system"],
  jobs: ["system"],
  mcp: ["system"],
  "command-kit": ["client", "system", "config"],
  commands: ["system", "config"],
};

module.exports = { rooms, typesOnly };
