import type { Context } from "../../command-kit/context.ts";
import { type Outcome, outcomeOf, sideBySide } from "../../command-kit/side-by-side.ts";
import type { InputOf } from "../../contract/index.ts";
import {
  type FailedItem,
  Interrupted,
  NotTried,
  reasonOf,
  SomeFailed,
  StoredElsewhere,
} from "../../core/errors.ts";
import type { Result } from "../../core/result.ts";
import { InterruptedWrite, NetworkError, UnknownOutcome } from "../../core/service-errors.ts";
import { dollarText, type Money } from "../../core/values/money.ts";
import { ArrivingMedia, maxArriving } from "../../media/arriving.ts";
import { type Generated, pictureName, type SaveOptions, savePictures } from "./save.ts";
import { Stages } from "./stages.ts";

type Input = InputOf<"generateImage">;

interface GenerateOptions extends SaveOptions {
  /** How many pictures are requested at once. */
  readonly concurrency: number;
}

type GenerateContext = Pick<
  Context,
  | "call"
  | "redactor"
  | "interrupted"
  | "now"
  | "progress"
  | "say"
  | "serviceNow"
  | "setFailureContext"
  | "settings"
  | "sleep"
>;

/**
 * Requests the pictures, several at once, and saves each one when it arrives. With `--out -`, returns the bytes of the
 * first one instead. If a picture fails, the others that arrive are still saved. The results are in the order of the
 * requests.
 */
export async function generate(
  input: Input,
  options: GenerateOptions,
  context: GenerateContext,
): Promise<Result> {
  const { count, concurrency, cost } = options;
  const { call, now, progress, setFailureContext, settings } = context;
  // With --no-validate, the seed may have any type.
  const requests = Array.from({ length: count }, (_, index) =>
    typeof input.seed === "number" ? { ...input, seed: input.seed + index } : input,
  );
  if (settings.dryRun) await Promise.all(requests.map((request) => call("generateImage", request)));
  const stages = new Stages(count, now);
  const paths: string[][] = [];
  // Tables do not show the hash.
  const hashWith = settings.output === "table" ? undefined : (await import("node:crypto")).createHash;

  const request = async (sent: Input, index: number): Promise<Generated> => {
    const arriving: ArrivingMedia[] = [];
    const open = () => {
      arriving.at(-1)?.startFlush();
      const media = new ArrivingMedia(options.target, hashWith);
      arriving.push(media);
      return media;
    };
    stages.begin(index, arriving);
    try {
      const response = await call("generateImage", sent, {
        divert: { path: "images.*.image", max: maxArriving, open },
      });
      const generated = await savePictures({ response, arriving, request: sent, index }, options, context);
      paths[index] = generated.saved.map(({ path }) => path);
      const all = paths.flat();
      if (all.length > 0) setFailureContext(`Saved before the failure: ${all.join(", ")}.`);
      stages.end(index, generated.saved.length > 0 || generated.printed ? "done" : "failed");
      return generated;
    } catch (error) {
      stages.end(index, "failed");
      throw error;
    } finally {
      for (const media of arriving) media.discard();
    }
  };

  const outcomes =
    count === 1
      ? [await outcomeOf(() => progress("Generating", () => request(requests[0] ?? input, 0)))]
      : await progress(
          stages.summary(),
          (update) => {
            stages.onChange = () => update(stages.summary());
            return sideBySide(requests, request, {
              ...context,
              concurrency,
              maxWaits: settings.retries,
              nameOf: pictureName,
              failureOfAll: failuresOfAll(),
              onWait: (index, milliseconds) => stages.wait(index, milliseconds),
            });
          },
          (max) => stages.lines(max),
        );
  return resultOf(outcomes, cost, context);
}

/**
 * After this many unknown outcomes without a success in between, no more pictures are requested: each picture whose
 * outcome is unknown may have been charged.
 */
const maxUnknown = 3;

/**
 * The returned function takes the outcome of a picture. It returns the error if no more pictures should be requested:
 * after a response whose pictures are all unusable or could not be saved, after `maxUnknown` unknown outcomes, and
 * after any other failure that would probably occur for the next request, too.
 */
