"use strict";

const { writeFileSync } = require("node:fs");

/** Writes the peak resident memory in KiB when the process exits. */
process.on("exit", () => {
  writeFileSync(process.env.RECORD_MEMORY_IN, String(process.resourceUsage().maxRSS));
});
