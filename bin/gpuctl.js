#!/usr/bin/env node
"use strict";

const { enableCompileCache } = require("node:module");

/** The user's own folder. Node's default is shared by all users, so it could contain another user's code. */
function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const { join } = require("node:path");
  return join(XDG_CACHE_HOME || LOCALAPPDATA || join(require("node:os").homedir(), ".cache"), "gpuctl");
}

async function start() {
  try {
    enableCompileCache?.(cacheFolder());
  } catch {
    // There is no home folder. Without the cache, gpuctl only starts more slowly.
  }
  return require("../dist/gpuctl.cjs").start(enableCompileCache ? undefined : cacheFolder);
}

start().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    process.exitCode = 1;
    const unbuilt = error?.code === "MODULE_NOT_FOUND" && error.requireStack?.[0] === __filename;
    const message = unbuilt ? "gpuctl is not built yet: run npm run build" : (error?.message ?? error);
    process.stderr.write(`Error: ${message}\n`);
  },
);
