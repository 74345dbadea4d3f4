import { describe, expect, test } from "vitest";
import { nouns } from "../../src/cli/generated/tree.ts";
import { parse } from "../../src/cli/parse/program.ts";
import { createCli } from "../support/cli.ts";

describe("the command line is checked:", () => {
  test.each([
    ["rentls list", "`gpuctl rentals`"],
    ["rentls list --type vm", "`gpuctl rentals`"],
    ["rentals lst", "`gpuctl rentals list`"],
    ["rentals create vn", "`gpuctl rentals create vm`"],
    ["rentals create vn --gpus 1", "`gpuctl rentals create vm`"],
    [
      "create",
      "`gpuctl rentals create vm` or `gpuctl rentals create bare-metal` or `gpuctl volumes create` or `gpuctl api-keys create`",
    ],
    ["volumes list --outptu json", "--output"],
    ["rentals --outptu json list", "--output"],
    ["rentals create vm --gpu-cuont 1", "--gpu-count"],
    ["rentals create vm --gpus 1 --gpu h1000", "h100"],
    ["rentals create vm --gpus 1 --gpu H100", "h100"],
    ["rentals list --type vms", "vm"],
    ["rentals create vm --gpus 1 --region us-centrall-1", "us-central-1"],
    ["image x --model FLUX.1-dve", "FLUX.1-dev"],
    ["image modles", "`gpuctl image models`"],
    ["chat modles", "`gpuctl chat models`"],
    ["chat sesions list", "`gpuctl chat sessions`"],
    ["image galery pictures", "`gpuctl image gallery`"],
    ["volumes list --color alwasy", "always"],
    ["volumes list -o jsn", "json"],
    ["completion bsah", "bash"],
  ])("%s: the error suggests %s", async (line, nearest) => {
    const { run } = await createCli();
    const { code, out, err, requests } = await run(`${line} --sandbox`);
    expect({ code, out, requests }).toEqual({ code: 2, out: "", requests: [] });
    expect(err).toContain(`(Did you mean ${nearest}?)`);
  });

  test.each([
    "rentls --help",
    "rentls -h",
    "--help rentls",
    "rentals lst --help",
    "rentals create vn --help",
  ])("a mistake gets a suggestion even with --help: %s", async (line) => {
    const { run } = await createCli();
    const { code, out, err } = await run(line);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(
      /unknown command '.*' \(Did you mean `gpuctl (rentals|rentals list|rentals create vm)`\?\)/,
    );
  });

  test("a mistake gets no suggestion if nothing is similar", async () => {
    const { run } = await createCli();
    for (const line of ["nope", "nope --help", "rentals nope", "volumes list --xyzzy", "completion ksh93"]) {
      const { code, err } = await run(line);
      expect({ line, code, guess: err.includes("Did you mean") }).toEqual({ line, code: 2, guess: false });
    }
  });

  test.each([
    ["volumes list --sandbox=true", '--sandbox takes no value, but got "true"'],
    ["volumes list --no-header=1", '--no-header takes no value, but got "1"'],
    ["rentals create vm --gpus 1 --wait=true", '--wait takes no value, but got "true"'],
    ["volumes list -y=1", '-y takes no value, but got "1"'],
    ["volumes list -qy=", '-y takes no value, but got ""'],
  ])("%s: the error says that the flag takes no value", async (line, message) => {
    const { run } = await createCli();
    const { code, err } = await run(line);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test.each([
    ["--gpus 1 rentals create vm", "--gpus", "rentals create vm --gpus N"],
    ["rentals --label x create vm", "--label", "rentals create vm --label TEXT"],
    ["--lease-file=x rentals lease list", "--lease-file", "rentals lease list --lease-file PATH"],
    ["chat --format jsonl sessions export", "--format", "chat sessions export --format VALUE"],
    ["-m x chat hi", "-m", "chat -m TEXT"],
    ["rentals --wait create vm", "--wait", "rentals create vm --wait"],
  ])("%s: the error says that the flag must come after its command", async (line, flag, example) => {
    const { run } = await createCli();
    const { code, err } = await run(line);
    expect(code).toBe(2);
    expect(err).toBe(`Error: ${flag} must come after the command, as in \`gpuctl ${example}\`\n`);
  });

  test.each([
    ["rentals list --label", "--label requires a value (GLOB)"],
    ["rentals list -o", "--output requires a value (FORMAT)"],
    ["rentals terminate --all --label x", "--all and --label cannot be used together"],
    ["--label x rentals lease list", "unknown flag '--label' (a flag of rentals"],
  ])("%s: the error starts with: %s", async (line, message) => {
    const { run } = await createCli();
    const { code, err } = await run(line);
    expect(code).toBe(2);
    expect(err).toContain(`Error: ${message}`);
  });

  test.each([
    ["rentals create vm --gpus 1 --yes --label --sandbox", "--label", "--sandbox"],
    ["rentals create vm --gpus 1 --yes --label --sandbx", "--label", "--sandbx"],
    ["rentals create vm --gpus 1 --yes --label --max-burn=2.00", "--label", "--max-burn=2.00"],
    ["rentals terminate 7 --profile --dry-run", "--profile", "--dry-run"],
    ["chat -m --max-cost hi", "--model", "--max-cost"],
    ["chat -qm --sandbox hi", "--model", "--sandbox"],
    ["chat -qcm --dry-run hi", "--model", "--dry-run"],
    ["rentals run --gpus 1 --label -- true", "--label", "--"],
  ])("%s: a flag, or --, is not the value of the flag before it", async (line, flag, next) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(line);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toBe(
      `Error: ${flag} requires a value, but the next word is ${next}\nTo use this word as the value, write ${flag}=${next}.\n`,
    );
  });

  test.each([
    ["chat -m m hi -sandbox", "unknown flag '-sandbox' (Did you mean --sandbox?)"],
    ["chat -m m -session work", "unknown flag '-session' (Did you mean --session?)"],
    ["chat -m m hi -max-tokens=5", "unknown flag '-max-tokens' (Did you mean --max-tokens?)"],
    ["chat -m=m hi", "-m takes its value without =, as in -m m"],
    ["rentals list -o=json", "-o takes its value without =, as in -o json"],
  ])("%s: the error says how to write the flag", async (line, message) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(line);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(`Error: ${message}\n`);
  });

  test("words after -- are not checked as flags of gpuctl", async () => {
    const { run } = await createCli();
    const line = "rentals run --gpus 1 --label=--x --sandbox --dry-run -o json -- prog --label --x";
    const { code, out } = await run(line);
    expect({ code, label: JSON.parse(out).request.body.label }).toEqual({ code: 0, label: "--x-JOB" });
  });

  test.each([["--label=--sandbox"], ["--label -sandbox"]])(
    "a value that begins with dashes can be given: %s",
    async (words) => {
      const { run } = await createCli();
      const { code, out } = await run(`rentals create vm --gpus 1 --sandbox --dry-run -o json ${words}`);
      expect({ code, label: JSON.parse(out).request.body.label }).toEqual({
        code: 0,
        label: expect.stringMatching(/^--?sandbox$/),
      });
    },
  );

  test("the error for an invalid environment variable also makes a suggestion", async () => {
    const { run } = await createCli();
    const { code, err } = await run("volumes list --sandbox", { env: { GPUCTL_OUTPUT: "jason" } });
    expect(code).toBe(2);
    expect(err).toContain("GPUCTL_OUTPUT must be one of");
    expect(err).toContain('not "jason" (Did you mean json?)');
  });

  test("the error for a flag of another command lists the commands that have it", async () => {
    const { run } = await createCli();
    expect((await run("volumes list --max-burn 5")).err).toContain(
      "unknown flag '--max-burn' (a flag of rentals create vm, rentals create bare-metal, rentals run, mcp)",
    );
    expect((await run("rentals list --size-in-gb=5")).err).toContain(
      "unknown flag '--size-in-gb' (a flag of volumes create)\n",
    );
  });

  test.each([
    ["volumes list --nope", "`gpuctl volumes list --help` lists the flags."],
    ["rentals create vm --gpus", "`gpuctl rentals create vm --help` lists the flags."],
    ["chat --sesion x hi", "`gpuctl chat --help` lists the flags."],
    ["sandbox fault lst", "`gpuctl sandbox fault --help` lists the commands."],
    ["rentals --nope", "`gpuctl rentals --help` lists the commands."],
    ["nope", "`gpuctl --help` lists the commands."],
  ])("the error for %s names the help to read", async (line, hint) => {
    const { run } = await createCli();
    const { code, err } = await run(line);
    expect(code).toBe(2);
    expect(err.trimEnd().split("\n").at(-1)).toBe(hint);
  });

  test.each([
    ["rentals get 1 2", 'unexpected argument "2"'],
    ["volumes list everything", 'unexpected argument "everything"'],
    ["rentals get", "missing required input: RENTAL"],
    ["volumes list --output", "--output"],
    ["rentals create vm --gpus", "--gpus"],
  ])("%s: the error says %s", async (line, words) => {
    const { run } = await createCli();
    const { code, err, requests } = await run(line, { env: { GPUCTL_SANDBOX: "1" } });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(words);
  });
});

