/** A sandbox cannot be served at an address; the message says why. */
export class CannotListen extends Error {
  override readonly name = "CannotListen";
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number, cause: Error & { readonly code?: string | undefined }) {
    super(`Cannot serve at ${host} port ${port}: ${reasons[cause.code ?? ""] ?? cause.message}`, { cause });
    this.host = host;
    this.port = port;
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use",
  EACCES: "this port is not permitted to you",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "the host is unknown",
};
