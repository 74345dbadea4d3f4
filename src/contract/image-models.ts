/**
 * What each image model can do, and what pictures cost (service sections 2.8 and 4.5). This file does not import Zod,
 * because Zod loads slowly, and help and prices load this file.
 */

export interface ImageModel {
  /** Names of the LoRAs that the model supports. */
  readonly loras: readonly string[];
  /** Supports `prompt_2`, `negative_prompt_2` and `enable_refiner`. */
  readonly sdxl: boolean;
  /** Supports a reference picture. */
  readonly imageToImage: boolean;
}

export const modelNames = ["FLUX.1-dev", "SDXL1.0-base", "SDXL-turbo", "SD2", "SD1.5", "SSD"] as const;

export type ModelName = (typeof modelNames)[number];

export const imageModels: Readonly<Record<ModelName, ImageModel>> = {
  "FLUX.1-dev": { loras: [], sdxl: false, imageToImage: false },
  "SDXL1.0-base": {
    loras: [
      "Add_Detail",
      "More_Art",
      "Pixel_Art",
      "Logo",
      "Sci-fi",
      "Crayons",
      "Paint_Splash",
      "Outdoor_Product_Photography",
    ],
    sdxl: true,
    imageToImage: true,
  },
  "SDXL-turbo": { loras: [], sdxl: true, imageToImage: true },
  SD2: { loras: [], sdxl: false, imageToImage: true },
  "SD1.5": {
    loras: ["Add_Detail", "Superhero", "Lineart", "Anime_Lineart", "Cartoon_Background", "Pencil_Sketch"],
    sdxl: false,
    imageToImage: true,
  },
  SSD: { loras: [], sdxl: false, imageToImage: true },
};

/** The supported resolutions, width x height in pixels. */
export const resolutions = [
  "1024x1024",
  "1152x896",
  "1216x832",
  "1344x768",
  "1536x640",
  "1664x2432",
  "2048x2048",
  "2432x1664",
  "640x1536",
  "768x1344",
  "832x1216",
] as const;

/**
 * A picture and its price in dollars (service section 4.5, rule 4). The price of any other picture is proportional to
 * its width, height and steps.
 */
export const pricedPicture = { width: 1024, height: 1024, steps: 25, dollars: "0.01" } as const;
