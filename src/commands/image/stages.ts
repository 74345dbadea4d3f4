import { duration } from "../../core/values/durations.ts";
import type { ArrivingMedia } from "../../media/arriving.ts";

type Stage =
  | { readonly name: "not started" | "done" | "failed" }
  | { readonly name: "under way"; readonly since: number; readonly arriving: readonly ArrivingMedia[] }
  | { readonly name: "waiting"; readonly until: number };

/** The state of each of several pictures, shown on a terminal while they are generated. */
export class Stages {
  readonly #stages: Stage[];
  readonly #now: () => number;
  onChange = (): void => {};

  constructor(count: number, now: () => number) {
    this.#stages = Array.from({ length: count }, () => ({ name: "not started" }));
    this.#now = now;
  }

  /** Marks a picture as under way. The caller adds the pictures of the response to `arriving` as they arrive. */
  begin(index: number, arriving: readonly ArrivingMedia[]): void {
    this.#stages[index] = { name: "under way", since: this.#now(), arriving };
  }

  end(index: number, name: "done" | "failed"): void {
    this.#stages[index] = { name };
    this.onChange();
  }

  /** Marks a picture as waiting, because the service asks to wait before the picture is requested again. */
  wait(index: number, milliseconds: number): void {
    this.#stages[index] = { name: "waiting", until: this.#now() + milliseconds };
    this.onChange();
  }

  /** A text such as `Generating 6 images: 2 done, 1 failed`. */
  summary(): string {
    const counted = (["done", "failed"] as const).flatMap((name) => {
      const count = this.#stages.filter((stage) => stage.name === name).length;
      return count === 0 ? [] : `${count} ${name}`;
    });
    const text = `Generating ${this.#stages.length} images`;
    return counted.length === 0 ? text : `${text}: ${counted.join(", ")}`;
  }

  /**
   * One line for each picture. If there are more than `max` pictures, one line for each of the first `max` that are
   * under way or waiting.
   */
  lines(max: number): readonly string[] {
    const all = [...this.#stages.entries()];
    const shown =
      all.length <= max ? all : all.filter(([, { name }]) => name === "under way" || name === "waiting");
    const width = String(all.length).length;
    return shown
      .slice(0, max)
      .map(([index, stage]) => `  ${String(index + 1).padStart(width)}  ${this.#text(stage)}`);
  }

  #text(stage: Stage): string {
    if (stage.name === "waiting") {
      const left = stage.until - this.#now();
      // Rounds up, because "waiting 0s" would look as if gpuctl hung.
      return left > 0 ? `waiting ${seconds(left + 999)} (rate limited)` : "retrying";
    }
    if (stage.name !== "under way") return stage.name;
    const size = stage.arriving.reduce((sum, media) => sum + media.size, 0);
    const received = size === 0 ? "" : `, ${sizeOf(size)} received`;
    return `generating${received}  ${seconds(this.#now() - stage.since)}`;
  }
}

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** In whole seconds, so that the text does not flicker. */
const seconds = (milliseconds: number): string =>
  milliseconds < 1000 ? "0s" : duration(Math.floor(milliseconds / 1000) * 1000);
