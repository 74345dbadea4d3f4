import { audio } from "./audio.ts";
import { chat } from "./chat.ts";
import { description } from "./description.ts";
import type { Handlers } from "./handler.ts";
import { image } from "./image.ts";
import { rentals } from "./rentals.ts";
import { reserve } from "./reserve.ts";
import { user } from "./user.ts";
import { volumes } from "./volumes.ts";

/** What does the work of each operation of the contract. */
export const handlers: Handlers = {
  ...description,
  ...rentals,
  ...reserve,
  ...volumes,
  ...user,
  ...chat,
  ...image,
  ...audio,
};