/** The commands that the error for a command line suggests; none if the line is valid. */
function suggestedFor(words: readonly string[]): readonly string[] {
  try {
    parse(words, "0.0.0-test");
    return [];
  } catch (error) {
    return (
      /Did you mean (.*)\?/
        .exec(String(error))?.[1]
        ?.replaceAll(/`(gpuctl )?/g, "")
        .split(" or ") ?? []
    );
  }
}

describe("an unknown verb", () => {
  test.each([
    ["rentals delete 1001", "rentals terminate"],
    ["rentals rm 1001", "rentals terminate"],
    ["rentals stop 1001", "rentals terminate"],
    ["rentals destroy 1001", "rentals terminate"],
    ["rentals ls", "rentals list"],
    ["rentals show 1001", "rentals get"],
    ["volumes ls", "volumes list"],
    ["volumes get 501", "volumes list"],
    ["profile delete work", "profile remove"],
    ["config rm output", "config unset"],
    ["sandbox fault rm 1", "sandbox fault clear"],
    ["user rm", "user delete"],
    ["ssh 1001", "rentals ssh"],
    ["connect 1001", "rentals ssh"],
    ["rentals connect 1001", "rentals ssh"],
    ["login", "auth login"],
  ])("%s: the error names %s", async (line, command) => {
    const { run } = await createCli();
    const { code, out, err, requests } = await run(line, { env: { GPUCTL_SANDBOX: "1" } });
    expect({ code, out, requests }).toEqual({ code: 2, out: "", requests: [] });
    expect(err).toContain(`(Did you mean \`gpuctl ${command}\`?)`);
  });

  test.each(["volumes delete 501", "volumes rm 501", "volumes destroy 501"])(
    "%s: the error says that there is no such operation",
    async (line) => {
      const { run } = await createCli();
      const { code, err } = await run(`${line} --sandbox`);
      expect(code).toBe(2);
      expect(err).toMatch(
        /^Error: unknown command 'volumes \w+': the service documents no operation for it\n/,
      );
      expect(err).toContain("`gpuctl volumes --help`");
    },
  );

  test.each(["delete", "rm 1001"])(
    "%s: the error asks what to delete, and names the groups",
    async (line) => {
      const { run } = await createCli();
      const { code, err } = await run(`${line} --sandbox`);
      expect(code).toBe(2);
      expect(err).toMatch(
        /^Error: unknown command '(\w+)': specify what to \1\n`gpuctl rentals --help`, .* show how\.\n$/,
      );
    },
  );

  const destructive = nouns
    .flatMap(({ commands }) => commands)
    .filter(({ confirm }) => confirm === "destruction")
    .map(({ path }) => path);

  test("never leads to the suggestion of a destructive command of another group", () => {
    const groups = ["", ...nouns.filter(({ commands }) => commands.length > 1).map(({ name }) => name)];
    const verbs = [
      ...new Set([...destructive.map((path) => path.at(-1) ?? ""), "rm", "stop", "destroy", "kill"]),
    ];
    for (const group of groups) {
      for (const verb of verbs) {
        const suggested = suggestedFor(group === "" ? [verb] : [group, verb]);
        const others = destructive
          .filter(([noun]) => noun !== group)
          .filter((path) => suggested.includes(path.join(" ")));
        expect({ group, verb, others }).toEqual({ group, verb, others: [] });
      }
    }
  });
});

