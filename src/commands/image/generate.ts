import type { Context } from "../../context/context.ts";
import { imagePriceDollars } from "../../contract/image-models.ts";
import type { InputOf } from "../../contract/index.ts";
import type { Answer } from "../../output/answer.ts";
import { exactDollars } from "../../output/units.ts";
import { UsageError } from "../errors.ts";
import { withinCost } from "../shared/cost.ts";
import { type Landing, landingOf } from "../shared/landing.ts";
import type { Verb } from "../spec.ts";
import { countOf } from "./count.ts";
import { imageInput } from "./input.ts";
import { type Saved, savePictures } from "./save.ts";

type Input = InputOf<"generateImage">;

export const verb: Verb<Input> = {
  input: imageInput,
  run: async (input, context, { flags }) => {
    const count = countOf(flags);
    if (context.settings.validate) sane(input);
    const each = imagePriceDollars(Number(input.width), Number(input.height), Number(input.steps));
    withinCost(each * count, flags["max-cost"] ?? context.settings.defaults.maxCost);
    const landing = await landingOf(flags, context);
    if (landing.to.kind === "stdout" && count > 1)
      throw new UsageError("--out - takes one picture: leave out --count");
    context.say(`${priceLine(count, each * count)} (an estimate by the documented price)`);
    return draw(input, { count, each }, { context, landing });
  },
};

/** What the service does not forbid, but nobody wants to pay for. */
function sane({ prompt, steps }: Input): void {
  if (prompt.trim() === "") throw new UsageError("PROMPT is empty: there is nothing to draw");
  if (Number(steps) < 1) {
    throw new UsageError(`--steps must be at least 1 for the price to be known, not ${steps}`);
  }
}

const priceLine = (count: number, cost: number): string =>
  `${count} picture${count === 1 ? "" : "s"}, ${exactDollars(cost)}`;

interface Job {
  readonly count: number;
  /** Dollars for one picture. */
  readonly each: number;
}

interface Surroundings {
  readonly context: Context;
  readonly landing: Landing;
}

/** Asks for the pictures one after the other. */
async function draw(input: Input, { count, each }: Job, { context, landing }: Surroundings): Promise<Answer> {
  const saved: Saved[] = [];
  const requests = Array.from({ length: count }, (_, index) =>
    input.seed === undefined ? input : { ...input, seed: input.seed + index },
  );
  if (context.settings.dryRun) await Promise.all(requests.map((one) => context.call("generateImage", one)));
  for (const [index, request] of requests.entries()) {
    const text = count === 1 ? "Drawing" : `Drawing ${index + 1} of ${count}`;
    const answer = await context.progress(text, () => context.call("generateImage", request));
    const drawn = { answer, request, index: index + 1, count, cost: each };
    const pictures = await savePictures(drawn, landing, context);
    if ("bytes" in pictures) {
      tellSpent(count, each, context);
      return pictures;
    }
    saved.push(...pictures.saved);
    context.ifItFails(`Saved before the failure: ${saved.map(({ path }) => path).join(", ")}.`);
  }
  tellSpent(saved.length, each * saved.length, context);
  return { data: saved };
}

function tellSpent(count: number, cost: number, { say, settings }: Pick<Context, "say" | "settings">): void {
  const spent = `${priceLine(count, cost)} spent (an estimate by the documented price)`;
  say(settings.sandbox ? "Nothing is charged: this is the sandbox" : spent);
}
