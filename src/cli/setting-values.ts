import { UsageError } from "../commands/errors.ts";
import { urlProblem } from "../commands/shared/urls.ts";
import { waitable } from "../commands/shared/values.ts";
import { noChoice } from "./nearest.ts";

/** A setting that was found, and what to call the place in a message: a flag, a variable, a profile. */
export interface Found {
  readonly text: string;
  readonly source: string;
}

/** Throws `UsageError` unless it is one of the choices. */
export function choice<Choice extends string>(found: Found | undefined, choices: readonly Choice[]): Choice {
  const known = choices.find((one) => one === found?.text);
  if (known === undefined) {
    throw new UsageError(noChoice(found?.source ?? "the default", choices, found?.text ?? ""));
  }
  return known;
}

/** A base URL as given; throws `UsageError` unless it is one of http or https. */
export function url(found: Found | undefined): string | undefined {
  if (found === undefined) return undefined;
  const problem = urlProblem(found.text);
  if (problem) {
    throw new UsageError(`${found.source} must be ${problem}, not ${JSON.stringify(found.text)}`);
  }
  return found.text;
}

/** Milliseconds; throws `UsageError` for what is no duration, none at all, or too long for a timer. */
export function duration(found: Found | undefined): number | undefined {
  if (found === undefined) return undefined;
  const milliseconds = waitable(found.text, found.source);
  if (milliseconds > 0) return milliseconds;
  throw new UsageError(`${found.source} must be longer than nothing, not ${JSON.stringify(found.text)}`);
}

/** A whole number; throws `UsageError` for anything else. */
export function retries(found: Found | undefined): number {
  if (!found || !/^\d{1,3}$/.test(found.text)) {
    throw new UsageError(
      `${found?.source} must be a whole number from 0 to 999, not ${JSON.stringify(found?.text)}`,
    );
  }
  return Number(found.text);
}
