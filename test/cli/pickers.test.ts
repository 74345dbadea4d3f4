import { describe, expect, test } from "vitest";
import type { ChoiceQuestion, Prompts, TextQuestion } from "../../src/system/types.ts";
import { createCli, type Responder } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

/**
 * Answers each question with the next answer: picks the first choice whose label contains it, or types it if the
 * question asks for text. Records the questions.
 */
function choosing(...answers: string[]) {
  const asked: (ChoiceQuestion | TextQuestion)[] = [];
  const prompts: Partial<Prompts> = {
    choose: async (question) => {
      asked.push(question);
      const wanted = answers.shift() ?? "";
      const label = (choice: string) => question.labels?.[choice] ?? choice;
      return question.choices.find((choice) => label(choice).includes(wanted)) ?? "no such choice";
    },
    text: async (question) => {
      asked.push(question);
      const answer = answers.shift() ?? question.initial ?? "";
      expect(question.validate?.(answer)).toBeUndefined();
      return answer;
    },
    confirm: async () => true,
  };
  return { asked, prompts };
}

const labelsOf = (question: ChoiceQuestion | TextQuestion | undefined): readonly string[] =>
  question && "choices" in question ? question.choices.map((one) => question.labels?.[one] ?? one) : [];

const vm = "rentals create vm --gpus 1 --label trainer --sandbox";
const metal = "rentals create bare-metal --gpus 8 --network-type ethernet --label cluster --sandbox";
const volume = "volumes create --size 1024 --region us-central-1 --label training-data --sandbox";

