import { type ScenarioName, scenarios } from "../../core/sandbox.ts";
import { didYouMean } from "../../core/text.ts";
import { invalid } from "../errors.ts";

/** The parts of a scenario, as input for the controls. */
interface Parts {
  readonly situations?: readonly object[];
  readonly boots?: readonly object[];
  readonly faults?: readonly object[];
}

const parts: Readonly<Record<ScenarioName, Parts>> = {
  "capacity-crunch": {
    situations: [
      { kind: "capacity", gpuType: "h100", regions: ["us-central-1", "us-east-1"] },
      { kind: "capacity", gpus: 8 },
    ],
  },
  flaky: {
    faults: [
      { operation: "*", status: 503, rate: 0.1, seed: 1 },
      { operation: "*", reset: true, rate: 0.05, seed: 2 },
    ],
  },
  "slow-boot": { boots: [{ outcome: "slow" }] },
  "out-of-money": { situations: [{ kind: "prepaid", balanceCents: 100 }, { kind: "picture-prices" }] },
  "rate-limited": { situations: [{ kind: "rate-limit", requests: 10, windowSeconds: 10 }] },
  none: {},
};

/** The parts of a scenario. @throws ControlRefused when there is no such scenario */
export function partsOf(name: string): Parts {
  const found = Object.entries(parts).find(([known]) => known === name);
  if (found) return found[1];
  const names = Object.keys(scenarios);
  throw invalid("name", `must be one of ${names.join(", ")}${didYouMean(name, names)}`);
}
