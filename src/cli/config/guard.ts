import { dirname } from "node:path";
import { UsageError } from "../../commands/errors.ts";
import type { World } from "../../context/world.ts";
import { quoted } from "../../output/quoted.ts";

type Looking = Pick<World, "user" | "permissions">;

/** Bits of a mode: group and others may write, may read. */
const writable = 0o022;
const readable = 0o044;

/**
 * Throws `UsageError` when a file that is there, or its folder, belongs to another user than the one that runs, or
 * can be changed by others: what stands in it decides where a key is sent and which programs run.
 */
export function trust(path: string, world: Looking): void {
  if (world.permissions(path) === undefined) return;
  for (const place of [dirname(path), path]) trustPlace(place, world);
}

/** The same for a file or a folder alone. */
export function trustPlace(place: string, { user, permissions }: Looking): void {
  const found = user === undefined ? undefined : permissions(place);
  if (found === undefined) return;
  if (found.owner !== user) {
    throw new UsageError(`${place} belongs to another user (uid ${found.owner}, and you are ${user})`, {
      hint: `If it is yours, \`chown ${user} ${quoted(place)}\` says so; GPUCTL_CONFIG_DIR names another folder. It was left as it is.`,
    });
  }
  if ((found.mode & writable) !== 0) {
    throw new UsageError(`${place} can be changed by other users (mode ${octal(found.mode)})`, {
      hint: `\`chmod go-w ${quoted(place)}\` makes it yours alone, once you have seen that it holds what you wrote. It was left as it is.`,
    });
  }
}

/** A warning when others can read a file that holds a key. */
export function exposed(path: string, { user, permissions }: Looking): string | undefined {
  const found = user === undefined ? undefined : permissions(path);
  if (found === undefined || (found.mode & readable) === 0) return undefined;
  return `Warning: ${path} holds a key and can be read by other users (mode ${octal(found.mode)}): \`chmod 600 ${quoted(path)}\``;
}

const octal = (mode: number): string => (mode & 0o777).toString(8);
