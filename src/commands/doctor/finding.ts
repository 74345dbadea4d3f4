import type { Call } from "../../client/call.ts";
import type { Context, Installation } from "../../context/context.ts";

/** What a check found. */
export interface Finding {
  readonly status: "ok" | "warning" | "failure";
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** A finding, and the name of its check. */
export interface Checked extends Finding {
  readonly check: string;
}

export const ok = (message: string): Finding => ({ status: "ok", message });
export const warning = (message: string, advice: string): Finding => ({ status: "warning", message, advice });
export const failure = (message: string, advice: string): Finding => ({ status: "failure", message, advice });

/** What the checks look at. What asks the network is asked once for all of them. */
export interface Examined extends Installation {
  readonly settings: Context["settings"];
  readonly now: Context["now"];
  readonly completionScript: Context["completionScript"];
  /** A read that is neither tried again nor waited for long. */
  readonly ask: Call;
  /** The service's description. */
  readonly description: () => Promise<unknown>;
  /** What the host of the base URL shows of itself. */
  readonly host: () => ReturnType<Installation["knock"]>;
}

export type Check = (examined: Examined) => Promise<Finding> | Finding;

/** A check of the service: there is none in the sandbox, without a base URL, or when nothing may be sent. */
export const remote =
  (check: (examined: Examined, baseUrl: string) => Promise<Finding> | Finding): Check =>
  (examined) => {
    const { sandbox, dryRun, baseUrl } = examined.settings;
    if (sandbox) return ok("the sandbox needs none");
    if (dryRun) return ok("skipped: this is a dry run");
    if (baseUrl === undefined) return ok("skipped: there is no base URL");
    return check(examined, baseUrl);
  };
