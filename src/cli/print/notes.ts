import type { Exchange } from "../../client/fetch.ts";
import type { Context } from "../../command-kit/context.ts";
import type { Settings } from "../../config/settings.ts";
import { ignoredFieldsHeader } from "../../core/sandbox.ts";
import { isMachineFormat } from "../../core/view.ts";
import { oneLine } from "../../output/text.ts";
import type { Sink } from "../../system/types.ts";
import { withServiceFlags } from "./service-flags.ts";

/** Messages on stderr. */
export interface Notes {
  /**
   * Prints a line on stderr at once. With a machine format, prints the line after the result instead, or drops it if
   * the run fails. With `--quiet`, never prints it. Line breaks and tabs become spaces, and suggested commands get the
   * flags that select the service. If `asTyped` is true, prints the line unchanged, because the user typed it.
   */
  readonly say: (line: string, options?: { readonly asTyped: boolean }) => void;
  /**
   * Sets a line to print between the error and its hint if the run fails: what was done before the failure, such as
   * saved files.
   */
  readonly setFailureContext: Context["setFailureContext"];
  readonly failureContext: () => string | undefined;
  /** The line to print if the reader of stdout has closed the pipe. It says, for example, that a rental was created. */
  readonly unreadContext: () => string | undefined;
  /**
   * With `--debug`, shows a request and the status of its response. Warns about the Deprecation and Sunset headers of
   * the response, once for each pair of values, and about fields that an engine of the sandbox ignored.
   */
  readonly response: (exchange: Exchange, now: number) => void;
  /**
   * With a machine format, the lines to print after the result. They are dropped if the run fails, so that the error is
   * the only document on stderr.
   */
  readonly held: readonly string[];
}

export function createNotes(
  { quiet, output, debug }: Pick<Settings, "quiet" | "output" | "debug">,
  stderr: Sink,
  serviceFlags: readonly string[] = [],
): Notes {
  const held: string[] = [];
  let failureContext: string | undefined;
  let unreadContext: string | undefined;
  const say: Notes["say"] = (line, { asTyped } = { asTyped: false }) => {
    if (quiet) return;
    const shown = asTyped ? line : oneLine(withServiceFlags(line, serviceFlags), false);
    if (isMachineFormat(output)) held.push(shown);
    else void stderr.write(`${shown}\n`);
  };
  const warned = new Set<string>();
  return {
    say,
    held,
    failureContext: () => failureContext,
    unreadContext: () => unreadContext,
    setFailureContext: (line, { evenIfUnread } = { evenIfUnread: false }) => {
      failureContext = line;
      if (evenIfUnread) unreadContext = line;
    },
    response: ({ method, url, body, status, milliseconds, header }, now) => {
      if (debug) {
        const end = `${status ?? "no response"} in ${Math.round(milliseconds)} ms`;
        const sent = body === undefined ? "" : `  sent: ${shortened(body)}\n`;
        void stderr.write(`${method} ${url} -> ${end}\n${sent}`);
      }
      const ignored = printable(header(ignoredFieldsHeader) ?? "");
      if (ignored !== "" && !warned.has(ignored)) {
        warned.add(ignored);
        say(`The sandbox's engine ignored these fields: ${ignored}.`);
      }
      const sunset = header("sunset");
      const deprecation = header("deprecation");
      const headersKey = `${deprecation} ${sunset}`;
      if ((sunset === null && deprecation === null) || warned.has(headersKey)) return;
      warned.add(headersKey);
      const end = sunset === null ? "" : `; ${sunsetText(sunset, now)}`;
      say(`${new URL(url).pathname} is deprecated${since(deprecation)}${end}.`);
    },
  };
}

/** Shortens a request body, which may hold whole pictures. */
const shortened = (text: string): string =>
  text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text;

/** A text such as ` since 2026-01-31`; empty if the Deprecation header has no date. */
function since(deprecation: string | null): string {
  const date = dateOf(deprecation ?? "");
  return date ? ` since ${day(date)}` : "";
}

function sunsetText(sunset: string, now: number): string {
  const date = dateOf(sunset);
  if (date && date.getTime() <= now) {
    return `its sunset date (${day(date)}) has passed, so it may stop working at any time`;
  }
  if (date) return `it stops working on ${day(date)}`;
  const text = printable(sunset);
  return text === "" ? "it will stop working (no date given)" : `it will stop working: ${text}`;
}

/** The text of a header, shortened to one line that is safe for a terminal. */
const printable = (text: string): string => {
  const plain = text.replace(/[^ -~]/g, "").trim();
  return plain.length > 60 ? `${plain.slice(0, 60)}…` : plain;
};

/** Parses a date with a year, or `@` and seconds since the epoch. Returns undefined for any other text. */
function dateOf(text: string): Date | undefined {
  const seconds = /^@(-?\d+)$/.exec(text.trim())?.[1];
  const date = seconds === undefined ? new Date(text) : new Date(Number(seconds) * 1000);
  const hasYear = /\d{4}/.test(text) || seconds !== undefined;
  return hasYear && date.getTime() <= maxDate ? date : undefined;
}

/** No real date lies after the year 9999. */
const maxDate = Date.UTC(9999, 11, 31);

const day = (date: Date): string => date.toISOString().slice(0, 10);
