import { type Colour, mix, rgb, saturate } from "./colour.ts";

/** The colours of a scene, and whether it is a night one. */
export type Palette = {
  night: boolean;
  zenith: Colour;
  sky: Colour;
  horizon: Colour;
  /** The sun, or the moon at night. */
  light: Colour;
  far: Colour;
  near: Colour;
};

export const days: readonly [Palette, ...Palette[]] = [
  palette(false, 0x2b2d5b, 0xb5577b, 0xf7b267, 0xffe8b0, 0x96608a, 0x1d1a37),
  palette(false, 0x5f9bd4, 0xf2cfc0, 0xfff1d6, 0xfff9e8, 0xa3b9d2, 0x28415c),
  palette(false, 0x4fa7a9, 0xc3e4d2, 0xfdf6d8, 0xfffdf0, 0x86b9a8, 0x173f40),
  palette(false, 0xe58a45, 0xf7c584, 0xfdebc8, 0xfffaf0, 0xd68d62, 0x5c2519),
  palette(false, 0x3a0f24, 0xa4243b, 0xf08a4b, 0xffd9a0, 0x86304a, 0x1c0713),
  palette(false, 0x3568a0, 0xa1c6e4, 0xeef6fb, 0xffffff, 0x94b2cf, 0x1a3352),
  palette(false, 0x6f7dc4, 0xe4b1ce, 0xfde6dc, 0xfff6ec, 0xb096c2, 0x352b5a),
];

export const nights: readonly [Palette, ...Palette[]] = [
  palette(true, 0x060a22, 0x16244f, 0x41558f, 0xf4f1dc, 0x2b3a6e, 0x050814),
  palette(true, 0x110928, 0x3c1e60, 0x94508f, 0xffe6f0, 0x52306f, 0x0c0617),
  palette(true, 0x03141a, 0x0c3d49, 0x348a86, 0xeefff6, 0x185a61, 0x020d11),
];

/** One palette with a tint of another in it, and its colours made stronger or paler. */
export function blend(main: Palette, tint: Palette, share: number, strength: number): Palette {
  const tone = (part: Exclude<keyof Palette, "night">) =>
    saturate(mix(main[part], tint[part], share), strength);
  return {
    night: main.night,
    zenith: tone("zenith"),
    sky: tone("sky"),
    horizon: tone("horizon"),
    light: tone("light"),
    far: tone("far"),
    near: tone("near"),
  };
}

function palette(night: boolean, ...hex: [number, number, number, number, number, number]): Palette {
  const [zenith, sky, horizon, light, far, near] = hex;
  return {
    night,
    zenith: rgb(zenith),
    sky: rgb(sky),
    horizon: rgb(horizon),
    light: rgb(light),
    far: rgb(far),
    near: rgb(near),
  };
}
