import type { Example } from "./tree.ts";

/** Command lines that create, in a new sandbox, what the examples of other commands need. Help shows them. */
export const sandboxExamples = {
  /** The rental 1001. */
  rental: "gpuctl rentals create vm --gpus 1 --sandbox --yes",
  /** The rental 1001 with a reserved term. */
  reservedRental: "gpuctl rentals create vm --gpus 1 --term-type reserved --days 30 --sandbox --yes",
  /** The bare-metal rental 1001. */
  bareMetalRental: "gpuctl rentals create bare-metal --gpus 8 --network-type ethernet --sandbox --yes",
  /** The storage volume 501. */
  volume: "gpuctl volumes create --region us-central-1 --label training-data --size-in-gb 1024 --sandbox",
  /** The SSH key ada. */
  sshKey: "printf 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEV4YW1wbGU= ada' | gpuctl ssh-keys add - --sandbox",
  /** The API key old-ci. */
  apiKey: "gpuctl api-keys create old-ci --sandbox",
} as const;

/** Adds to each example the command line that must run before it. */
export const examplesAfter = (line: string, examples: readonly Example[]): readonly Example[] =>
  examples.map((example) => ({ ...example, after: [line] }));
