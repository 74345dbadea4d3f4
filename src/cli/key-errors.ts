/** A profile's key was to go to a host that is none of the profile's. Nothing was sent. */
export class KeyBelongsElsewhere extends Error {
  override readonly name = "KeyBelongsElsewhere";
  readonly hint: string;
  constructor(source: string, hosts: readonly string[], origin: string) {
    super(`the key of ${source} belongs to ${hosts.join(" and ")} and is not sent to ${origin}`);
    this.hint = `Give the key for ${origin} in GPUCTL_API_KEY, or make a profile for it: \`gpuctl auth login --profile NAME --base-url ${origin}\`. Nothing was sent.`;
  }
}

/** The program that is to print the key did not. Nothing was sent. */
export class KeyCommandFailed extends Error {
  override readonly name = "KeyCommandFailed";
  constructor(source: string, reason: string) {
    super(`no key from ${source}: ${reason}`);
  }
}
