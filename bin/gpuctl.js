#!/usr/bin/env node
"use strict";

const { existsSync } = require("node:fs");
const { enableCompileCache } = require("node:module");
const { join } = require("node:path");

/** Node's own choice is a folder that everybody shares, where somebody else's code could be waiting to run. */
function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  return join(XDG_CACHE_HOME || LOCALAPPDATA || join(require("node:os").homedir(), ".cache"), "gpuctl");
}

async function start() {
  try {
    enableCompileCache?.(cacheFolder());
  } catch {
    // Without a home folder it starts more slowly.
  }
  const program = join(__dirname, "..", "dist", "gpuctl.cjs");
  if (!existsSync(program)) throw new Error("gpuctl is not built yet: run npm run build");
  return require(program).start();
}

start().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.exitCode = 1;
    process.stderr.write(`Error: ${error instanceof Error ? error.message : error}\n`);
  },
);
