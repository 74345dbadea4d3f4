#!/usr/bin/env node
"use strict";

const { enableCompileCache } = require("node:module");

enableCompileCache?.();
require("../dist/gpuctl.cjs")
  .start()
  .then((code) => {
    process.exitCode = code;
  });
