import { readFile } from "node:fs/promises";
import { restored } from "../../client/divert.ts";
import type { Context } from "../../command-kit/context.ts";
import { receivedJson } from "../../command-kit/inference.ts";
import { type Outcome, outcomeOf, sideBySide } from "../../command-kit/side-by-side.ts";
import type { InputOf } from "../../contract/index.ts";
import {
  EmptyResult,
  type FailedItem,
  Interrupted,
  NotTried,
  ResultTruncated,
  SomeFailed,
  StoredElsewhere,
} from "../../core/errors.ts";
import { asList, asRecord, asText, isRecord } from "../../core/json.ts";
import type { Result } from "../../core/result.ts";
import {
  InterruptedWrite,
  NetworkError,
  type Received,
  ServiceError,
  UnknownOutcome,
} from "../../core/service-errors.ts";
import { dollarNumber, dollarText, type Money } from "../../core/values/money.ts";
import { ArrivingMedia } from "../../media/arriving.ts";
import { invalidCharacters, isEmpty, undecodable } from "../../media/base64.ts";
import {
  type DecodedFile,
  noMedia,
  type OutputTarget,
  type SavedFile,
  saveElsewhere,
  saveMedia,
  warnOfFormat,
} from "../../media/output-target.ts";
import { Stages } from "./stages.ts";

type Input = InputOf<"generateImage">;

interface GenerateOptions {
  readonly count: number;
  /** How many pictures are requested at once. */
  readonly concurrency: number;
  /** The price of one picture; undefined if unknown. */
  readonly cost: Money | undefined;
  readonly target: OutputTarget;
  /** Write the settings into the pictures. */
  readonly metadata: boolean;
}

type GenerateContext = Pick<
  Context,
  | "call"
  | "interrupted"
  | "now"
  | "progress"
  | "say"
  | "serviceNow"
  | "setFailureContext"
  | "settings"
  | "sleep"
>;

/** What came of one request. */
interface Generated {
  readonly saved: readonly (SavedFile & Readonly<Record<string, unknown>>)[];
  readonly failures: readonly FailedItem[];
  /** The picture for `--out -`. */
  readonly printed?: Uint8Array | undefined;
  /** The response has no usable picture. */
  readonly isUnusable: boolean;
}

/**
 * Requests the pictures, several at once, and saves each when it has arrived; with `--out -`, returns the bytes of the
 * first one instead. A picture that fails hides no other. The results are in the order of the requests.
 */
