import { account } from "./account.ts";
import { catalog } from "./catalog.ts";
import { chat } from "./chat.ts";
import { description } from "./description.ts";
import type { Handlers } from "./handler.ts";
import { apiAndSshKeys } from "./keys.ts";
import { media } from "./media.ts";
import { rentals } from "./rentals.ts";
import { reserve } from "./reserve.ts";
import { volumes } from "./volumes.ts";

/** A handler for each operation that a sandbox can serve. */
export const handlers: Handlers = {
  ...description,
  ...catalog,
  ...rentals,
  ...reserve,
  ...volumes,
  ...account,
  ...apiAndSshKeys,
  ...chat,
  ...media,
};
