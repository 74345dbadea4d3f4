import type { Mutation } from "../mutations.ts";

const tests = ["test/commands/batch-resume.test.ts"];

/** Faults when a batch is run again. */
export const batchMutations: readonly Mutation[] = [
  {
    name: "a file of the user replaces the output of a batch",
    file: "src/batch/engine/open.ts",
    from: 'isCopyPending = record.event === "output";',
    to: "isCopyPending = true;",
    tests,
  },
  {
    name: "a file of the user replaces the output after batch retry",
    file: "src/batch/engine/open.ts",
    from: 'randomBytes(8).toString("hex");',
    to: "undefined;",
    tests,
  },
  {
    name: "the new output is lost if a run ends right before it replaces the old one",
    file: "src/batch/engine/open.ts",
    from: "if (known.isCopyPending) await replaceOutput(options);",
    to: "",
    tests,
  },
  {
    name: "batch retry replaces a symbolic link with a file",
    file: "src/batch/engine/open.ts",
    from: "const target = await files.target(out);",
    to: "const target = out;",
    tests,
  },
  {
    name: "batch retry makes an output readable that was not",
    file: "src/batch/files.ts",
    from: "isNew && options ? await statOf(options.like) : undefined;",
    to: "undefined as Awaited<ReturnType<typeof statOf>>;",
    tests,
  },
  {
    name: "batch retry takes permissions from an output",
    file: "src/batch/files.ts",
    from: "await file.chmod(permissions(like));",
    to: "void 0;",
    tests,
  },
];
