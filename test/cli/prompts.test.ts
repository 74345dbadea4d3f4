import { describe, expect, test } from "vitest";
import { Interrupted } from "../../src/core/errors.ts";
import type { Prompts, Question } from "../../src/system/types.ts";
import { createCli, type Responder, type SeenRequest } from "../support/cli.ts";
import { serviceUrl } from "../support/service.ts";

/** Prompts that give these answers in order and record the questions. */
function answering(...answers: string[]) {
  const asked: Question[] = [];
  const next = async (question: Question) => {
    asked.push(question);
    return answers.shift() ?? "";
  };
  const prompts: Partial<Prompts> = { text: next, choose: next, secret: next, confirm: async () => true };
  return { asked, prompts };
}

/** A service that does not list its rental options. */
const withoutOptions: Responder = ({ path }) =>
  path.endsWith("/rental-options") ? Response.json({ message: "Not found" }, { status: 404 }) : undefined;

/** Requests that change something; price lookups are GET requests. */
const writesIn = (requests: readonly SeenRequest[]) => requests.filter(({ method }) => method !== "GET");

describe("a missing value", () => {
  test("is prompted for on a terminal, and gpuctl shows the command line that needs no prompts", async () => {
    const { run } = await createCli({ respond: withoutOptions });
    const { asked, prompts } = answering("infiniband", "8");
    const { code, requests, err } = await run('rentals create bare-metal --label "my box" --sandbox -o id', {
      terminal: 100,
      prompts,
    });
    expect(code).toBe(0);
    expect(asked.map(({ message }) => message)).toEqual([
      "Network between the machines (--network-type)",
      "Number of GPUs, 8 per machine, at least 8, a multiple of 8 (--gpu-count)",
    ]);
    expect(requests.at(-1)?.body).toEqual({ networkType: "infiniband", gpuCount: 8, label: "my box" });
    expect(err).toContain(
      "gpuctl rentals create bare-metal --label 'my box' --sandbox -o id --network-type infiniband --gpu-count 8 --yes\n",
    );
  });

  test("is checked at the prompt against the limits of its flag", async () => {
    const { run } = await createCli({ respond: withoutOptions });
    const { asked, prompts } = answering("infiniband", "8");
    await run("rentals create bare-metal --sandbox", { terminal: 100, prompts });
    const validate = asked[1]?.validate ?? (() => "there is no validation");
    expect(validate("")).toBe("A value is required");
    expect(validate("many")).toContain("must be a number");
    expect(validate("12")).toBe("--gpu-count must be a multiple of 8");
    expect(validate("0")).toBe("--gpu-count must be at least 1");
    expect(validate("16")).toBeUndefined();
  });

  test("is prompted for, and the prompt describes its pattern in words", async () => {
    const { run } = await createCli();
    const { asked, prompts } = answering("us-central-1", "data", "256");
    await run("volumes create --sandbox", { terminal: 100, prompts });
    expect(asked[1]?.message).toBe(
      "Name of the volume: letters, digits, underscores and dashes, 4 to 255 characters (--label)",
    );
  });

  test("of an argument is checked and parsed like a value on the command line", async () => {
    const { run } = await createCli();
    await run("rentals create vm --gpus 1 --lease 1h --sandbox --yes");
    const { asked, prompts } = answering("2h");
    const { code, out, err } = await run("rentals lease extend 1001 --sandbox", { terminal: 100, prompts });
    expect(code, err).toBe(0);
    expect(out).toMatch(/ENDS:\S* +in 3h$/m);
    expect(err).toContain("gpuctl rentals lease extend 1001 --sandbox 2h\n");
    const validate = asked[0]?.validate ?? (() => "there is no validation");
    expect(validate("90")).toContain("DURATION must be a duration such as");
    expect(validate("90m")).toBeUndefined();
  });

  test("that is a command line runs in a shell if it has several words", async () => {
    const { run } = await createCli();
    const line = "rentals run --gpus 1 --sandbox --dry-run";
    const whole = await run(line, { terminal: 100, ...answering("python3 train.py --epochs 3") });
    expect(whole.err).toContain("run sh -c 'python3 train.py --epochs 3'");
    expect(whole.err).toContain("--dry-run -- sh -c 'python3 train.py --epochs 3'");
    const word = await run(line, { terminal: 100, ...answering("nvidia-smi") });
    expect(word.err).toContain("run nvidia-smi;");
  });

  test("is prompted for even if it is an argument", async () => {
    const { run } = await createCli();
    const get = answering("4711");
    expect(await run("rentals get --sandbox", { terminal: 80, ...get })).toMatchObject({ code: 5 });
    const attach = answering("501", "1001, 1002");
    const { requests } = await run("volumes attach --sandbox", { terminal: 80, ...attach });
    expect(requests.at(-1)?.body).toEqual({ storageVolumeId: 501, rentalIds: [1001, 1002] });
  });

  test("is prompted for if it is the chat model and the settings have none", async () => {
    const { run } = await createCli({
      respond: () => Response.json({ choices: [{ message: { content: "hi" } }] }),
    });
    const { asked, prompts } = answering("llama");
    const env = { GPUCTL_API_KEY: "k", GPUCTL_BASE_URL: "https://api.example.com" };
    const { requests } = await run("chat Hello -o json", { terminal: 80, prompts, env });
    expect(asked.map(({ message }) => message)).toEqual(["Chat model (--model)"]);
    expect(writesIn(requests)[0]?.body).toMatchObject({ model: "llama" });
    expect(await run("chat Hello", { env })).toMatchObject({ code: 2, requests: [] });
  });

  test("is not accepted empty if it is the model of a new session, and the note names the flag", async () => {
    const { run } = await createCli({
      respond: ({ path }) =>
        path === "/v2/openapi.json"
          ? new Response("", { status: 404 })
          : Response.json({ choices: [{ message: { content: "hi" } }] }),
    });
    const problems: (string | undefined)[] = [];
    const text: Prompts["text"] = async ({ validate }) => {
      problems.push(validate?.(" "), validate?.("llama"));
      return "llama";
    };
    const env = { GPUCTL_API_KEY: "k", GPUCTL_BASE_URL: "https://api.example.com" };
    const { requests, err } = await run("chat Hello --session s", { terminal: 80, prompts: { text }, env });
    expect(problems).toEqual(["A value is required", undefined]);
    expect(writesIn(requests)[0]?.body).toMatchObject({ model: "llama" });
    expect(err).toContain("To run this again without prompts, add: --model llama");
  });

  const unasked: readonly [string, Record<string, string>, number | undefined][] = [
    ["", {}, undefined],
    ["--no-input", {}, 80],
    ["", { GPUCTL_NO_INPUT: "1" }, 80],
    ["", { CI: "true" }, 80],
  ];

  test.each(unasked)(
    "is reported together with all other missing values when not running interactively (%s %j)",
    async (flag, env, terminal) => {
      const { run } = await createCli();
      const line = `rentals create bare-metal ${flag} --sandbox`;
      const outcome = await run(line, { env, ...(terminal && { terminal }) });
      expect(outcome).toMatchObject({ code: 2, out: "", requests: [] });
      expect(outcome.err).toContain("missing required input: --network-type, --gpu-count");
      expect(outcome.err).toContain("one of infiniband, ethernet");
    },
  );

  test.each(["", "0", "false", "FALSE"])("is prompted for if CI is %j", async (CI) => {
    const { run } = await createCli({ respond: withoutOptions });
    const { asked, prompts } = answering("infiniband");
    await run("rentals create bare-metal --gpu-count 8 --sandbox", { terminal: 80, prompts, env: { CI } });
    expect(asked).not.toEqual([]);
  });

  test("leads to exit code 130 and no change after Ctrl-C at a prompt", async () => {
    const { run } = await createCli({ respond: withoutOptions });
    const interrupted = async () => {
      throw new Interrupted();
    };
    for (const prompts of [
      { choose: interrupted },
      { ...answering("infiniband", "8").prompts, text: interrupted },
      { ...answering("infiniband", "8").prompts, confirm: interrupted },
    ]) {
      const { code, out, requests } = await run("rentals create bare-metal --sandbox", {
        terminal: 80,
        prompts,
      });
      expect({ code, out, sent: writesIn(requests) }).toEqual({ code: 130, out: "", sent: [] });
    }
  });
});

