#!/usr/bin/env node
"use strict";

const { enableCompileCache } = require("node:module");

// Node's own choice is a folder that everybody shares, where somebody else's code could be waiting to run.
if (enableCompileCache) {
  const { homedir } = require("node:os");
  const { join } = require("node:path");
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  enableCompileCache(join(XDG_CACHE_HOME || LOCALAPPDATA || join(homedir(), ".cache"), "gpuctl"));
}

require("../dist/gpuctl.cjs")
  .start()
  .then((code) => {
    process.exitCode = code;
  });
