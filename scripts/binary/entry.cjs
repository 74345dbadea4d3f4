// The start of the single executable, which scripts/binary/build.ts makes.
"use strict";

// A gpuctl that gpuctl starts in the background gets the name of this file, as Node.js needs it, and then its arguments.
if (process.argv[2] === process.argv[1]) process.argv.splice(2, 1);

require("../../dist/gpuctl.cjs")
  .start()
  .then(
    (code) => {
      process.exitCode = code;
    },
    (error) => {
      process.exitCode = 1;
      process.stderr.write(`Error: ${error?.message ?? error}\n`);
    },
  );
