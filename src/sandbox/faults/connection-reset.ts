/** Takes the place of an answer: the connection breaks, as by a reset of the other side. */
export class ConnectionReset extends Error {
  override readonly name = "ConnectionReset";
  readonly code = "ECONNRESET";

  constructor(message = "a fault of the sandbox reset the connection") {
    super(message);
  }
}
