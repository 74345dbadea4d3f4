import type { Reporter, TestModule } from "vitest/node";
import { missingProgram } from "./programs.ts";

/** At the end of a run, lists the missing programs, and how many tests were skipped because of each. */
export class MissingPrograms implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        const result = test.result();
        const [, program] = missingProgram.exec((result.state === "skipped" && result.note) || "") ?? [];
        if (program !== undefined) counts.set(program, (counts.get(program) ?? 0) + 1);
      }
    }
    for (const [program, count] of counts) {
      process.stdout.write(`${program} is not installed: ${count} tests that need it were skipped\n`);
    }
  }
}
