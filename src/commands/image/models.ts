import { defineCommand } from "../../command-kit/define.ts";
import { imageModels, modelNames } from "../../contract/image-models.ts";

export default defineCommand({
  path: "image models",
  summary: "List the image models and what they can do",
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
    { text: "List the models", command: "gpuctl image models" },
    { text: "Print only the names", command: "gpuctl image models -o id" },
  ],
  run: () => ({ data: modelNames.map((model) => ({ model, ...imageModels[model] })) }),
});
