/**
 * Splits a command line into arguments. Handles single and double quotes as a shell does, but nothing else, such as a
 * backslash outside quotes.
 */
export function words(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"']+|"(?:[^"\\]|\\.)*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
      double === undefined ? (single ?? "") : double.replace(/\\(.)/g, "$1"),
    ),
  );
}
