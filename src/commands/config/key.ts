import { arg } from "../../command-kit/arg.ts";

/** The argument by which the commands name a key. */
export const key = arg.text("KEY", "Key of the configuration", {
  required: true,
  choicesFrom: "config-keys",
  hints: {
    apiKey: "`gpuctl auth login` stores a key, and `gpuctl auth logout` removes it.",
  },
});
