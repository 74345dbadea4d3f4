import { arg } from "../../command-kit/arg.ts";

export const key = arg.text("KEY", "Name of the setting", {
  required: true,
  choicesFrom: "config-keys",
  mistakes: {
    apiKey: "`gpuctl auth login` stores an API key, and `gpuctl auth logout` removes it.",
  },
});