export async function generate(
  input: Input,
  options: GenerateOptions,
  context: GenerateContext,
): Promise<Result> {
  const { count, concurrency, cost } = options;
  const { call, now, progress, setFailureContext, settings } = context;
  const requests = Array.from({ length: count }, (_, index) =>
    input.seed === undefined ? input : { ...input, seed: input.seed + index },
  );
  if (settings.dryRun) await Promise.all(requests.map((request) => call("generateImage", request)));
  const stages = new Stages(count, now);
  const paths: string[] = [];

  const request = async (index: number): Promise<Generated> => {
    const arriving: ArrivingMedia[] = [];
    const open = () => {
      const media = new ArrivingMedia(options.target);
      arriving.push(media);
      return media;
    };
    stages.begin(index, arriving);
    try {
      const sent = requests[index] ?? input;
      const response = await call("generateImage", sent, { divert: { path: "images.*.image", open } });
      const generated = await saveAll({ response, arriving, request: sent, index }, options, context);
      paths.push(...generated.saved.map(({ path }) => path));
      if (paths.length > 0) setFailureContext(`Saved before the failure: ${paths.join(", ")}.`);
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
      ? [await outcomeOf(() => progress("Generating", () => request(0)))]
      : await progress(
          stages.summary(),
          (update) => {
            stages.onChange = () => update(stages.summary());
            return sideBySide(count, request, {
              ...context,
              concurrency: Math.min(concurrency, count),
              retries: settings.retries,
              nameOf: pictureName,
              failureOfAll,
              onWait: (index, milliseconds) => stages.wait(index, milliseconds),
            });
          },
          (max) => stages.lines(max),
        );
  return resultOf(outcomes, cost, context);
}

const pictureName = (index: number): string => `picture ${index + 1}`;

/** A refusal, or a response without a usable picture, is likely to be the same for all pictures, and to be charged. */
function failureOfAll(outcome: Outcome<Generated>): unknown {
  if ("value" in outcome) return outcome.value.isUnusable ? outcome.value.failures[0]?.error : undefined;
  const { error } = outcome;
  const mayPass = error instanceof UnknownOutcome || error instanceof NetworkError;
  return mayPass || error instanceof InterruptedWrite || error instanceof NotTried ? undefined : error;
}

interface ReceivedResponse {
  readonly response: unknown;
  /** The pictures of the response, in its order. */
  readonly arriving: readonly ArrivingMedia[];
  readonly request: Input;
  /** Of the request. */
  readonly index: number;
}

/** Saves the pictures of a response. One that cannot be used, or be saved where it should be, hides no other. */
async function saveAll(
  { response, arriving, request, index }: ReceivedResponse,
  { count, cost, target, metadata }: GenerateOptions,
  { serviceNow, settings, say }: GenerateContext,
): Promise<Generated> {
  const saved: Generated["saved"][number][] = [];
  const failures: FailedItem[] = [];
  let printed: Uint8Array | undefined;
  const { image: _, ...shown } = request;
  const { prompt, model_name: model, width, height } = request;
  const pictures = picturesOf(response, arriving);
  const isUnusable = pictures.map(({ media }) => typeof media === "string");
  // The response is kept once, before the settings are added to its pictures.
  const received = isUnusable.includes(true) ? receivedWith(response, arriving) : undefined;
  for (const [at, { media, seed: reported }] of pictures.entries()) {
    const seed = reported ?? request.seed;
    const names = {
      date: new Date(serviceNow()),
      prompt,
      fallback: "picture",
      model: String(model),
      index: index + 1,
      seed: /^-?\d+$/.test(String(seed)) ? Number(seed) : undefined,
    };
    const embedded = seed === undefined ? request : { ...request, seed };
    const name = count > 1 && pictures.length === 1 ? pictureName(index) : pictureName(index + at);
    if (typeof media === "string") {
      failures.push({
        name,
        error: new EmptyResult(media, at === isUnusable.indexOf(true) ? received : undefined),
      });
      continue;
    }
    try {
      const picture = media.finish(
        { kind: "image", count, names },
        metadata ? { request: embedded, version: settings.version } : undefined,
      );
      if (target.to.kind === "stdout" && printed === undefined && !picture.isTruncated) {
        printed = await readFile(picture.file.path);
        warnOfFormat(picture, "written unchanged", say);
        continue;
      }
      const { file, problem } = await savePicture(picture, target);
      if (problem) failures.push({ name, error: problem });
      if (problem instanceof ResultTruncated) continue;
      saved.push({
        ...file,
        seed: seed ?? null,
        model,
        size: `${width}x${height}`,
        cost: cost === undefined ? null : dollarNumber(cost),
        request: shown,
      });
    } catch (error) {
      failures.push({ name, error });
    }
  }
  return { saved, failures, printed, isUnusable: !isUnusable.includes(false) };
}

/** The pictures of a response, at least one. One that is missing or cannot be decoded is a sentence that says so. */
function picturesOf(
  response: unknown,
  arriving: readonly ArrivingMedia[],
): readonly { readonly media: ArrivingMedia | string; readonly seed: unknown }[] {
  const images = isRecord(response) ? asList(response.images) : [];
  const pictures = images.map(asRecord).map((entry) => ({
    media: mediaOf(asText(entry.image), arriving),
    seed: entry.random_seed ?? entry.seed,
  }));
  return pictures.length > 0 ? pictures : [{ media: noMedia("image"), seed: undefined }];
}

function mediaOf(text: string, arriving: readonly ArrivingMedia[]): ArrivingMedia | string {
  const media = arriving.find(({ placeholder }) => text.startsWith(placeholder));
  if (media === undefined) return noMedia("image");
  // What is not base64 stays in the response.
  const problem = text === media.placeholder ? media.problem : invalidCharacters;
  if (problem === undefined) return media;
  return problem === isEmpty ? noMedia("image") : undecodable(problem);
}

/** The response with its pictures, to be kept. */
function receivedWith(response: unknown, arriving: readonly ArrivingMedia[]): Received {
  const { bytes, complete } = receivedJson(response);
  return { bytes: restored(bytes, arriving), complete };
}

/** Saves a picture. Only one can go to stdout, so others are then saved as files, which is not a failure. */
async function savePicture(
  picture: DecodedFile,
  target: OutputTarget,
): Promise<{ readonly file: SavedFile; readonly problem?: Error }> {
  const { to } = target;
  if (to.kind !== "stdout") return saveMedia(picture, { ...target, to });
  const { file, problem } = await saveElsewhere(picture, "Standard output takes only one picture", target);
  if (problem instanceof ResultTruncated) return { file, problem };
  target.say(problem.message);
  return { file };
}

/** Reports what was spent, and what failed. Throws the failure if there is no picture where it should be. */
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
  const failure = failureOf(failures, saved.length + (printed ? 1 : 0));
  return printed === undefined ? { data: saved, failure } : { bytes: printed, paid: true, failure };
}

/**
 * What to report when pictures failed, some of which may have been saved elsewhere. Throws it when there is no picture
 * where it should be.
 */
function failureOf(failures: readonly FailedItem[], kept: number): Error | undefined {
  const [first] = failures;
  if (first === undefined) return undefined;
  const misplaced = failures.filter(({ error }) => error instanceof StoredElsewhere).length;
  const succeeded = kept - misplaced;
  const total = succeeded + failures.length;
  if (total === 1 || (succeeded === 0 && areSameRefusal(failures))) throw first.error;
  const isInterrupted = failures.some(
    ({ error }) => error instanceof InterruptedWrite || error instanceof Interrupted,
  );
  const message = isInterrupted
    ? `interrupted after ${succeeded} of ${total} pictures`
    : `${failures.length} of ${total} pictures failed`;
  const failure = new SomeFailed(message, { failures: summed(failures), succeeded });
  if (succeeded === 0) throw failure;
  return failure;
}

/** Whether nothing was done for any picture, for the same reason. */
function areSameRefusal(failures: readonly FailedItem[]): boolean {
  const errors = failures.map(({ error }) => error).filter((error) => !(error instanceof NotTried));
  const messages = errors.map((error) =>
    error instanceof ServiceError || error instanceof NetworkError ? error.message : undefined,
  );
  return messages[0] !== undefined && new Set(messages).size === 1;
}

/** Those that were not requested are one item: they may be many. */
function summed(failures: readonly FailedItem[]): readonly FailedItem[] {
  const isUnsent = ({ error }: FailedItem) => error instanceof NotTried || error instanceof Interrupted;
  const unsent = failures.filter(isUnsent);
  const [first] = unsent;
  if (first === undefined || unsent.length === 1) return failures;
  return [
    ...failures.filter((one) => !isUnsent(one)),
    { name: `${unsent.length} other pictures`, error: first.error },
  ];
}

export const times = (cost: Money | undefined, count: number): Money | undefined =>
  cost && cost * BigInt(count);

/** The number of pictures and their total price, from the price of each. */
export function priceLine(count: number, cost: Money | undefined, spent = ""): string {
  const total = times(cost, count);
  const price =
    total === undefined
      ? "price unknown"
      : `${dollarText(total)}${spent} (estimated from the documented price)`;
  return `${count} picture${count === 1 ? "" : "s"}, ${price}`;
}

/** `unknown` pictures may have been charged. */
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
