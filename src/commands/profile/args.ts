import { arg } from "../../command-kit/arg.ts";

export const existingProfile = arg.text("NAME", "Name of the profile", {
  required: true,
  completes: "profile",
});

/** Command lines that create the profiles of the examples. */
export const exampleProfiles = {
  play: "gpuctl profile add play --sandbox",
  work: "gpuctl profile add work --base-url https://api.example.com --key-command 'pass show gpuctl'",
} as const;
