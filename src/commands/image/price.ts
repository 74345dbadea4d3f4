import { imagePriceDollars, resolutions } from "../../contract/image-models.ts";
import { exactDollars } from "../../output/units.ts";
import { UsageError } from "../errors.ts";
import { parseNumber } from "../shared/values.ts";
import type { Verb } from "../spec.ts";
import { countOf } from "./count.ts";
import { parseSize } from "./size.ts";

export const verb: Verb<object> = {
  run: async (_input, { say }, { flags }) => {
    const { width, height } = parseSize(String(flags.size));
    const steps = parseNumber(String(flags.steps), "--steps");
    if (!Number.isInteger(steps) || steps < 1) {
      throw new UsageError(`--steps must be a whole number from 1 up, not ${flags.steps}`);
    }
    const count = countOf(flags);
    if (!resolutions.some((known) => known === `${width}x${height}`)) {
      say(`${width}x${height} is not a supported resolution; the price is by the formula alone.`);
    }
    const each = imagePriceDollars(width, height, steps);
    return {
      data: {
        width,
        height,
        steps,
        count,
        dollarsEach: each,
        dollars: each * count,
        cost: exactDollars(each * count),
      },
    };
  },
};
