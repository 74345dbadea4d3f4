import { type Check, failure, ok } from "../finding.ts";

const numbers = (version: string): readonly number[] => (version.match(/\d+/g) ?? []).map(Number);

/** Whether a version is at least another one, such as `20.19`. */
function isAtLeast(version: string, least: string): boolean {
  const [have, need] = [numbers(version), numbers(least)];
  const at = need.findIndex((part, index) => part !== (have[index] ?? 0));
  return at < 0 || (have[at] ?? 0) > (need[at] ?? 0);
}

export const node: Check = ({ nodeVersion, neededNode }) =>
  isAtLeast(nodeVersion, neededNode)
    ? ok(`Node.js ${nodeVersion}`)
    : failure(`Node.js ${nodeVersion} is too old`, `Install Node.js ${neededNode}.`);
