import type { Issue } from "../../contract/check.ts";

/** What somebody asked of the sandbox's own controls cannot be done; nothing was changed. `issues` name the places at fault. */
export class ControlRefused extends Error {
  override readonly name = "ControlRefused";
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], message = issues.map(told).join("; ")) {
    super(message);
    this.issues = issues;
  }
}

const told = ({ path, message }: Issue): string =>
  path.length === 0 ? message : `${path.join(".")} ${message}`;

export const refused = (field: string, message: string): ControlRefused =>
  new ControlRefused([{ path: [field], message }]);