describe("a prompt for an argument or a flag offers", () => {
  test("rentals, with what identifies them", async () => {
    const { run } = await createCli();
    await run(vm);
    const { asked, prompts } = choosing("trainer");
    const { code, out } = await run("rentals get --sandbox -o id", { terminal: 100, prompts });
    expect({ code, out }).toEqual({ code: 0, out: "1001\n" });
    const [label = "", ...others] = labelsOf(asked[0]);
    for (const part of ["1001", "trainer", "1x h100", "us-central-1", "$2.00/h"])
      expect(label).toContain(part);
    expect(others).toEqual(["Type another one"]);
  });

  test("rentals, in lines that fit the terminal", async () => {
    const { run } = await createCli();
    await run(vm);
    const { asked, prompts } = choosing("trainer");
    await run("rentals get --sandbox", { terminal: 40, prompts });
    expect(labelsOf(asked[0])[0]?.length).toBeLessThanOrEqual(38);
  });

  test("volumes, and then only the rentals that the volume can be attached to", async () => {
    const { run } = await createCli();
    for (const line of [vm, metal, volume]) await run(line);
    const { asked, prompts } = choosing("training-data", "cluster");
    const { code, requests, err } = await run("volumes attach --sandbox", { terminal: 100, prompts });
    expect(code).toBe(0);
    expect(requests.at(-1)?.body).toEqual({ storageVolumeId: 501, rentalIds: [1002] });
    expect(labelsOf(asked[0])[0]).toMatch(/^501 .* 1024 GB /);
    expect(labelsOf(asked[1])).toHaveLength(2);
    expect(err).toContain("gpuctl volumes attach --sandbox 501 1002\n");
  });

  test("profiles", async () => {
    const { run } = await createCli();
    await run("profile add play --sandbox");
    await run("profile add work --base-url https://api.example.com --key-command 'pass show gpuctl'");
    const { prompts } = choosing("https://api.example.com");
    const { code, err } = await run("profile use", { terminal: 100, prompts });
    expect(code).toBe(0);
    expect(err).toContain("gpuctl profile use work\n");
    expect((await run("profile show -o id")).out).toBe("work\n");
  });

  test("chat models", async () => {
    const { run } = await createCli({
      respond: ({ method }) =>
        method === "POST" ? Response.json({ choices: [{ message: { content: "hi" } }] }) : undefined,
      negotiates: true,
    });
    const { asked, prompts } = choosing("sandbox-echo");
    const { code, requests } = await run("chat Hello -o json", {
      ...overNetwork(keys),
      terminal: 80,
      prompts,
    });
    expect(code).toBe(0);
    expect(asked[0]?.message).toBe("Chat model (--model)");
    expect(labelsOf(asked[0])[0]).toMatch(/^sandbox-echo/);
    expect(requests.at(-1)?.body).toMatchObject({ model: "sandbox-echo" });
  });

  test("SSH keys for a new rental, or none", async () => {
    const { run } = await createCli();
    const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEV4YW1wbGU= ada";
    const added = await run([
      "api",
      "call",
      "createSshKey",
      "-f",
      "name=laptop",
      "-f",
      `publicKey=${key}`,
      "--sandbox",
    ]);
    const { id } = JSON.parse(added.out);
    const picked = choosing("1 x h100", "laptop");
    const { requests } = await run("rentals create vm --sandbox", { terminal: 100, prompts: picked.prompts });
    expect(requests.findLast(({ method }) => method === "POST")?.body).toMatchObject({
      sshPublicKeyIds: [id],
    });
    const declined = choosing("1 x h100", "None");
    const second = await run("rentals create vm --sandbox", { terminal: 100, prompts: declined.prompts });
    const body = second.requests.findLast(({ method }) => method === "POST")?.body;
    expect(body).not.toHaveProperty("sshPublicKeyIds");
  });

  test.each([
    ["ssh-keys remove", "ssh-keys add -", "ada"],
    ["api-keys revoke", "api-keys create ci", "ci"],
  ])("existing keys: %s", async (line, create, name) => {
    const { run } = await createCli();
    const stdin = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEV4YW1wbGU= ada";
    const { id } = JSON.parse((await run(`${create} -o json --sandbox`, { stdin })).out);
    const { asked, prompts } = choosing(name);
    const { code, err } = await run(`${line} --sandbox`, { terminal: 100, prompts });
    expect(labelsOf(asked[0])).toContainEqual(expect.stringMatching(new RegExp(`^${id} +${name} `)));
    expect(code).toBe(0);
    expect(err).toContain(`gpuctl ${line} --sandbox ${id} --yes\n`);
  });

  test("to type another ID", async () => {
    const { run } = await createCli();
    await run(vm);
    const { prompts } = choosing("Type another one", "4711");
    expect((await run("rentals get --sandbox", { terminal: 80, prompts })).err).toContain("4711");
  });

  test("to type several IDs, and says how to separate them", async () => {
    const { run } = await createCli();
    for (const line of [metal, metal, volume]) await run(line);
    const { asked, prompts } = choosing("training-data", "Type another one", "1001, 1002");
    const { code, requests } = await run("volumes attach --sandbox", { terminal: 80, prompts });
    expect(asked.at(-1)?.message).toBe("IDs or labels of bare-metal rentals, separated by commas (RENTAL)");
    expect({ code, body: requests.at(-1)?.body }).toMatchObject({
      code: 0,
      body: { rentalIds: [1001, 1002] },
    });
  });

  test("only to type an ID, if nothing exists", async () => {
    const { run } = await createCli();
    const { asked, prompts } = choosing("4711");
    const { err } = await run("rentals get --sandbox", { terminal: 80, prompts });
    expect(asked).toHaveLength(1);
    expect(asked[0]).not.toHaveProperty("choices");
    expect(err).toContain("No active rentals.");
  });

  test("only to type an ID, if what exists cannot be listed, and gpuctl says why", async () => {
    const { run } = await createCli({
      respond: ({ path }) =>
        path.endsWith("-rentals") ? Response.json({ message: "Out of order" }, { status: 500 }) : undefined,
    });
    const { asked, prompts } = choosing("4711");
    const { code, err } = await run("rentals get --sandbox --retries 0", { terminal: 80, prompts });
    expect(code).toBe(5);
    expect(asked[0]).not.toHaveProperty("choices");
    expect(err).toContain("Cannot list the choices for RENTAL: Out of order.");
  });

  test("to type a label, and the equivalent command line is printed even if nothing has that label", async () => {
    const { run } = await createCli();
    const { prompts } = choosing("no such");
    const { code, err } = await run("rentals get --sandbox", { terminal: 80, prompts });
    expect(code).toBe(5);
    expect(err).toContain("without prompts: gpuctl rentals get --sandbox 'no such'\n");
  });

  test("to type a label, and the equivalent command line has no --yes if nothing was confirmed", async () => {
    const { run } = await createCli();
    const { prompts } = choosing("no such");
    const { code, err } = await run("rentals terminate --sandbox", { terminal: 80, prompts });
    expect(code).toBe(5);
    expect(err).not.toContain("--yes");
  });

  test("only to type an ID in a dry run, which sends no request", async () => {
    const { run } = await createCli();
    const { prompts } = choosing("4711");
    const { requests } = await run("rentals get --sandbox --dry-run", { terminal: 80, prompts });
    expect(requests).toEqual([]);
  });
});

/** Environment variables with a key that the sandbox accepts. */
const keys = { GPUCTL_API_KEY: "gpuctl-sandbox-full" };