function failuresOfAll(): (outcome: Outcome<Generated>) => unknown {
  let unknown = 0;
  return (outcome) => {
    if ("value" in outcome) {
      unknown = 0;
      return outcome.value.unusable;
    }
    const { error } = outcome;
    if (error instanceof UnknownOutcome) unknown += 1;
    const mayPass = [UnknownOutcome, NetworkError, InterruptedWrite, NotTried].some(
      (one) => error instanceof one,
    );
    return mayPass && unknown < maxUnknown ? undefined : error;
  };
}

/**
 * Reports what was spent, and returns the pictures and the failure, if any. Throws the failure if no picture was
 * written where --out says.
 */
function resultOf(
  outcomes: readonly Outcome<Generated>[],
  cost: Money | undefined,
  context: GenerateContext,
): Result {
  const generated = outcomes.flatMap((outcome) => ("value" in outcome ? outcome.value : []));
  const unknown = outcomes.filter(
    (outcome) =>
      "error" in outcome && [UnknownOutcome, InterruptedWrite].some((one) => outcome.error instanceof one),
  );
  if (generated.length > 0) reportSpent(generated.length, unknown.length, cost, context);
  const saved = generated.flatMap((one) => one.saved);
  const [printed] = generated.flatMap((one) => one.printed ?? []);
  const failures = outcomes.flatMap((outcome, index) =>
    "value" in outcome ? outcome.value.failures : { name: pictureName(index), error: outcome.error },
  );
  // If no picture can have been generated, and all requests that were tried failed with the same message, throws only
  // that error.
  if (generated.length === 0 && unknown.length === 0 && areAlike(failures))
    throw failures.find(wasTried)?.error;
  const failure = failureOf(failures, saved.length + (printed ? 1 : 0));
  return printed === undefined ? { data: saved, failure } : { bytes: printed, paid: true, failure };
}

/**
 * Returns the error to report if pictures failed. Some of the failed pictures may have been saved elsewhere. Throws the
 * error if no picture was written where --out says.
 */
function failureOf(failures: readonly FailedItem[], kept: number): Error | undefined {
  const [first] = failures;
  if (first === undefined) return undefined;
  const misplaced = failures.filter(({ error }) => error instanceof StoredElsewhere).length;
  const succeeded = kept - misplaced;
  const total = succeeded + failures.length;
  if (total === 1) throw first.error;
  const isInterrupted = failures.some(
    ({ error }) => error instanceof InterruptedWrite || error instanceof Interrupted,
  );
  const message = isInterrupted
    ? `interrupted after ${succeeded} of ${total} images`
    : `${failures.length} of ${total} images failed`;
  const failure = new SomeFailed(message, { failures: summed(failures), succeeded });
  if (succeeded === 0) throw failure;
  return failure;
}

/** Whether all pictures that were tried failed with the same message. */
const areAlike = (failures: readonly FailedItem[]): boolean =>
  new Set(failures.filter(wasTried).map(({ error }) => reasonOf(error))).size === 1;

const wasTried = ({ error }: FailedItem): boolean => !(error instanceof NotTried);

/** Combines the pictures that were not requested into one item, because there may be many. */
function summed(failures: readonly FailedItem[]): readonly FailedItem[] {
  const isUnsent = ({ error }: FailedItem) => error instanceof NotTried || error instanceof Interrupted;
  const unsent = failures.filter(isUnsent);
  const [first] = unsent;
  if (first === undefined || unsent.length === 1) return failures;
  return [
    ...failures.filter((one) => !isUnsent(one)),
    { name: `${unsent.length} other images`, error: first.error },
  ];
}

export const times = (cost: Money | undefined, count: number): Money | undefined =>
  cost && cost * BigInt(count);

/** Returns the number of pictures and their total price. `cost` is the price of one picture. */
export function priceLine(count: number, cost: Money | undefined, spent = ""): string {
  const total = times(cost, count);
  const price =
    total === undefined
      ? "price unknown"
      : `${dollarText(total)}${spent} (estimated from the documented price)`;
  return `${count} image${count === 1 ? "" : "s"}, ${price}`;
}

/** Reports what was spent. `unknown` is how many more pictures may have been charged. */
function reportSpent(
  count: number,
  unknown: number,
  cost: Money | undefined,
  { say, settings }: Pick<Context, "say" | "settings">,
): void {
  if (settings.sandbox) {
    say("Nothing is charged: this is the sandbox");
    return;
  }
  const more = unknown === 0 ? "" : `; ${unknown} more may have been charged`;
  say(`${priceLine(count, cost, " spent")}${more}`);
}
