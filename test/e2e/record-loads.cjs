"use strict";

const { writeFileSync } = require("node:fs");
const Module = require("node:module");

/** Every module and native library that the process loaded. */
const loaded = new Set();
const load = Module._load;
Module._load = function record(request, parent, isMain) {
  loaded.add(Module._resolveFilename(request, parent, isMain));
  return load.call(this, request, parent, isMain);
};
const { dlopen } = process;
process.dlopen = (module, file, ...rest) => {
  loaded.add(file);
  return dlopen.call(process, module, file, ...rest);
};
process.on("exit", () => {
  writeFileSync(
    process.env.RECORD_LOADS_IN,
    JSON.stringify({ loaded: [...loaded], builtin: process.moduleLoadList }),
  );
});
