import * as z from "zod";
import { check } from "../../contract/check/check.ts";
import { dateTime } from "../../contract/shared.ts";
import { isRecord } from "../../core/json.ts";
import { engineKinds, scenarios, servedControls } from "../../core/sandbox.ts";
import { scriptedReply } from "../chat-script/format.ts";
import { hourMs, secondMs } from "../clock.ts";
import { ApiError, ControlRefused, issuesFor } from "../errors.ts";
import { faultInput } from "../faults/table.ts";
import { keys } from "../keys.ts";
import type { RecentMedia } from "../page/recent-media.ts";
import { parseBody } from "../read-input.ts";
import { bootRuleInput } from "../rentals/boots.ts";
import { expectationInput, filterInput, listInput } from "../requests/control.ts";
import { seedDocument } from "../seed/read.ts";
import { situationInput } from "../situations/table.ts";
import { engineInput } from "../tables/engines.ts";
import type { SandboxControls } from "./controls.ts";
import { cleared, count, expectation, id, requestCount } from "./responses.ts";
import { snapshotDocument } from "./snapshot.ts";

/** A request to a control. */
export interface ControlCall {
  readonly sandbox: SandboxControls;
  readonly recent: RecentMedia;
  /** Whether the request came from the user of this process, or from root. */
  readonly isOwner: () => Promise<boolean>;
  /** The last segment of the path, if it is variable. */
  readonly last: string;
  /** The filter in the query. */
  readonly filter: () => object;
  readonly text: () => Promise<string>;
}

/** A control of a served sandbox: its route, and what the OpenAPI description of the controls says about it. */
export interface Control {
  readonly method: "GET" | "POST" | "DELETE";
  /** The path below `/_sandbox`. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** The words of the command with the same effect. */
  readonly command?: string;
  /** The fields that the query may have. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** A body that the control accepts in a new sandbox. */
  readonly example?: unknown;
  /** Whether the whole state is replaced. */
  readonly replacesState?: true;
  /** Whether the body may also be YAML. */
  readonly isDocument?: boolean;
  /** The JSON of the response; undefined for other content. */
  readonly output: z.ZodType | undefined;
  readonly run: (call: ControlCall) => unknown;
}

const amount = z.number().min(0).optional();
const span = z.strictObject({ days: amount, hours: amount, minutes: amount, seconds: amount });
const moment = z.strictObject({ time: dateTime("The new time") });
const scenarioInput = z.strictObject({ name: z.string() });
const knownScenario = z.strictObject({ name: z.enum(Object.keys(scenarios)) });

const time = z.iso.datetime();
const limit = count.nullable();
const clockState = z.strictObject({ now: time, frozen: z.boolean(), offsetMs: z.number().nullable() });
const engineUrl = z.string().nullable();
const status = z.strictObject({
  file: z.string(),
  now: time,
  frozen: z.boolean(),
  balanceCents: z.int(),
  rentals: z.strictObject({ active: count, ended: count }),
  volumes: count,
  userExists: z.boolean(),
  faults: count,
  engines: z.strictObject({ chat: engineUrl, image: engineUrl, audio: engineUrl }),
});
const fault = z.looseObject({ id, operation: z.string(), effect: z.string(), times: limit, left: limit });
const bootRule = z.looseObject({ id, outcome: bootRuleInput.shape.outcome, times: limit, left: limit });
const situation = z.looseObject({ id, kind: z.string(), effect: z.string(), affected: count });
const scenarioPart = z.strictObject({
  control: z.enum(["situation", "boot", "fault"]),
  id,
  effect: z.string(),
});
const engine = z.looseObject({ kind: z.enum(engineKinds), url: z.string(), model: z.string().nullable() });
const reply = z.looseObject({ index: count, when: z.string(), sends: z.string(), times: limit, used: count });
const request = z.looseObject({
  number: id,
  time,
  method: z.string(),
  path: z.string(),
  operation: z.string().nullable(),
  status: z.int().nullable(),
});

/** The controls of records with IDs: list, add, and remove all or one. */
const numbered = (
  name: "fault" | "boot" | "situation",
  what: string,
  { body, example, output }: Required<Pick<Control, "body" | "example">> & { readonly output: z.ZodType },
): Readonly<Record<string, Control>> => {
  const path = `/${name}s` as const;
  const plural = `${name}s` as const;
  const removal = { method: "DELETE", command: `sandbox ${name} clear`, output: cleared } as const;
  return {
    [plural]: {
      method: "GET",
      path,
      summary: `List the ${what}s`,
      command: `sandbox ${name} list`,
      output: z.array(output),
      run: ({ sandbox }) => sandbox[plural].list(),
    },
    [name]: {
      method: "POST",
      path,
      summary: `Add a ${what}`,
      command: `sandbox ${name} add`,
      body,
      example,
      output,
      run: async ({ sandbox, text }) => sandbox[plural].add(parseBody(await text())),
    },
    [`clear${capitalized(plural)}`]: {
      ...removal,
      path,
      summary: `Remove all ${what}s`,
      run: ({ sandbox }) => ({ cleared: sandbox[plural].clear() }),
    },
    [`clear${capitalized(name)}`]: {
      ...removal,
      path: `${path}/{id}`,
      summary: `Remove a ${what}`,
      run: ({ sandbox, last }) => {
        const removed = sandbox[plural].clear(Number(last));
        if (removed === 0) throw new ApiError("NOT_FOUND");
        return { cleared: removed };
      },
    },
  };
};

