/** For each rule of the contract that spans several fields, by its ID: values that break this rule and no other. */
export const brokenRules: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  resolution: { width: 512, height: 512 },
  "image-to-image": { model_name: "FLUX.1-dev", image: "aGVsbG8=", strength: 0.5 },
  "sdxl-only": { model_name: "SD2", prompt_2: "waves" },
  "lora-names": { lora: { Unheard_Of: 0.5 } },
};