describe("a confirmation", () => {
  const vm = "rentals create vm --gpus 2 --gpu h200 --region eu-north-4 --sandbox";
  const answeringConfirm = (answer: boolean) => {
    const asked: string[] = [];
    const confirm = async ({ message }: Question) => {
      asked.push(message);
      return answer;
    };
    const text = async ({ message }: Question) => {
      asked.push(message);
      return answer ? "default" : "no";
    };
    return { asked, prompts: { confirm, text } };
  };

  test("is asked for on a terminal before gpuctl spends money, and says what is rented", async () => {
    const { run } = await createCli();
    const { asked, prompts } = answeringConfirm(true);
    expect(await run(vm, { terminal: 80, prompts })).toMatchObject({ code: 0 });
    expect(asked).toEqual([
      "Rent a virtual machine with 2 x h200 in eu-north-4 (on-demand)? It will cost about $5.20 an hour, based on the service's rental options. It is billed until it ends. (Sandbox: no real resources are affected.)",
    ]);
  });

  test.each([
    ["no base URL is set", {}],
    ["no API key", { GPUCTL_BASE_URL: serviceUrl }],
    ["plain http", { GPUCTL_BASE_URL: "http://gpu.example", GPUCTL_API_KEY: "k" }],
  ])("is not asked for if nothing can be sent: %s", async (problem, env) => {
    const { run } = await createCli();
    const { asked, prompts } = answeringConfirm(true);
    for (const line of [
      vm,
      "rentals run --gpus 1 -- true",
      "reserve convert 1001 --days 30 --expected-price 12",
    ]) {
      const { code, err } = await run(line.replace(" --sandbox", ""), { terminal: 80, prompts, env });
      expect({ asked, isFailure: code !== 0 }, err).toEqual({ asked: [], isFailure: true });
      expect(err).toContain(problem);
    }
  });

  const confirmed = [
    vm.replace(" --sandbox", ""),
    "rentals terminate 1001",
    "reserve convert 1001 --days 30 --expected-price 12",
    "user delete",
    "api call deleteSshKey -F id=1",
    "api call DELETE /v2/anything",
  ];

  test.each(confirmed)("names the profile and the host: %s", async (line) => {
    const { run } = await createCli({ negotiates: true });
    await run(vm);
    await run("profile add work --base-url https://gpu.example.com:8443 --key-command 'print-key'");
    const { asked, prompts } = answeringConfirm(false);
    const programs = { output: async () => "gpuctl-sandbox-full" };
    const { code, requests } = await run(`${line} --profile work`, { terminal: 80, prompts, programs });
    expect({ code, sent: writesIn(requests) }).toEqual({ code: 130, sent: [] });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('(Profile "work", gpu.example.com:8443.)');
  });

  test.each(confirmed)("names the sandbox: %s", async (line) => {
    const { run } = await createCli({ negotiates: true });
    await run(vm);
    const { asked, prompts } = answeringConfirm(false);
    expect(await run(`${line} --sandbox`, { terminal: 80, prompts })).toMatchObject({ code: 130 });
    expect(asked[0]).toContain("(Sandbox: no real resources are affected.)");
  });

  test("names the profile that is removed, not the sandbox", async () => {
    const { run } = await createCli();
    await run("profile add work --base-url https://gpu.example.com --key-command 'print-key'");
    const { asked, prompts } = answeringConfirm(false);
    await run("profile remove work --sandbox", { terminal: 80, prompts });
    expect(asked).toEqual(['Remove the profile "work" (gpu.example.com) with its key and its settings?']);
  });

  test("of user delete is given by typing the name of the profile", async () => {
    const { run } = await createCli();
    const typing = (answer: string) => ({ terminal: 80, prompts: { text: async () => answer } });
    expect(await run("user delete --sandbox", typing("yes"))).toMatchObject({ code: 130, requests: [] });
    expect(await run("user delete --sandbox", typing("default"))).toMatchObject({ code: 0 });
  });

  test('that is answered with "no" changes nothing', async () => {
    const { run } = await createCli();
    for (const line of [
      vm,
      "rentals create bare-metal --gpus 8 --network-type ethernet --sandbox",
      "reserve convert 1001 --days 30 --expected-price 12 --sandbox",
      "reserve extend 1001 --days 30 --expected-price 12 --expected-reserved-until 2027-01-01T00:00:00Z --sandbox",
      "user delete --sandbox",
      "sandbox reset",
    ]) {
      const { asked, prompts } = answeringConfirm(false);
      const { code, out, requests } = await run(line, { terminal: 80, prompts });
      expect({ line, code, out, sent: writesIn(requests) }).toEqual({ line, code: 130, out: "", sent: [] });
      expect(asked).toHaveLength(1);
    }
  });

  test.each([
    ["--yes", {}],
    ["-y", {}],
    ["--no-input", {}],
    ["", { CI: "1" }],
    ["", { GPUCTL_NO_INPUT: "1" }],
  ])("is not needed for spending with %s %j", async (flag, env) => {
    const { run } = await createCli();
    expect(await run(`${vm} ${flag}`, { terminal: 80, env })).toMatchObject({ code: 0 });
  });

  test.each(["false", "0", ""])(
    "is needed for spending with CI=%j, which means that CI is off",
    async (value) => {
      const { run } = await createCli();
      const { asked, prompts } = answeringConfirm(true);
      expect(await run(vm, { terminal: 80, env: { CI: value }, prompts })).toMatchObject({ code: 0 });
      expect(asked).toHaveLength(1);
    },
  );

  test.each(["user delete --sandbox", "sandbox reset"])(
    "can be given only with --yes when not running interactively: %s",
    async (line) => {
      const { run } = await createCli();
      const outcome = await run(line);
      expect(outcome).toMatchObject({ code: 2, out: "", requests: [] });
      expect(outcome.err).toContain("--yes");
      expect(await run(line, { terminal: 80, env: { CI: "1" } })).toMatchObject({ code: 2, requests: [] });
      expect(await run(`${line} --yes`)).toMatchObject({ code: 0 });
    },
  );
});