const capitalized = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

/** The controls by operation ID. Most have the name of the library's method with the same effect. */
export const controls = {
  health: {
    method: "GET",
    path: "/health",
    summary: "Check that the sandbox is served and that its state can be read",
    output: z.strictObject({ gpuctlSandbox: z.literal(servedControls.health.gpuctlSandbox) }),
    run: ({ sandbox }) => {
      sandbox.clock.show();
      return servedControls.health;
    },
  },
  keys: {
    method: "GET",
    path: "/keys",
    summary: "Show the built-in keys",
    command: "sandbox keys",
    output: z.strictObject({ full: z.string(), readOnly: z.string() }),
    run: () => keys,
  },
  limits: {
    method: "GET",
    path: "/limits",
    summary: "List the sandbox's assumptions",
    command: "sandbox limits",
    output: z.array(z.strictObject({ id: z.string(), text: z.string() })),
    run: async () => (await import("../limits.ts")).sandboxLimits,
  },
  status: {
    method: "GET",
    path: "/status",
    summary: "Show what the sandbox contains",
    command: "sandbox status",
    output: status,
    run: ({ sandbox }) => sandbox.status(),
  },
  clock: {
    method: "GET",
    path: "/clock",
    summary: "Show the clock",
    command: "sandbox clock show",
    output: clockState,
    run: ({ sandbox }) => sandbox.clock.show(),
  },
  freeze: {
    method: "POST",
    path: "/clock/freeze",
    summary: "Stop the clock",
    command: "sandbox clock freeze",
    output: clockState,
    run: ({ sandbox }) => sandbox.clock.freeze(),
  },
  resume: {
    method: "POST",
    path: "/clock/resume",
    summary: "Let a frozen clock run again",
    command: "sandbox clock resume",
    output: clockState,
    run: ({ sandbox }) => sandbox.clock.resume(),
  },
  advance: {
    method: "POST",
    path: "/clock/advance",
    summary: "Move the clock forward",
    command: "sandbox clock advance",
    body: span,
    example: { hours: 1 },
    output: clockState,
    run: async ({ sandbox, text }) => {
      const given = checked(span, await text());
      if (Object.keys(given).length === 0) throw new ControlRefused([], noDuration);
      return sandbox.clock.advance(milliseconds(given));
    },
  },
  set: {
    method: "POST",
    path: "/clock/set",
    summary: "Move the clock forward to a time",
    command: "sandbox clock set",
    body: moment,
    example: { time: "2030-01-01T00:00:00Z" },
    output: clockState,
    run: async ({ sandbox, text }) => sandbox.clock.set(Date.parse(checked(moment, await text()).time)),
  },
  ...numbered("fault", "fault", {
    body: faultInput,
    example: { operation: "createVirtualMachineRental", status: 503 },
    output: fault,
  }),
  ...numbered("boot", "boot rule", {
    body: bootRuleInput,
    example: { outcome: "slow", afterSeconds: 300 },
    output: bootRule,
  }),
  ...numbered("situation", "situation", {
    body: situationInput,
    example: { kind: "capacity", gpuType: "h100", regions: ["us-central-1"] },
    output: situation,
  }),
  scenario: {
    method: "POST",
    path: "/scenario",
    summary: "Replace the situations, boot rules and faults with those of a scenario",
    command: "sandbox scenario",
    body: knownScenario,
    example: { name: "capacity-crunch" },
    output: z.array(scenarioPart),
    run: async ({ sandbox, text }) => sandbox.scenario(checked(scenarioInput, await text()).name),
  },
  engines: {
    method: "GET",
    path: "/engines",
    summary: "List the engines",
    command: "sandbox engine list",
    output: z.array(engine),
    run: ({ sandbox }) => sandbox.engines.list(),
  },
  engine: {
    method: "POST",
    path: "/engines",
    summary: "Generate with an inference server of your own",
    command: "sandbox engine set",
    body: engineInput,
    example: { kind: "chat", url: "http://127.0.0.1:11434/v1" },
    output: engine,
    run: async ({ sandbox, text, isOwner }) => {
      const given = parseBody(await text());
      // `apiKeyEnv` names a variable of the user who serves the sandbox. No one else may have its value sent to an
      // engine of their choice.
      if (isRecord(given) && given.apiKeyEnv !== undefined && !(await isOwner())) {
        throw new ControlRefused([{ path: ["apiKeyEnv"], message: notOwner }]);
      }
      return sandbox.engines.set(given);
    },
  },
  clearEngines: {
    method: "DELETE",
    path: "/engines",
    summary: "Remove all engines",
    command: "sandbox engine clear",
    output: cleared,
    run: ({ sandbox }) => ({ cleared: sandbox.engines.clear() }),
  },
  clearEngine: {
    method: "DELETE",
    path: "/engines/{kind}",
    summary: "Remove the engine of a kind",
    command: "sandbox engine clear",
    output: cleared,
    run: ({ sandbox, last }) => ({ cleared: sandbox.engines.clear(last) }),
  },
  chatScript: {
    method: "GET",
    path: "/chat/script",
    summary: "Show the chat script",
    command: "sandbox chat script show",
    output: z.array(reply),
    run: ({ sandbox }) => sandbox.chatScript.show(),
  },
  setChatScript: {
    method: "POST",
    path: "/chat/script",
    summary: "Replace the chat script",
    command: "sandbox chat script",
    body: z.array(scriptedReply).min(1),
    example: [{ when: { message: "weather" }, text: "It is sunny." }],
    isDocument: true,
    output: z.array(reply),
    run: async ({ sandbox, text }) => sandbox.chatScript.load(await text()),
  },
  clearChatScript: {
    method: "DELETE",
    path: "/chat/script",
    summary: "Remove the chat script",
    command: "sandbox chat script clear",
    output: cleared,
    run: ({ sandbox }) => ({ cleared: sandbox.chatScript.clear() }),
  },
  seed: {
    method: "POST",
    path: "/seed",
    summary: "Replace the state with a seed",
    command: "sandbox seed",
    body: seedDocument,
    example: {
      balanceCents: 50_000,
      rentals: [{ rentalType: "virtual-machine", gpuCount: 1, label: "training" }],
    },
    replacesState: true,
    isDocument: true,
    output: status,
    run: async ({ sandbox, text }) => {
      await sandbox.seed(await text());
      return sandbox.status();
    },
  },
  snapshot: {
    method: "GET",
    path: "/snapshot",
    summary: "Return the whole state",
    command: "sandbox snapshot",
    output: snapshotDocument,
    run: ({ sandbox }) => sandbox.snapshot(),
  },
  restore: {
    method: "POST",
    path: "/restore",
    summary: "Replace the state with a snapshot",
    command: "sandbox restore",
    body: snapshotDocument,
    replacesState: true,
    output: status,
    run: async ({ sandbox, text }) => {
      sandbox.restore(await text());
      return sandbox.status();
    },
  },
  reset: {
    method: "POST",
    path: "/reset",
    summary: "Restore the state that the sandbox started with",
    command: "sandbox reset",
    replacesState: true,
    output: status,
    run: ({ sandbox }) => {
      sandbox.reset();
      return sandbox.status();
    },
  },
  requests: {
    method: "GET",
    path: "/requests",
    summary: "List the last requests to the service",
    command: "sandbox requests",
    query: listInput,
    output: z.array(request),
    run: ({ sandbox, filter }) => sandbox.requests.list(filter()),
  },
  countRequests: {
    method: "GET",
    path: "/requests/count",
    summary: "Count requests",
    command: "sandbox requests",
    query: filterInput,
    output: requestCount,
    run: ({ sandbox, filter }) => ({ count: sandbox.requests.count(filter()) }),
  },
  clearRequests: {
    method: "DELETE",
    path: "/requests",
    summary: "Remove requests from the log",
    command: "sandbox requests clear",
    query: filterInput,
    output: cleared,
    run: ({ sandbox, filter }) => ({ cleared: sandbox.requests.clear(filter()) }),
  },
  expectRequests: {
    method: "POST",
    path: "/requests/expect",
    summary: "Check how many requests match",
    command: "sandbox requests expect",
    body: expectationInput,
    example: { operation: "createVirtualMachineRental", atLeast: 1 },
    output: expectation,
    run: async ({ sandbox, text }) => sandbox.requests.expect(parseBody(await text())),
  },
  media: {
    method: "GET",
    path: "/media/{id}",
    summary: "Return one of the last generated pictures or speech files",
    output: undefined,
    run: async ({ recent, last }) => {
      const found = await recent.find(Number(last));
      if (found === undefined) throw new ApiError("NOT_FOUND");
      const headers = { "Content-Type": found.type, "X-Content-Type-Options": "nosniff" };
      return new Response(found.bytes, { headers });
    },
  },
} satisfies Readonly<Record<string, Control>>;

const notOwner =
  "can be set over HTTP only by the user who serves the sandbox, and only on Linux. Otherwise, set the engine before you serve the sandbox";

const noDuration = `the body must have at least one of ${Object.keys(span.shape).join(", ")}`;

function checked<Shape extends z.ZodObject>(input: Shape, text: string): z.output<Shape> {
  const result = check({ input }, parseBody(text));
  if (!result.ok) throw new ControlRefused(issuesFor("this request", result.issues));
  return result.value;
}

const milliseconds = ({ days = 0, hours = 0, minutes = 0, seconds = 0 }: z.output<typeof span>): number =>
  Math.round((days * 24 + hours) * hourMs + (minutes * 60 + seconds) * secondMs);
