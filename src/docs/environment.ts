import type { GlobalNode } from "../command-kit/tree.ts";
import { tokenFileVariable } from "../core/control-token.ts";
import { minSecretLength } from "../core/redact.ts";
import type { TopicSection } from "../core/topics.ts";

export interface Variable {
  readonly name: string;
  readonly meaning: string;
  /** The flag with the same effect. */
  readonly flag?: string;
}

/** Variables without a global flag. */
const own: readonly Variable[] = [
  { name: "GPUCTL_API_KEY", meaning: "API key; overrides the key of the profile" },
  { name: "GPUCTL_CONFIG_DIR", meaning: "Folder for the configuration" },
  {
    name: "GPUCTL_STATE_DIR",
    meaning: "Folder for what gpuctl stores, such as sandbox state, jobs, leases and chat sessions",
  },
  {
    name: "GPUCTL_LEASE_FILE",
    meaning:
      "File that records when each rental should end (its lease), for `rentals` and `reserve` commands",
    flag: "--lease-file",
  },
  {
    name: tokenFileVariable,
    meaning: "File with the token for the controls of a served sandbox, for `sandbox` commands",
    flag: "--token-file",
  },
  {
    name: "JOB_COMPLETION_INDEX, SLURM_ARRAY_TASK_ID, CI_NODE_INDEX",
    meaning: "The shard that `batch run --shards` runs; set by Kubernetes, Slurm and GitLab",
  },
  { name: "CI", meaning: "If set to anything but 0 or false, gpuctl never prompts" },
  { name: "NO_COLOR, FORCE_COLOR", meaning: "Turn colors off or on" },
  { name: "HTTPS_PROXY, HTTP_PROXY, NO_PROXY", meaning: "Proxies, and the hosts that bypass them" },
  { name: "NODE_EXTRA_CA_CERTS", meaning: "File with extra certificate authorities to trust" },
  { name: "NODE_DISABLE_COMPILE_CACHE", meaning: "If set, compiled code is not cached between runs" },
];

/** The variables that configure gpuctl. */
export const environmentOf = (globals: readonly GlobalNode[]): readonly Variable[] => [
  ...globals.flatMap(({ names: [name], env, value, text }): readonly Variable[] => {
    if (env === undefined) return [];
    const meaning = value === undefined ? `Set to 1 to ${text[0]?.toLowerCase()}${text.slice(1)}` : text;
    return [{ name: env, meaning, flag: `--${name}` }];
  }),
  ...own,
];

/** What gpuctl does with keys. */
const keyPromise = [
  "The key of a profile is sent only to the hosts of that profile's base URLs. No key follows a redirect to another host. Over plain http, a key is sent only to this machine (localhost, names below .localhost, 127.0.0.0/8 and ::1), unless --insecure-http is given.",
  `\`gpuctl auth token\` prints the key in use. \`gpuctl api-keys create\`, or \`gpuctl api call\` with the same operation, prints a new key. \`gpuctl sandbox keys\`, \`gpuctl sandbox serve\` and \`gpuctl sandbox snapshot\` print keys of the sandbox. Everywhere else, gpuctl shows at most the last four characters of a key, unless it is one of the sandbox's built-in keys, which are not secret. If a response, an error or a header contains a key that gpuctl knows, gpuctl masks the key as ****, even if it is escaped for JSON, a URL or HTML, or encoded as Base64. Keys of fewer than ${minSecretLength} characters are too short to be recognized. A service that has the key can always write it in a form that gpuctl does not recognize.`,
  "A base URL with a user name or a password in it is refused, and the password is not shown.",
] as const;

/** Files that gpuctl keeps. */
export const files: readonly (readonly [path: string, meaning: string])[] = [
  ["~/.config/gpuctl/config.json", "Profiles and their keys, readable only by you (mode 0600)"],
  ["~/.local/share/gpuctl/sandbox.sqlite", "Sandbox state"],
  ["~/.local/share/gpuctl/leases.jsonl", "Leases of rentals: when each should end"],
  ["~/.local/share/gpuctl/jobs/", "Jobs: their commands, states and outputs"],
  [
    "~/.local/share/gpuctl/chat-sessions/, chat-history.jsonl",
    "Chat sessions, and what you typed in conversations. Readable only by you.",
  ],
  ["~/.local/share/gpuctl/mcp/", "Results of `gpuctl mcp`"],
  ["~/.local/share/gpuctl/mcp-spending.jsonl", "Calls of `gpuctl mcp` that did more than read"],
  ["~/.local/share/gpuctl/speech/", "Audio of the parts of a long text, if `gpuctl tts` writes to stdout"],
  [
    "~/.local/share/gpuctl/description-*.json, completions/*.json",
    "API descriptions, cached for a day, and IDs and labels for shell completions. Safe to delete.",
  ],
  ["$XDG_CACHE_HOME/gpuctl, else ~/.cache/gpuctl", "Compiled code for faster startup. Safe to delete."],
];

/** The paths of these files on other systems. */
export const otherPaths =
  "These are the paths on Linux, where gpuctl respects XDG_CONFIG_HOME and XDG_DATA_HOME. On macOS, the configuration is in ~/Library/Preferences/gpuctl and the state is in ~/Library/Application Support/gpuctl. On Windows, the configuration is in %APPDATA%\\gpuctl\\Config and the state is in %LOCALAPPDATA%\\gpuctl\\Data. GPUCTL_CONFIG_DIR and GPUCTL_STATE_DIR override these folders. Compiled code is in the same folder on macOS as on Linux; on Windows, it is in %LOCALAPPDATA%\\gpuctl.";

export const environmentTopic = (globals: readonly GlobalNode[]): readonly TopicSection[] => [
  {
    heading: "Variables",
    parts: [
      "Flags override environment variables, and environment variables override the profile.",
      {
        terms: environmentOf(globals).map(({ name, meaning, flag }) => [
          name,
          meaning + (flag ? `; same as ${flag}` : ""),
        ]),
      },
    ],
  },
  { heading: "Keys", parts: keyPromise },
  { heading: "Files", parts: [{ terms: files }, otherPaths] },
];
