// Replaces the SQLite package in the single executable. The package is a copy of `node:sqlite`, which Bun contains.
module.exports = require("node:sqlite");
