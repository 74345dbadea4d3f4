import { apiKeys } from "./api-keys.ts";
import { audio } from "./audio.ts";
import { billing } from "./billing.ts";
import { chat } from "./chat.ts";
import { description } from "./description.ts";
import type { Handlers } from "./handler.ts";
import { image } from "./image.ts";
import { models } from "./models.ts";
import { rentalOptions } from "./rental-options.ts";
import { rentals } from "./rentals.ts";
import { replacements } from "./replacements.ts";
import { reserve } from "./reserve.ts";
import { sshKeys } from "./ssh-keys.ts";
import { terminate } from "./terminate.ts";
import { user } from "./user.ts";
import { volumes } from "./volumes.ts";

/** What does the work of each operation that a sandbox may serve. */
export const handlers: Handlers = {
  ...description,
  ...rentals,
  ...reserve,
  ...volumes,
  ...user,
  ...chat,
  ...image,
  ...audio,
  ...terminate,
  ...rentalOptions,
  ...models,
  ...billing,
  ...apiKeys,
  ...sshKeys,
  ...replacements,
};
