// The start of the single executable, which scripts/binary/build.ts makes.
"use strict";

// When gpuctl starts itself in the background, it passes the name of the program file before the arguments, because
// Node.js needs that name. The single executable does not need it.
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
