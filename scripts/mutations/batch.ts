import type { Mutation } from "../mutations.ts";

const tests = ["test/commands/batch-resume.test.ts"];

/** Faults when a batch is run again, retried or merged. */
export const batchMutations: readonly Mutation[] = [
  {
    name: "a batch is paid for again after the default model has changed",
    file: "src/batch/engine/batch.ts",
    from: "if (last.model === prompts.model) return;",
    to: "return;",
    tests,
  },
  {
    name: "the default model is compared with the model of the first run, not of the last",
    file: "src/batch/engine/open.ts",
    from: "prompts = record.prompts ?? prompts;",
    to: "prompts ??= record.prompts;",
    tests,
  },
  {
    name: "a batch continues on another service",
    file: "src/batch/engine/batch.ts",
    from: "known.service !== service) {",
    to: "false) {",
    tests,
  },
  {
    name: "a mistyped base URL blocks a batch that has processed no line",
    file: "src/batch/engine/batch.ts",
    from: 'known.ledger.count("pending") < known.ledger.size;',
    to: "true;",
    tests,
  },
  {
    name: "the journal of a batch stores the whole base URL, not only its origin",
    file: "src/commands/batch/run.ts",
    from: "originOf(baseUrlFor(endpoints.chat, settings))",
    to: "baseUrlFor(endpoints.chat, settings)",
    tests,
  },
  {
    name: "shards of different services are merged",
    file: "src/batch/merge.ts",
    from: "({ service }) => service !== known?.service",
    to: "() => false",
    tests,
  },
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
    name: "the new output is lost if a run ends before it has renamed the new output",
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
    name: "batch retry makes a private output readable for others",
    file: "src/batch/files.ts",
    from: "isNew && options ? await statOf(options.like) : undefined;",
    to: "undefined as Awaited<ReturnType<typeof statOf>>;",
    tests,
  },
  {
    name: "batch retry removes permissions from an output",
    file: "src/batch/files.ts",
    from: "if (mode !== undefined && mode !== permissions(facts)) await file.chmod(mode);",
    to: "void 0;",
    tests,
  },
  {
    name: "a torn line of a batch's output cuts off the result after it",
    file: "src/batch/engine/unjournaled.ts",
    from: "if (torn) throw await unexpected(torn, false);",
    to: "if (torn) continue;",
    tests: ["test/commands/batch-resume.test.ts"],
  },
  {
    name: "a batch cuts off a line that the user added to its output",
    file: "src/batch/engine/unjournaled.ts",
    from: "else if (isRecord(value) || !isTornLine(line)) throw",
    to: "else if (Number.isNaN(line.number)) throw",
    tests: ["test/commands/batch-resume.test.ts"],
  },
  {
    name: "a batch writes a result into the middle of a line after the output was edited",
    file: "src/batch/engine/open.ts",
    from: "if (outputEnd > 0 && !(await endsLine(files.read(out, outputEnd - 1)))) {",
    to: "if (outputEnd > 0 && !(await endsLine(files.read(out, outputEnd - 1))) && size < 0) {",
    tests: ["test/commands/batch-resume.test.ts"],
  },
  {
    name: "batch merge counts a shard that lost its journal as one that did not run",
    file: "src/batch/outputs.ts",
    from: "((await diskFiles.size(out)) ?? 0) > 0 && (await shardOf(out)) === undefined;",
    to: "((await diskFiles.size(out)) ?? 0) < 0 && (await shardOf(out)) === undefined;",
    tests: ["test/commands/batch-shards.test.ts"],
  },
];
