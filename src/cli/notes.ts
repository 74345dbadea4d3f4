import type { World } from "../context/world.ts";
import { isMachineFormat } from "../output/view.ts";
import type { Settings } from "./settings.ts";

/** Lines for people beside the result. */
export interface Notes {
  readonly say: (line: string) => void;
  /** Replaces the line that leads the hint of a failure, such as what was saved before it. */
  readonly ifItFails: (line: string) => void;
  readonly beforeFailure: () => string | undefined;
  /** Lines that were held back, as an error must be the one document on stderr with a machine format. */
  readonly held: readonly string[];
}

/** Said on stderr at once; held back until the end with a machine format; silent with `--quiet`. */
export function createNotes({ quiet, output }: Settings, { stderr }: World): Notes {
  const held: string[] = [];
  let last: string | undefined;
  return {
    beforeFailure: () => last,
    ifItFails: (line) => {
      last = line;
    },
    held,
    say: (line) => {
      if (quiet) return;
      if (isMachineFormat(output)) held.push(line);
      else void stderr.write(`${line}\n`);
    },
  };
}
