import type { Mutation } from "../mutations.ts";

/** Results that were paid for, and exact numbers. */
export const resultMutations: readonly Mutation[] = [
  {
    name: "a result in an unknown format is lost",
    file: "src/media/output-target.ts",
    from: "const isExpected = type?.kind === kind;",
    to: 'const isExpected = type?.kind === kind;\n  if (type === undefined) throw new ResultLost("its format is unknown");',
    tests: ["test/commands/paid-results.test.ts"],
  },
  {
    name: "WebM, AIFF, AMR, CAF, BMP, TIFF and JPEG XL are unknown formats",
    file: "src/media/sniff.ts",
    from: "MEDIA_TYPES.find(({ matches }) => matches(bytes))",
    to: "MEDIA_TYPES.find(({ ext, matches }) => !/webm|aiff|amr|caf|bmp|tiff|jxl/.test(ext) && matches(bytes))",
    tests: ["test/commands/paid-results.test.ts"],
  },
  {
    name: "a picture that cannot be used hides those that can",
    file: "src/commands/image/save.ts",
    from: 'if (typeof media === "string") {',
    to: 'if (typeof media === "string") {\n      throw new EmptyResult(media, received);',
    tests: ["test/commands/paid-results.test.ts"],
  },
  {
    name: "a picture is lost when stdout is on a full disk",
    file: "src/cli/print/paid.ts",
    from: "  if (failure) {\n    // If",
    to: "  if (failure) {\n    throw failure;\n    // If",
    tests: ["test/commands/paid-results.test.ts"],
  },
  {
    name: "a result is lost when its folder is gone",
    file: "src/media/output-target.ts",
    from: "if (saved instanceof SaveFailed) {\n    return",
    to: "if (saved instanceof SaveFailed) {\n    throw saved;\n    return",
    tests: ["test/commands/paid-results.test.ts"],
  },
  {
    name: "a price has the rounding error of a floating-point number",
    file: "src/command-kit/inference.ts",
    from: "return inProportion(price, [width, height, steps], [base.width, base.height, base.steps]);",
    to: 'return parseMoney(String(Number(dollars) * (width / base.width) * (height / base.height) * (steps / base.steps)), "x") * (price / price);',
    tests: ["test/commands/image-price.test.ts"],
  },
  {
    name: "--max-cost takes two decimals at most",
    file: "src/core/values/money.ts",
    from: "  const digits = digitsOf(text);\n  if (digits === undefined) throw",
    to: "  const digits = digitsOf(text);\n  if (digits === undefined || digits.fraction.length > 2) throw",
    tests: ["test/cli/budget.test.ts"],
  },
  {
    name: "the cost in JSON is rounded to cents",
    file: "src/core/values/money.ts",
    from: "Number(decimalText(amount));",
    to: "Number(Number(decimalText(amount)).toFixed(2));",
    tests: ["test/commands/image-price.test.ts"],
  },
  {
    name: "JSON changes numbers",
    file: "src/core/values/exact-numbers.ts",
    from: "return text === undefined ? value : marker() + text;",
    to: "return value;",
    tests: ["test/commands/exact-numbers.test.ts"],
  },
  {
    name: "CSV and IDs change numbers",
    file: "src/output/formats.ts",
    from: "const value = shownAt(record, paths);",
    to: "const value = firstAt(record, paths);",
    tests: ["test/commands/exact-numbers.test.ts"],
  },
  {
    name: "YAML changes numbers",
    file: "src/core/values/exact-numbers.ts",
    from: "if (marked === undefined || !marked.includes(marker())) return",
    to: "if (marked !== marker()) return",
    tests: ["test/commands/exact-numbers.test.ts"],
  },
  {
    name: "a Japanese prompt is not in the file name",
    file: "src/media/filename.ts",
    from: '.replace(/[^\\p{L}\\p{M}\\p{N}][^\\p{L}\\p{N}]*/gu, "-")',
    to: '.replace(/[^a-z0-9]+/gu, "-")',
    tests: ["test/media/filename.test.ts"],
  },
];
