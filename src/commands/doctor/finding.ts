import type { Call } from "../../client/call.ts";
import type { Context, Installation, Ports } from "../../command-kit/context.ts";

/** The result of a check. */
export interface Finding {
  readonly status: "ok" | "warning" | "failure";
  readonly message: string;
  /** What the user can do about a problem. */
  readonly advice?: string;
}

export const ok = (message: string): Finding => ({ status: "ok", message });
export const warning = (message: string, advice: string): Finding => ({ status: "warning", message, advice });
export const failure = (message: string, advice: string): Finding => ({ status: "failure", message, advice });

/** What every check gets. */
export interface CheckInput
  extends Installation,
    Pick<Context, "settings" | "now">,
    Pick<Ports, "completionScript"> {
  /** A read without retries and with a short time limit. */
  readonly read: Call;
  /** Probes the host of the base URL. Later calls return the first result. */
  readonly host: () => ReturnType<Installation["probe"]>;
}

export type Check = (input: CheckInput) => Promise<Finding> | Finding;
