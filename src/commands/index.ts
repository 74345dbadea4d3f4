import { apiCommands } from "./api/index.ts";
import { authCommands } from "./auth/index.ts";
import { chatCommands } from "./chat/index.ts";
import { completionCommands } from "./completion/index.ts";
import { configCommands } from "./config/index.ts";
import { doctorCommands } from "./doctor/index.ts";
import { helpCommands } from "./help/index.ts";
import { imageCommands } from "./image/index.ts";
import { profileCommands } from "./profile/index.ts";
import { rentalCommands } from "./rentals/index.ts";
import { reserveCommands } from "./reserve/index.ts";
import { sandboxCommands } from "./sandbox/index.ts";
import { setupCommands } from "./setup/index.ts";
import type { CommandSpec } from "./spec.ts";
import { ttsCommands } from "./tts/index.ts";
import { userCommands } from "./user/index.ts";
import { volumeCommands } from "./volumes/index.ts";

export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandSpec[];
}

/** Every command, by its noun, in the order of help. */
export const nouns: readonly Noun[] = [
  { name: "setup", summary: "Set gpuctl up, step by step", commands: setupCommands },
  { name: "rentals", summary: "Rent GPUs: virtual machines and bare metal", commands: rentalCommands },
  { name: "volumes", summary: "Storage volumes", commands: volumeCommands },
  { name: "reserve", summary: "Reserved terms", commands: reserveCommands },
  { name: "user", summary: "The current user", commands: userCommands },
  { name: "image", summary: "Generate pictures", commands: imageCommands },
  { name: "chat", summary: "Chat with a model", commands: chatCommands },
  { name: "tts", summary: "Speak a text", commands: ttsCommands },
  { name: "api", summary: "The service's own description", commands: apiCommands },
  { name: "auth", summary: "API keys", commands: authCommands },
  { name: "profile", summary: "Profiles: an account or the sandbox each", commands: profileCommands },
  { name: "config", summary: "Defaults of a profile", commands: configCommands },
  { name: "doctor", summary: "Check the installation", commands: doctorCommands },
  { name: "sandbox", summary: "The whole service on this machine", commands: sandboxCommands },
  { name: "completion", summary: "Completion scripts for shells", commands: completionCommands },
  { name: "help", summary: "Help on commands and topics", commands: helpCommands },
];

export const commands: readonly CommandSpec[] = nouns.flatMap((noun) => noun.commands);
