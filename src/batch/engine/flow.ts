interface FlowOptions {
  /** The most requests in flight. */
  readonly maximum: number;
  /** Milliseconds without a success after which a service that refuses or cannot be reached is given up. */
  readonly patience: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Requests in flight at the start. */
const initialLimit = 8;
/** Milliseconds to wait after a 429 without `Retry-After`, doubled for each wait in a row up to the maximum. */
const initialDelay = 500;
const maxDelay = 30_000;

/**
 * Decides how many requests to one host may be in flight. As in TCP, the limit rises by one for each round of successes,
 * and halves when the service refuses a request, does not respond in time or asks to wait.
 */
export class Flow {
  readonly #options: FlowOptions;
  #limit: number;
  #successes = 0;
  #lastSuccess: number;
  #waits = 0;
  #resumesAt = 0;
  /** Counts the times that the limit was halved. */
  #period = 0;

  constructor(options: FlowOptions) {
    this.#options = options;
    this.#limit = Math.min(options.maximum, initialLimit);
    this.#lastSuccess = options.now();
  }

  /** How many requests may be in flight. */
  get limit(): number {
    return this.#limit;
  }

  /** Pass it to the outcome of a request that is sent now. */
  get period(): number {
    return this.#period;
  }

  /** Milliseconds until the next request may be sent. */
  get delay(): number {
    return Math.max(0, this.#resumesAt - this.#options.now());
  }

  /** The service did what it was asked, or said that the request is invalid. */
  succeed(): void {
    this.#lastSuccess = this.#options.now();
    this.#waits = 0;
    this.#successes += 1;
    if (this.#successes < this.#limit) return;
    this.#successes = 0;
    this.#limit = Math.min(this.#options.maximum, this.#limit + 1);
  }

  /** The service did not respond in time. Several that were in flight together halve the limit once. */
  slowDown(period: number): void {
    if (period !== this.#period) return;
    this.#period += 1;
    this.#successes = 0;
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
  }

  /**
   * The service refused a request for now, or could not be reached. Nothing more is sent for `retryAfter` milliseconds, or
   * for a while. Returns false if the service is to be given up.
   */
  wait(retryAfter: number | undefined, period: number): boolean {
    const { now, patience } = this.#options;
    const isNew = period === this.#period;
    this.slowDown(period);
    if (isNew) this.#waits += 1;
    const delay = retryAfter ?? Math.min(initialDelay * 2 ** Math.max(0, this.#waits - 1), maxDelay);
    if (now() + delay - this.#lastSuccess > patience) return false;
    if (isNew || retryAfter !== undefined) this.#resumesAt = Math.max(this.#resumesAt, now() + delay);
    return true;
  }
}
