interface FlowOptions {
  /** The maximum number of requests in flight. */
  readonly maximum: number;
  /**
   * How long to keep trying a service that refuses requests or cannot be reached, in milliseconds since the last
   * success.
   */
  readonly patience: number;
  /** The current time in milliseconds. It must never decrease. */
  readonly now: () => number;
}

/** Requests in flight at the start. */
const initialLimit = 8;
/** Milliseconds of the first wait without a `Retry-After`. The wait doubles each time, until a request succeeds. */
const initialDelay = 500;
const maxDelay = 30_000;

/**
 * Decides how many requests to one host may be in flight. The limit changes as in TCP: a limit of `n` rises by one
 * after `n` successes. The limit halves if the service asks gpuctl to wait, is overloaded, cannot be reached or does
 * not respond in time.
 */
export class Flow {
  readonly #options: FlowOptions;
  #limit: number;
  #successes = 0;
  #lastSuccess: number;
  #waits = 0;
  #resumesAt = 0;
  /** Increases at each slowdown, so that requests that were sent before the slowdown are recognized. */
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

  /** Read this when a request is sent, and pass it to `slowDown` or `wait` when the request ends. */
  get period(): number {
    return this.#period;
  }

  /** Milliseconds until the next request may be sent. */
  get delay(): number {
    return Math.max(0, this.#resumesAt - this.#options.now());
  }

  /** Call this if the service did what it was asked, or rejected the request as invalid. */
  succeed(): void {
    this.#lastSuccess = this.#options.now();
    this.#waits = 0;
    this.#successes += 1;
    if (this.#successes < this.#limit) return;
    this.#successes = 0;
    this.#limit = Math.min(this.#options.maximum, this.#limit + 1);
  }

  /**
   * Call this if the service is overloaded or did not respond in time. Several requests that were in flight together
   * halve the limit only once.
   */
  slowDown(period: number): void {
    if (period !== this.#period) return;
    this.#period += 1;
    this.#successes = 0;
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
  }

  /**
   * Call this if the service temporarily refused a request, or could not be reached. Nothing is sent for `retryAfter`
   * milliseconds, or for `initialDelay` if that is longer. Without `retryAfter`, the delay grows with each wait.
   * Returns false if the wait would end more than `patience` milliseconds after the last success. The caller must then
   * give up.
   */
  wait(retryAfter: number | undefined, period: number): boolean {
    const { now, patience } = this.#options;
    const isNew = period === this.#period;
    this.slowDown(period);
    if (isNew) this.#waits += 1;
    const growing = Math.min(initialDelay * 2 ** Math.max(0, this.#waits - 1), maxDelay);
    const delay = Math.max(initialDelay, retryAfter ?? growing);
    if (now() + delay - this.#lastSuccess > patience) return false;
    if (isNew || retryAfter !== undefined) this.#resumesAt = Math.max(this.#resumesAt, now() + delay);
    return true;
  }
}
