/** A sandbox was used after it was closed. */
export class SandboxClosed extends Error {
  override readonly name = "SandboxClosed";

  constructor(used: string) {
    super(`${used} was used after the sandbox was closed: open another one with createSandbox`);
  }
}
