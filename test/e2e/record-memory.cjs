"use strict";

const { writeFileSync } = require("node:fs");

/** The most memory that the process ever had resident, in KiB, written when it ends. */
process.on("exit", () => {
  writeFileSync(process.env.RECORD_MEMORY_IN, String(process.resourceUsage().maxRSS));
});
