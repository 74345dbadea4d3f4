import { describe, expect, test } from "vitest";
import { optionCost } from "../../src/commands/rentals/cost.ts";
import { moneyOfCents } from "../../src/core/values/money.ts";
import type { Question } from "../../src/system/types.ts";
import { createCli, type Responder } from "../support/cli.ts";
import { description, descriptionPath } from "../support/described.ts";
import { overNetwork } from "../support/service.ts";

const vms = "/v2/on-demand/virtual-machine-rentals";
const machines = "/v2/on-demand/bare-metal-rentals";
const options = "/v2/on-demand/rental-options";
const history = "/v2/on-demand/rental-history";

const rental = {
  id: 7,
  gpuType: "h100",
  gpuCount: 2,
  termType: "on-demand",
  createdAt: "2026-11-01T00:00:00Z",
  currentTerm: { costPerHourCents: 374 },
};

/** Runs a create while these paths return these records. Returns the prompt, the request paths and the waits. */
async function promptFor(line: string, lists: Readonly<Record<string, unknown>>, status = 200) {
  const respond: Responder = ({ method, path }) =>
    method === "GET" && path !== "/v2/openapi.json"
      ? Response.json(lists[path] ?? [], { status })
      : undefined;
  const { run } = await createCli({ respond });
  const questions: string[] = [];
  const confirm = async ({ message }: Question) => {
    questions.push(message);
    return false;
  };
  const { code, requests, slept } = await run(`${line} --sandbox`, { terminal: 100, prompts: { confirm } });
  expect(code).toBe(130);
  return { question: questions.join("\n"), paths: requests.map(({ path }) => path), slept };
}

const vm = "rentals create vm --gpus 4 --gpu h100";
const unknown = "The price is not known in advance.";

describe("before a create, the estimated cost is shown", () => {
  const option = {
    machineType: "virtual-machine",
    gpuType: "h100",
    gpuCount: 2,
    region: "us-central-1",
    connectionType: "ethernet",
    costPerHourCents: 430,
  };

  test("from the service's rental options, without a request for rentals", async () => {
    const { question, paths } = await promptFor(vm, { [options]: [option], [vms]: [rental] });
    expect(question).toContain("It will cost about $8.60 an hour, based on the service's rental options.");
    expect(paths).toEqual(["/v2/openapi.json", options]);
  });

  test("from more rental options than a function call can have arguments", () => {
    const many = Array.from({ length: 200_000 }, () => option);
    const place = { region: "us-central-1", networkType: "ethernet", termType: "on-demand" };
    const wanted = { type: "virtual-machine", gpuType: "h100", gpuCount: 4, ...place } as const;
    expect(optionCost(many, wanted)).toBe(moneyOfCents(860));
  });

  test.each([
    ["they are of another kind", vm, [{ ...option, machineType: "bare-metal" }]],
    ["they are in another region", `${vm} --region us-east-1`, [option]],
    ["the term is reserved", `${vm} --term-type reserved`, [option]],
    ["the response is not a list", vm, { message: "none" }],
  ])("but not from rental options when %s", async (_why, line, option) => {
    const { question } = await promptFor(line, { [options]: option });
    expect(question).toContain(unknown);
  });

  test("and a service without the operation for rental options gets no request for them", async () => {
    const { run } = await createCli({
      negotiates: true,
      respond: ({ path }) =>
        Response.json(path === descriptionPath ? description({}) : path === vms ? [rental] : []),
    });
    const questions: string[] = [];
    const confirm = async ({ message }: Question) => {
      questions.push(message);
      return false;
    };
    const { requests } = await run(vm, { ...overNetwork(), terminal: 100, prompts: { confirm } });
    expect(questions.join()).toContain("based on the cost of rental 7");
    expect(requests.map(({ path }) => path)).toEqual([descriptionPath, vms]);
  });

  test("from the newest active rental of the same kind", async () => {
    const older = {
      ...rental,
      id: 6,
      createdAt: "2026-10-01 00:00:00.000+00",
      currentTerm: { costPerHourCents: 1 },
    };
    const { question, paths } = await promptFor(vm, { [vms]: [older, rental, { ...older, id: 5 }] });
    expect(question).toContain(
      "It will cost about $7.48 an hour, based on the cost of rental 7. It is billed until it ends.",
    );
    expect(paths).toEqual(["/v2/openapi.json", options, vms]);
  });

  test("from an ended rental, if no rental of the kind is active", async () => {
    const active = { ...rental, gpuType: "h200" };
    const { question } = await promptFor(vm, { [vms]: [active], [history]: { items: [rental] } });
    expect(question).toContain("about $7.48 an hour, based on the cost of rental 7");
  });

  test("for bare metal, from bare-metal rentals", async () => {
    const line = "rentals create bare-metal --gpus 8 --gpu H100 --network-type ethernet --no-validate";
    const { question, paths } = await promptFor(line, { [machines]: [rental] });
    expect(question).toContain("about $14.96 an hour");
    expect(paths).toEqual(["/v2/openapi.json", options, machines]);
  });

  test.each([
    ["nothing is known", {}],
    [
      "the type of the term differs",
      { [vms]: [{ ...rental, termType: "reserved", currentTerm: { costPerHourCents: 1 } }] },
    ],
    ["the cost is missing", { [vms]: [{ ...rental, currentTerm: null }] }],
    ["the number of GPUs is missing", { [vms]: [{ ...rental, gpuCount: null }] }],
    ["the number of GPUs is a fraction", { [vms]: [{ ...rental, gpuCount: 1e-30 }] }],
    ["the list of rentals contains no records", { [vms]: [null, 7, "x"] }],
  ])("but not when %s", async (_why, lists) => {
    expect((await promptFor(vm, lists)).question).toContain(unknown);
  });

  test("and a lookup that fails is not retried and does not stop the create", async () => {
    const { question, slept } = await promptFor(vm, {}, 503);
    expect(question).toContain(unknown);
    expect(slept).toEqual([]);
  });

  test.each(["--yes", "--dry-run", "--no-input"])(
    "but not with %s, which needs no prompt and so no lookups",
    async (flag) => {
      const { run } = await createCli();
      const { requests } = await run(`${vm} ${flag} --sandbox`, { terminal: 100 });
      const lookups = requests.filter(({ path }) => [options, history].includes(path));
      expect(lookups).toEqual([]);
    },
  );
});
