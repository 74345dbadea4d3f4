#!/usr/bin/env node
"use strict";

const { enableCompileCache } = require("node:module");

/** The user's own cache folder. Node's default is shared by all users, so it could contain another user's code. */
function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const { isAbsolute, join } = require("node:path");
  const cache = XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : LOCALAPPDATA;
  const folder = join(cache || join(require("node:os").homedir(), ".cache"), "gpuctl");
  // If HOME is empty, the folder would be in the current folder.
  if (!isAbsolute(folder)) throw new Error("there is no home folder");
  return folder;
}

/** Creates the folder if it is missing. Returns whether it belongs to the user and no one else can write to it. */
function isPrivate(folder) {
  const { lstatSync, mkdirSync } = require("node:fs");
  for (const one of [require("node:path").dirname(folder), folder]) {
    if (!lstatSync(one, { throwIfNoEntry: false })) mkdirSync(one, { mode: 0o700 });
  }
  const facts = lstatSync(folder);
  const user = process.geteuid?.();
  return facts.isDirectory() && (user === undefined || (facts.uid === user && (facts.mode & 0o022) === 0));
}

/** Uses Node's cache of compiled code, if this release has one. */
function useCompileCache() {
  try {
    const folder = cacheFolder();
    if (isPrivate(folder)) enableCompileCache(folder);
  } catch {
    // For example, there is no home folder. Without the cache, gpuctl only starts more slowly.
  }
}

async function start() {
  if (enableCompileCache) useCompileCache();
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
