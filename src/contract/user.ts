import * as z from "zod";
import { lookupErrors } from "./errors.ts";
import { operation } from "./operation.ts";
import { dateTime, nothing } from "./shared.ts";

/** The current user (service section 2.5). */
export const user = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    picture: z.string(),
    provider: z.string(),
    emailVerified: z.boolean(),
    isActive: z.boolean(),
    createdAt: dateTime("When the account was created, in UTC with milliseconds"),
    onboardedAt: dateTime("When onboarding was completed"),
    onboardedFor: z.string(),
    referralCode: z.string(),
  })
  .partial()
  .loose()
  .meta({ id: "User", description: "The current user" });

const update = {
  method: "PUT",
  effect: "write",
  host: "compute",
  group: "users",
  summary: "Update the current user",
  in: "body",
  input: z.object({
    onboardedFor: z.string().optional().describe("What the account is used for"),
    name: z.string().optional().describe("Display name"),
  }),
  output: z
    .looseObject({ success: z.boolean(), user })
    .meta({ id: "UserUpdated", description: "The updated user" }),
  errors: lookupErrors,
} as const;

const remove = {
  method: "DELETE",
  effect: "destroy",
  host: "compute",
  group: "users",
  summary: "Delete the current user",
  in: "none",
  input: nothing,
  output: z
    .looseObject({ success: z.boolean() })
    .meta({ id: "UserDeleted", description: "Whether the user was deleted" }),
  errors: lookupErrors,
} as const;

const path = "/v2/users/me";
/** The paths without /v2/ behave the same until the sunset date (service section 9). */
const legacy = { path: "/users/me", deprecated: true, sunset: "2027-03-01" } as const;

export const updateCurrentUser = operation({ ...update, id: "updateCurrentUser", path });
export const deleteCurrentUser = operation({ ...remove, id: "deleteCurrentUser", path });
export const updateCurrentUserLegacy = operation({
  ...update,
  ...legacy,
  id: "updateCurrentUserLegacy",
  replacedBy: { method: "PUT", path },
});
export const deleteCurrentUserLegacy = operation({
  ...remove,
  ...legacy,
  id: "deleteCurrentUserLegacy",
  replacedBy: { method: "DELETE", path },
});
