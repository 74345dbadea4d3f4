import { arg } from "../../command-kit/arg.ts";

export const key = arg.text("KEY", "Key of the configuration", {
  required: true,
  choicesFrom: "config-keys",
  hints: {
    apiKey: "`gpuctl auth login` stores a key, and `gpuctl auth logout` removes it.",
  },
});
