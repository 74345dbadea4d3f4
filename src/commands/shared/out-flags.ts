import type { Flag } from "../spec.ts";

/** Where a picture or a recording goes. */
export const outFlags = (thing: string): readonly Flag[] => [
  {
    names: ["out"],
    value: "PATH",
    text: `Where to save the ${thing}: a file, a folder, a template such as {slug}-{seed}.{ext}, or - for stdout`,
  },
  { names: ["force"], text: "Replace an existing file" },
];
