// The SQLite package, for the single executable. Bun contains the module of Node.js that the package copies.
module.exports = require("node:sqlite");