describe("flag aliases", () => {
  test.each([
    [
      "--gpu-count 2 --gpu-type h200 --term-period-days 3",
      { gpuCount: 2, gpuType: "h200", termPeriodDays: 3 },
    ],
    ["--gpus 2 --gpu h200 --days 3", { gpuCount: 2, gpuType: "h200", termPeriodDays: 3 }],
    ["--gpus 2 --gpu-count 2", { gpuCount: 2 }],
  ])("set the same field as the main name of the flag: %s", async (flags, body) => {
    const { run } = await createCli();
    const { requests } = await run(`rentals create vm ${flags} --sandbox`);
    expect(requests.find(({ method }) => method === "POST")?.body).toEqual(body);
  });

  test("with different values are rejected", async () => {
    const { run } = await createCli();
    const { code, err, requests } = await run("rentals create vm --gpus 2 --gpu-count 3 --sandbox");
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("--gpu-count and --gpus are the same flag");
  });

  test("are named in an error as they were typed", async () => {
    const { run } = await createCli();
    const { err } = await run("rentals create bare-metal --gpus 9 --network-type ethernet --sandbox");
    expect(err).toBe("Error: --gpus must be a multiple of 8, not 9\nNothing was sent.\n");
    expect((await run("image x --size 512x512 --sandbox")).err).toContain("Error: --size: 512x512 is not");
    expect((await run("image x --height 512 --sandbox")).err).toContain("--height: 1024x512 is not");
  });

  test("of an argument cannot be used together with the argument", async () => {
    const { run } = await createCli();
    expect(await run("image cat --prompt dog --sandbox")).toMatchObject({ code: 2, requests: [] });
  });
});

test.each([
  "",
  "--help",
  "rentals",
  "rentals --help",
  "rentals create",
  "rentals create vm --help",
  "-h",
  "image -h",
])("help is printed to stdout: gpuctl %s", async (line) => {
  const { run } = await createCli();
  const { code, out, err } = await run(line);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^Usage: gpuctl/);
});

test.each(["--version", "-V", "rentals list --version"])("gpuctl %s prints the version", async (line) => {
  const { run } = await createCli();
  expect(await run(line)).toMatchObject({ code: 0, out: "0.0.0-test\n", err: "" });
});

test.each(["sandbox fault clear first --no-validate", "completion basch --no-validate"])(
  "%s is rejected: --no-validate applies only to what the service validates",
  async (line) => {
    const { run } = await createCli();
    expect(await run(line)).toMatchObject({ code: 2, out: "", requests: [] });
  },
);
