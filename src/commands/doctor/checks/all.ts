import type { Check } from "../finding.ts";
import { baseUrl } from "./base-url.ts";
import { clock } from "./clock.ts";
import { completions } from "./completions.ts";
import { config } from "./config.ts";
import { description } from "./description.ts";
import { key } from "./key.ts";
import { node } from "./node.ts";
import { player, ssh } from "./programs.ts";
import { proxy } from "./proxy.ts";
import { sandbox } from "./sandbox.ts";
import { state } from "./state.ts";
import { terminal } from "./terminal.ts";
import { tls } from "./tls.ts";

/** Everything that is looked at, in the order in which it is told. */
export const checks: Readonly<Record<string, Check>> = {
  node,
  configuration: config,
  "state folder": state,
  "base URL": baseUrl,
  proxy,
  TLS: tls,
  clock,
  description,
  key,
  terminal,
  sandbox,
  player,
  ssh,
  completions,
};