describe("rentals create offers what the service lists", () => {
  test("in one prompt with prices, cheapest first", async () => {
    const { run } = await createCli();
    const { asked, prompts } = choosing("2 x h200          eu-north-4");
    const { code, requests, err } = await run("rentals create vm --sandbox", { terminal: 100, prompts });
    expect(code).toBe(0);
    const [manual, ...offers] = labelsOf(asked[0]);
    expect(manual).toBe("Enter the values manually");
    expect(offers[0]).toMatch(/^1 x rtx-6000-pro +us-central-1 +ethernet +\$1\.00\/h$/);
    expect(asked).toHaveLength(1);
    expect(requests.at(-1)?.body).toEqual({
      gpuType: "h200",
      gpuCount: 2,
      region: "eu-north-4",
      networkType: "ethernet",
    });
    expect(err).toContain(
      "gpuctl rentals create vm --sandbox --gpu-type h200 --gpu-count 2 --region eu-north-4 --network-type ethernet --yes\n",
    );
  });

  test("but only what matches the flags on the command line", async () => {
    const { run } = await createCli();
    const { asked, prompts } = choosing("infiniband");
    const line = "rentals create bare-metal --gpu b200 --region us-central-1 --sandbox";
    const { requests } = await run(line, { terminal: 100, prompts });
    expect(labelsOf(asked[0])).toEqual([
      "Enter the values manually",
      "8 x b200  us-central-1  infiniband  $32.00/h",
      "8 x b200  us-central-1  ethernet    $32.00/h",
    ]);
    const body = requests.findLast(({ method }) => method === "POST")?.body;
    expect(body).toEqual({ gpuType: "b200", gpuCount: 8, region: "us-central-1", networkType: "infiniband" });
  });

  test("but not what is sold out, and shows how many are left", async () => {
    const option = { machineType: "virtual-machine", gpuType: "h100", gpuCount: 1, region: "eu-west-1" };
    const respond: Responder = ({ path }) =>
      path.endsWith("/rental-options")
        ? Response.json([
            { ...option, costPerHourCents: 250, totalAvailable: 3 },
            { ...option, region: "eu-west-2", costPerHourCents: 100, totalAvailable: 0 },
            { ...option, region: "us-east-1", connectionType: "ethernet" },
          ])
        : undefined;
    const { run } = await createCli({ respond });
    const { asked, prompts } = choosing("eu-west-1");
    await run("rentals create vm --sandbox", { terminal: 100, prompts });
    expect(labelsOf(asked[0])?.slice(1)).toEqual([
      "1 x h100  eu-west-1            $2.50/h        3 available",
      "1 x h100  us-east-1  ethernet  price unknown",
    ]);
  });

  test("or asks for each value, if the user prefers that", async () => {
    const { run } = await createCli();
    const { asked, prompts } = choosing("manually", "h200", "3", "eu-north-4", "ethernet");
    const { requests } = await run("rentals create vm --sandbox", { terminal: 100, prompts });
    expect(asked.map(({ message }) => message.replace(/.*\((--[^)]*)\)$/, "$1"))).toEqual([
      "What to rent? On-demand prices, cheapest first",
      "--gpu-type",
      "--gpu-count",
      "--region",
      "--network-type",
    ]);
    const body = requests.findLast(({ method }) => method === "POST")?.body;
    expect(body).toEqual({ gpuType: "h200", gpuCount: 3, region: "eu-north-4", networkType: "ethernet" });
  });

  test("for the type of rental that the user picks first, if none is named", async () => {
    const { run } = await createCli();
    const { asked, prompts } = choosing("bare-metal", "8 x h100");
    const { code, err, requests } = await run("rentals create --sandbox", { terminal: 100, prompts });
    expect(code).toBe(0);
    expect(asked[0]?.message).toBe("What to create?");
    expect(labelsOf(asked[0])).toEqual([
      "Rent a virtual machine (vm)",
      "Rent bare-metal machines (bare-metal)",
    ]);
    expect(requests.findLast(({ method }) => method === "POST")?.path).toContain("bare-metal");
    expect(err).toContain("gpuctl rentals create --sandbox bare-metal --gpu-type h100 --gpu-count 8 ");
  });

  test.each([
    ["rentals create --sandbox", { stdin: "" }],
    ["rentals create --no-input", { terminal: 100 }],
    ["rentals create", { terminal: 100, env: { CI: "true" } }],
    ["rentals create --help", { terminal: 100 }],
    ["reserve", { terminal: 100 }],
  ])("but not for the command line `%s` with %j, which shows help", async (line, options) => {
    const { run } = await createCli();
    const { code, out } = await run(line, options);
    expect(code).toBe(0);
    expect(out).toContain("COMMAND [FLAGS]");
  });

  test("and, like other commands, prints a command line that asks nothing and sends the same request", async () => {
    const [asked, unasked] = [await createCli(), await createCli()];
    for (const [line, ...answers] of [
      ["rentals create vm --sandbox", "2 x b200          us-east-1"],
      ["rentals create bare-metal --sandbox --label 'my box'", "8 x h100"],
      ["rentals create --sandbox", "vm", "2 x h200"],
      ["reserve convert --days 30 --sandbox", "vm-1001", "1296.00"],
      ["rentals terminate --sandbox", "my box"],
    ] as const) {
      const { prompts } = choosing(...answers);
      const first = await asked.run(line, { terminal: 100, prompts });
      const [, printed = ""] = /without prompts: (.*)\n/.exec(first.err) ?? [];
      expect(printed).toContain("--yes");
      const second = await unasked.run(printed, { terminal: 100 });
      const [sent, again] = [first, second].map(({ requests }) =>
        requests.findLast(({ method }) => method === "POST"),
      );
      expect(sent?.body).toBeDefined();
      expect({ line, body: again?.body }).toEqual({ line, body: sent?.body });
    }
  });
});
