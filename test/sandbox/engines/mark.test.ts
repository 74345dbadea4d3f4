import { expect, test } from "vitest";
import { draw, type Pixels } from "./pictures.ts";

/** The white pixels at the bottom of a picture, as rows of text with one character for each dot of the mark. */
function ink({ width, height, data }: Pixels, dot: number): string[] {
  const top = height - 13 * dot + 3 * dot;
  return Array.from({ length: 7 }, (_, row) =>
    Array.from({ length: 41 }, (_, column) => {
      const at = ((top + row * dot) * width + 3 * dot + column * dot) * 3;
      return data[at] === 255 && data[at + 1] === 255 && data[at + 2] === 255 ? "#" : " ";
    }).join(""),
  );
}

test.each([
  [160, 120, 1],
  [512, 512, 2],
  [1024, 1024, 5],
  [1536, 640, 3],
])("a picture of %i x %i is marked SANDBOX", async (width, height, dot) => {
  expect(ink(await draw({ width, height }), dot).join("\n")).toMatchInlineSnapshot(`
    " ####  ###  #   # ####  ####   ###  #   #
    #     #   # ##  # #   # #   # #   # #   #
    #     #   # # # # #   # #   # #   #  # # 
     ###  ##### #  ## #   # ####  #   #   #  
        # #   # #   # #   # #   # #   #  # # 
        # #   # #   # #   # #   # #   # #   #
    ####  #   # #   # ####  ####   ###  #   #"
  `);
});
