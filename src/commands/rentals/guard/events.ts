import type { Ports } from "../../../command-kit/context.ts";
import { NotNotified, reasonOf } from "../../../core/errors.ts";
import { withoutUndefined } from "../../../core/json.ts";
import { timeUnits } from "../../../core/values/durations.ts";
import type { ListView } from "../../../core/view.ts";
import { oneLine } from "../../../output/text.ts";

/** What a guard reports: about a rental, about a lease, or about a round of the guard itself. */
export interface GuardEvent {
  /**
   * - `ended`: the rental was terminated; `ending`: the rental is ending but has not ended yet
   * - `would-end`: only in a dry run: the guard would terminate the rental
   * - `had-ended`: the rental had ended before, so its lease is no longer needed
   * - `failed`: the rental should have ended, but may still be active and billed; or the command of `--notify` failed
   * - `ends-soon`: the lease will be over soon
   * - `no-lease`: the rental is active and has no lease
   * - `unclear`: it is not certain which rental, if any, a pending lease (one without a rental ID) is for
   * - `disputed`: the lease is over according to only one of two clocks
   * - `unchecked`: the lease ends when its process ends, and that process cannot be checked from here
   * - `unreadable`: lines of the lease file are damaged, or a job on this machine cannot be read
   * - `unlisted`: the active rentals could not be listed
   * - `round-failed`: the whole round failed, and the next one tries again
   */
  readonly event:
    | "ended"
    | "ending"
    | "would-end"
    | "had-ended"
    | "failed"
    | "ends-soon"
    | "no-lease"
    | "unclear"
    | "disputed"
    | "unchecked"
    | "unreadable"
    | "unlisted"
    | "round-failed";
  readonly rentalId?: string | undefined;
  readonly label?: string | undefined;
  /** The token of a lease. For `unreadable`, a path. */
  readonly token?: string | undefined;
  /** When the lease is over, in ISO 8601. */
  readonly endsAt?: string | undefined;
  readonly message: string;
  /** When the event was reported, in ISO 8601. */
  readonly time: string;
  /** The error with which a guard without `--every` fails. It is not printed as part of the event. */
  readonly error?: unknown;
}

/** An event as it is printed, and as it is passed to the command of `--notify`. */
export const eventRecord = ({ error: _, ...event }: GuardEvent): Readonly<Record<string, unknown>> =>
  withoutUndefined(event);

/**
 * One line for a log. Labels and messages come from the service, so a line break or a control sequence in them must not
 * look like another event.
 */
export const eventLine = ({ event, rentalId, label, message, time }: GuardEvent): string => {
  const name = [rentalId, rentalId !== undefined && label ? `(${label})` : label].filter(Boolean).join(" ");
  return [time, event, ...(name === "" ? [] : [oneLine(name, true)])]
    .join(" ")
    .concat(`: ${oneLine(message, true)}`);
};

export const guardView: ListView = {
  kind: "list",
  columns: [
    { title: "EVENT", paths: ["event"], whole: true },
    { title: "ID", paths: ["rentalId"] },
    { title: "LABEL", paths: ["label"] },
    { title: "LEASE ENDS", name: "endsAt", paths: ["endsAt"], format: "time" },
    { title: "MESSAGE", paths: ["message"] },
  ],
  empty: "No lease is over, and every active rental has a lease.",
  id: ["rentalId", "token"],
};

/** Events that stay true from round to round, so the command of `--notify` does not run for them in every round. */
const lasting: ReadonlySet<GuardEvent["event"]> = new Set([
  "ending",
  "ends-soon",
  "no-lease",
  "unclear",
  "disputed",
  "unchecked",
  "unreadable",
]);

/** Identifies a lasting event; undefined for any other event. The key changes if the end of the lease changes. */
export const lastingKey = ({ event, rentalId, token, endsAt }: GuardEvent): string | undefined =>
  lasting.has(event) ? [event, rentalId ?? token ?? "", endsAt ?? ""].join(" ") : undefined;

/** The timeout of the user's command, in milliseconds. */
const notifyTimeout = timeUnits[2].milliseconds;

/**
 * Runs the user's command line in a shell for an event. Passes the event as JSON on stdin and in environment variables,
 * so that text from the service is never part of the command line. Long texts are cut off in the variables. Returns an
 * error if the command fails.
 */
export async function notify(
  commandLine: string,
  event: GuardEvent,
  { programs }: Pick<Ports, "programs">,
): Promise<NotNotified | undefined> {
  const { rentalId = "", label = "", endsAt = "", message } = event;
  const variables = {
    GPUCTL_EVENT: event.event,
    GPUCTL_EVENT_RENTAL: rentalId,
    GPUCTL_EVENT_LABEL: label,
    GPUCTL_EVENT_ENDS_AT: endsAt,
    GPUCTL_EVENT_MESSAGE: message,
  };
  const env = Object.fromEntries(
    Object.entries(variables).map(([name, text]) => [name, shortened(withoutControls(text))]),
  );
  try {
    await programs.shell(commandLine, {
      input: `${JSON.stringify(eventRecord(event))}\n`,
      env,
      timeout: notifyTimeout,
    });
    return undefined;
  } catch (error) {
    const rental = rentalId === "" ? "" : ` of rental ${rentalId}`;
    const message = `the command of --notify failed for ${event.event}${rental}: ${reasonOf(error)}`;
    return new NotNotified(message, { cause: error });
  }
}

/**
 * The maximum length of a variable, in characters. A program does not start if a variable has 128 KiB or more on Linux,
 * or 32,767 characters or more on Windows.
 */
const maxVariable = 8_000;

/** Cuts off the end of a text that is too long for a variable. */
const shortened = (text: string): string =>
  text.length <= maxVariable ? text : `${text.slice(0, maxVariable - 1)}…`;

/** Replaces control characters, so that a variable is one line. A NUL character would be invalid in a variable. */
const withoutControls = (text: string): string => text.replace(/\p{Cc}+/gu, " ").trim();
