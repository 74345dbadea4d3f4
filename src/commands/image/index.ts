import { routes } from "../../contract/generated/routes.ts";
import { outFlags } from "../shared/out-flags.ts";
import type { CommandSpec } from "../spec.ts";

/** What the service takes for a field that is left out. */
const usual = (name: string): string =>
  String(routes.generateImage.fields.find((field) => field.name === name)?.default);

export const imageCommands: readonly CommandSpec[] = [
  {
    path: ["image"],
    summary: "Generate pictures",
    operations: ["generateImage"],
    positionals: [
      { name: "PROMPT", field: "prompt", required: true, stdin: "instead", text: "What the picture shows" },
    ],
    found: { model_name: "always" },
    flags: [
      { names: ["size"], value: "WxH", text: "Width and height in pixels", gives: ["width", "height"] },
      {
        names: ["image"],
        value: "FILE",
        text: "Reference picture (PNG, JPEG or WebP), - for stdin",
        gives: ["image"],
      },
      { names: ["count"], short: "n", value: "N", text: "How many pictures", default: "1" },
      ...outFlags("picture"),
      {
        names: ["max-cost"],
        value: "AMOUNT",
        text: "Refuse when the pictures would cost more than this many dollars",
      },
      { names: ["no-metadata"], text: "Leave the settings out of the PNG" },
    ],
    view: { kind: "lines", path: "path" },
    examples: [
      { text: "Draw a picture", command: 'gpuctl image "a lighthouse at dusk" --sandbox' },
      {
        text: "Two wide ones with a seed, into a folder",
        command:
          'gpuctl image "a lighthouse at dusk" --size 1536x640 --seed 7 -n 2 --out pictures/ --sandbox',
      },
    ],
    load: () => import("./generate.ts"),
  },
  {
    path: ["image", "models"],
    summary: "List the image models and what they can do",
    operations: [],
    view: {
      kind: "list",
      columns: [
        { title: "MODEL", paths: ["model"] },
        { title: "IMAGE-TO-IMAGE", name: "image_to_image", paths: ["imageToImage"], format: "yes-no" },
        { title: "SDXL", paths: ["sdxl"], format: "yes-no" },
        { title: "LORA", paths: ["loras"], format: "list" },
      ],
      empty: "No models.",
      id: ["model"],
    },
    examples: [
      { text: "List them", command: "gpuctl image models" },
      { text: "Just the names", command: "gpuctl image models -o id" },
    ],
    load: () => import("./models.ts"),
  },
  {
    path: ["image", "price"],
    summary: "Say what pictures cost",
    operations: [],
    flags: [
      {
        names: ["size"],
        value: "WxH",
        text: "Width and height in pixels",
        default: `${usual("width")}x${usual("height")}`,
      },
      { names: ["steps"], value: "N", text: "Inference steps", default: usual("steps") },
      { names: ["count"], short: "n", value: "N", text: "How many pictures", default: "1" },
    ],
    view: { kind: "lines", path: "cost" },
    examples: [
      { text: "A picture with the service's defaults", command: "gpuctl image price" },
      { text: "Ten large ones", command: "gpuctl image price --size 2048x2048 --steps 25 -n 10" },
    ],
    load: () => import("./price.ts"),
  },
];
