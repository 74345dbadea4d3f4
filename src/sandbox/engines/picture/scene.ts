import { createHash } from "node:crypto";
import { canonicalJson } from "../../../core/json.ts";
import { type Color, mix, rgb, saturate } from "./canvas.ts";
import { type Random, randomFrom } from "./random.ts";
import type { PictureRequest } from "./request.ts";

/** The texts that determine a picture's pixels. */
export type Identity = {
  /** Model, prompts (except negative ones) and seed. Seeds the composition. */
  subject: string;
  /** All fields except the size, the reference picture, its strength and the backend. Seeds the details. */
  whole: string;
  /** Eight hexadecimal digits of a hash over every field that describes the picture. Shown in the mark. */
  fingerprint: string;
};

/** The identity of a request. `backend` and the order of fields and LoRAs do not affect it. */
export function identify(request: PictureRequest): Identity {
  const { backend: _, image, strength, width, height, ...described } = request;
  const { model_name, prompt, prompt_2, seed } = described;
  return {
    subject: canonicalJson({ model_name, prompt, prompt_2, seed }),
    whole: canonicalJson(described),
    fingerprint: createHash("sha256")
      .update(canonicalJson({ ...described, image, strength, width, height }))
      .digest("hex")
      .slice(0, 8),
  };
}

/** The colors of a scene, and whether it is at night. */
export type Palette = {
  night: boolean;
  zenith: Color;
  sky: Color;
  horizon: Color;
  /** The sun, or the moon at night. */
  light: Color;
  far: Color;
  near: Color;
};

/** The colors of a palette, in the order of its fields. */
type Tones = readonly [number, number, number, number, number, number];

const dayPalettes: readonly [Tones, ...Tones[]] = [
  [0x2b2d5b, 0xb5577b, 0xf7b267, 0xffe8b0, 0x96608a, 0x1d1a37],
  [0x5f9bd4, 0xf2cfc0, 0xfff1d6, 0xfff9e8, 0xa3b9d2, 0x28415c],
  [0x4fa7a9, 0xc3e4d2, 0xfdf6d8, 0xfffdf0, 0x86b9a8, 0x173f40],
  [0xe58a45, 0xf7c584, 0xfdebc8, 0xfffaf0, 0xd68d62, 0x5c2519],
  [0x3a0f24, 0xa4243b, 0xf08a4b, 0xffd9a0, 0x86304a, 0x1c0713],
  [0x3568a0, 0xa1c6e4, 0xeef6fb, 0xffffff, 0x94b2cf, 0x1a3352],
  [0x6f7dc4, 0xe4b1ce, 0xfde6dc, 0xfff6ec, 0xb096c2, 0x352b5a],
];

const nightPalettes: readonly [Tones, ...Tones[]] = [
  [0x060a22, 0x16244f, 0x41558f, 0xf4f1dc, 0x2b3a6e, 0x050814],
  [0x110928, 0x3c1e60, 0x94508f, 0xffe6f0, 0x52306f, 0x0c0617],
  [0x03141a, 0x0c3d49, 0x348a86, 0xeefff6, 0x185a61, 0x020d11],
];

/** Mixes two sets of tones and changes their saturation. */
function blend(night: boolean, main: Tones, tint: Tones, share: number, strength: number): Palette {
  const tone = (at: 0 | 1 | 2 | 3 | 4 | 5) => saturate(mix(rgb(main[at]), rgb(tint[at]), share), strength);
  return {
    night,
    zenith: tone(0),
    sky: tone(1),
    horizon: tone(2),
    light: tone(3),
    far: tone(4),
    near: tone(5),
  };
}

export type Subject = "lake" | "forest" | "dunes" | "city";

/** The contents of a picture. Positions are fractions of its width and height. */
export type Scene = {
  subject: Subject;
  palette: Palette;
  /** Center of the sun or moon, and its radius as a fraction of the shorter side. */
  light: { x: number; y: number; radius: number };
  /** Distance from the top to the foot of the farthest land. */
  horizon: number;
  /** Number of ranges of land, one behind the other. */
  ranges: number;
  /** Level of detail, 1-6; grows with the steps. */
  detail: number;
  /** Seeds the shape of the land. */
  land: number;
  /** Generator for details: stars, clouds, birds, windows, trees. */
  random: Random;
};

/** The top of a lake as a fraction of the height. */
export const shore = 0.7;

const wordsOf: ReadonlyArray<readonly [Subject, RegExp]> = [
  ["city", /\b(city|cities|street|skyline|town|tower|building|downtown|urban|cyberpunk)\b/i],
  ["lake", /\b(lake|sea|ocean|water|river|beach|coast|harbou?r|ship|boat|island|lighthouse)\b/i],
  ["dunes", /\b(desert|dunes?|sand|mars|camel|savanna)\b/i],
  ["forest", /\b(forest|woods?|trees?|mountains?|valley|hills?|fox|deer|bear|cabin)\b/i],
];
const dayWords = /\b(day|daylight|dawn|morning|noon|sun|sunny|sunrise|sunset|summer|blue sky)\b/i;
const nightWords = /\b(night|moon|moonlight|midnight|stars?|starry|dark|neon)\b/i;

/** Composes the scene of a picture. Keywords in the prompt can choose the subject, and whether it is night. */
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
  const palettes = night ? nightPalettes : dayPalettes;
  const cfg = Math.max(0, request.cfg_scale);
  return {
    subject,
    palette: blend(
      night,
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
