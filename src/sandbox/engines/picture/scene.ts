import type { Identity } from "./identity.ts";
import { blend, days, nights, type Palette } from "./palettes.ts";
import { type Random, randomFrom } from "./random.ts";

export type Subject = "lake" | "forest" | "dunes" | "city";

/** What a picture shows, in shares of its width and height. */
export type Scene = {
  subject: Subject;
  palette: Palette;
  /** Centre of the sun or moon, and its radius as a share of the shorter side. */
  light: { x: number; y: number; radius: number };
  /** Where the farthest land ends, from the top. */
  horizon: number;
  /** How many ranges of land stand one behind the other. */
  ranges: number;
  /** Fineness of the detail, 1-6: it grows with the steps. */
  detail: number;
  /** Seeds the shape of the land. */
  land: number;
  /** Draws the details: stars, clouds, birds, windows, trees. */
  random: Random;
};

/** Where a lake begins, as a share of the height. */
export const shore = 0.7;

const wordsOf: ReadonlyArray<readonly [Subject, RegExp]> = [
  ["city", /\b(city|cities|street|skyline|town|tower|building|downtown|urban|cyberpunk)\b/i],
  ["lake", /\b(lake|sea|ocean|water|river|beach|coast|harbou?r|ship|boat|island|lighthouse)\b/i],
  ["dunes", /\b(desert|dunes?|sand|mars|camel|savanna)\b/i],
  ["forest", /\b(forest|woods?|trees?|mountains?|valley|hills?|fox|deer|bear|cabin)\b/i],
];
const dayWords = /\b(day|daylight|dawn|morning|noon|sun|sunny|sunrise|sunset|summer|blue sky)\b/i;
const nightWords = /\b(night|moon|moonlight|midnight|stars?|starry|dark|neon)\b/i;

/** Composes the scene of a picture; a few plain words of the prompt choose what it shows. */
export function compose(
  identity: Identity,
  request: { prompt: string; steps: number; cfg_scale: number },
): Scene {
  const composition = randomFrom(identity.subject);
  const random = randomFrom(identity.whole);
  const anySubject = composition.pick<Subject>(["lake", "forest", "dunes", "city"]);
  const anyNight = composition.between(0, 1) < 0.3;
  const subject = wordsOf.find(([, words]) => words.test(request.prompt))?.[0] ?? anySubject;
  const night = nightWords.test(request.prompt) || (anyNight && !dayWords.test(request.prompt));
  const palettes = night ? nights : days;
  const cfg = Math.max(0, request.cfg_scale);
  return {
    subject,
    palette: blend(
      composition.pick(palettes),
      composition.pick(palettes),
      random.between(0, 0.3),
      0.75 + (0.5 * cfg) / (cfg + 5),
    ),
    light: {
      x: composition.between(0.22, 0.78),
      y: composition.between(0.24, 0.42),
      radius: composition.between(0.06, 0.11),
    },
    horizon: composition.between(0.56, 0.64),
    ranges: 4 + Math.floor(composition.between(0, 2.99)),
    detail: Math.min(6, 1 + Math.floor(Math.sqrt(Math.max(0, request.steps)))),
    land: composition.integer(),
    random,
  };
}
