import type { GlobalNode } from "../command-kit/tree.ts";

export interface Variable {
  readonly name: string;
  readonly meaning: string;
  /** The flag that it sets. */
  readonly flag?: string;
}

/** Variables without a flag. */
const own: readonly Variable[] = [
  { name: "GPUCTL_API_KEY", meaning: "API key; wins over the one kept in the profile" },
  { name: "GPUCTL_CONFIG_DIR", meaning: "Folder of the configuration" },
  {
    name: "GPUCTL_STATE_DIR",
    meaning: "Folder of the sandbox's state and of cached responses of the service",
  },
  { name: "CI", meaning: "When set, gpuctl never prompts" },
  { name: "NO_COLOR, FORCE_COLOR", meaning: "Turn colours off or on" },
  { name: "HTTPS_PROXY, HTTP_PROXY, NO_PROXY", meaning: "Proxies, and the hosts that bypass them" },
  { name: "NODE_EXTRA_CA_CERTS", meaning: "File with extra certificate authorities to trust" },
  { name: "NODE_DISABLE_COMPILE_CACHE", meaning: "Do not cache compiled code between runs" },
];

/** Every variable that gpuctl reads. */
export const environmentOf = (globals: readonly GlobalNode[]): readonly Variable[] => [
  ...globals.flatMap(({ names: [name], env, value, text }): readonly Variable[] => {
    if (env === undefined) return [];
    const meaning = value === undefined ? `${text}, when 1` : text;
    return [{ name: env, meaning, flag: `--${name}` }];
  }),
  ...own,
];

/** Files that gpuctl keeps. */
export const files: readonly (readonly [path: string, meaning: string])[] = [
  ["~/.config/gpuctl/config.json", "Profiles with their keys, for the user alone (mode 0600)"],
  ["~/.local/share/gpuctl/sandbox.sqlite", "The state of the sandbox"],
  [
    "~/.local/share/gpuctl/description-*.json, completions/*.json",
    "What services offer, for a day, and ids and labels for completions. They may be deleted at any time.",
  ],
  [
    "$XDG_CACHE_HOME/gpuctl, else ~/.cache/gpuctl",
    "Compiled code that makes the next start quicker. It may be deleted at any time.",
  ],
];

/** Where the files are elsewhere. */
export const otherPlaces =
  "These are the places on Linux, where XDG_CONFIG_HOME and XDG_DATA_HOME are heeded. On macOS they are ~/Library/Preferences/gpuctl and ~/Library/Application Support/gpuctl, on Windows %APPDATA%\\gpuctl\\Config and %LOCALAPPDATA%\\gpuctl\\Data. GPUCTL_CONFIG_DIR and GPUCTL_STATE_DIR name others.";
