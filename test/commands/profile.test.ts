import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { key, serviceUrl } from "../support/service.ts";

async function withProfiles() {
  const cli = await createCli({
    respond: ({ path }) => Response.json(path.endsWith("/active-rental-summary") ? {} : []),
  });
  await cli.run(`auth login --with-token --no-validate --profile work --base-url ${serviceUrl}`, {
    stdin: key,
  });
  await cli.run("profile add play --sandbox");
  await cli.run("profile add lab --base-url https://lab.example --key-command 'pass show lab'");
  const json = async (line: string) => JSON.parse((await cli.run(`${line} -o json`)).out);
  return { ...cli, json };
}

describe("profile list", () => {
  test("marks the profile in use, and shows where each key is stored but not the key", async () => {
    const { run } = await withProfiles();
    const { out } = await run("profile list");
    expect(out).toMatchInlineSnapshot(`
      "NAME  IN USE  KIND     BASE URL                 INFERENCE                KEY    KEY FROM
      work  yes     account  https://api.example.com  https://api.example.com  …1234  config.json
      play  no      sandbox  -                        -                        -      -
      lab   no      account  https://lab.example      https://lab.example      -      apiKeyCommand
      "
    `);
    expect(out).not.toContain(key);
  });

  test("shows whole URLs on a terminal of 80 columns, and names the omitted columns", async () => {
    const { run } = await createCli();
    const urls = ["https://compute.eu-west.example.com", "https://inference.eu-west.example.com"];
    await run(`profile add work --base-url ${urls[0]} --inference-base-url ${urls[1]} --key-command x`);
    const { out, err } = await run("profile list", { terminal: 80 });
    expect(out).toContain(` ${urls[0]} `);
    expect(err).toBe("Columns left out to fit: INFERENCE. See --columns name,inference or -o json.\n");
  });

  test("has a stable shape in JSON", async () => {
    const { json } = await withProfiles();
    const [work, play, lab] = await json("profile list");
    expect(work).toEqual({
      name: "work",
      inUse: true,
      kind: "account",
      baseUrl: serviceUrl,
      inferenceBaseUrl: serviceUrl,
      key: "…1234",
      keySource: "config.json",
    });
    expect(play).toMatchObject({ inUse: false, kind: "sandbox", baseUrl: null, key: null, keySource: null });
    expect(lab).toMatchObject({ key: null, keySource: "apiKeyCommand" });
  });

  test("marks the profile that --profile or GPUCTL_PROFILE selects", async () => {
    const { run } = await withProfiles();
    const used = async (...given: Parameters<typeof run>) =>
      JSON.parse((await run(...given)).out).find(({ inUse }: { inUse: boolean }) => inUse)?.name;
    expect(await used("profile list -o json --profile lab")).toBe("lab");
    expect(await used("profile list -o json", { env: { GPUCTL_PROFILE: "play" } })).toBe("play");
  });

  test("prints an empty list if there are no profiles", async () => {
    const { run } = await createCli();
    expect(await run("profile list -o json")).toMatchObject({ code: 0, out: "[]\n" });
    expect((await run("profile list")).err).toContain("gpuctl setup");
  });

  test("works even if GPUCTL_PROFILE selects a profile that does not exist", async () => {
    const { run } = await withProfiles();
    const env = { GPUCTL_PROFILE: "gone" };
    expect(await run("volumes list", { env })).toMatchObject({ code: 2 });
    expect(await run("profile list", { env })).toMatchObject({ code: 0 });
  });
});

describe("profile show", () => {
  test("shows the current or another profile with its settings", async () => {
    const { run, json } = await withProfiles();
    await run("config set image.model SD2");
    expect(await json("profile show")).toMatchObject({ name: "work", settings: { "image.model": "SD2" } });
    expect(await json("profile show lab")).toMatchObject({
      name: "lab",
      inUse: false,
      settings: { apiKeyCommand: "pass show lab" },
    });
  });

  test("exits with 5 for an unknown profile, and lists the known profiles", async () => {
    const { run } = await withProfiles();
    const { code, out, err } = await run("profile show lap");
    expect({ code, out }).toEqual({ code: 5, out: "" });
    expect(err).toContain("Profiles: work, play, lab.");
  });
});

describe("profile add", () => {
  test.each(["--sandbox", "--base-url https://new.example"])(
    "rejects the name of an existing profile: %s",
    async (kind) => {
      const { run, json } = await withProfiles();
      const before = await json("profile list");
      const { code, err } = await run(`profile add work ${kind}`);
      expect(code).toBe(2);
      expect(err).toContain("gpuctl config set KEY VALUE --profile work");
      expect(await json("profile list")).toEqual(before);
    },
  );

  test.each(["", "two words", "ä", "a/b", "x".repeat(65), "__proto__"])(
    "rejects the name %j",
    async (name) => {
      const { run } = await createCli();
      expect(await run(["profile", "add", name, "--sandbox"])).toMatchObject({ code: 2, out: "" });
    },
  );

  test.each(["constructor", "toString", "a.b-c_1", "x".repeat(64)])("accepts the name %s", async (name) => {
    const { run } = await createCli();
    expect(await run(["profile", "add", name, "--sandbox"])).toMatchObject({ code: 0 });
    expect(await run(["profile", "show", name])).toMatchObject({ code: 0 });
  });

  test("requires --base-url or --sandbox, and copies neither from the current profile", async () => {
    const { run } = await withProfiles();
    const { code, err } = await run("profile add empty");
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("--base-url URL or --sandbox") });
    expect(await run("profile add odd --sandbox --key-command x")).toMatchObject({ code: 2 });
  });

  test("accepts only a valid URL as the host", async () => {
    const { run } = await createCli();
    expect(await run("profile add a --base-url nowhere")).toMatchObject({ code: 2 });
    expect(JSON.parse((await run("profile list -o json")).out)).toEqual([]);
  });
});

describe("profile use", () => {
  test("sets the current profile", async () => {
    const { run, json } = await withProfiles();
    await run("profile use play");
    expect(await json("auth status")).toMatchObject({ profile: "play", sandbox: true });
    expect(await run("profile use lap")).toMatchObject({ code: 5 });
    expect(await json("auth status")).toMatchObject({ profile: "play" });
  });

  test("warns if GPUCTL_PROFILE selects another profile", async () => {
    const { run } = await withProfiles();
    const { err } = await run("profile use play", { env: { GPUCTL_PROFILE: "lab" } });
    expect(err).toContain('"lab" is still used in this shell, because GPUCTL_PROFILE selects it.');
    const both = await run("profile use play --profile work", { env: { GPUCTL_PROFILE: "lab" } });
    expect(both.err).toContain('"lab" is still used in this shell');
  });

  test("does not warn if --profile selects another profile, or GPUCTL_PROFILE selects the same one", async () => {
    const { run } = await withProfiles();
    expect(await run("profile use play --profile lab")).toMatchObject({ code: 0, err: "" });
    const env = { GPUCTL_PROFILE: "work" };
    expect(await run("profile use work --profile lab", { env })).toMatchObject({ code: 0, err: "" });
  });
});

describe("profile remove", () => {
  test("asks for confirmation, and names the profile and what is removed with it", async () => {
    const { run, json } = await withProfiles();
    const asked: string[] = [];
    const confirm = async ({ message }: { message: string }) => {
      asked.push(message);
      return false;
    };
    expect(await run("profile remove play", { terminal: 80, prompts: { confirm } })).toMatchObject({
      code: 130,
    });
    expect(asked).toEqual(['Remove the profile "play" (sandbox) with its key and its settings?']);
    expect(await run("profile remove play")).toMatchObject({ code: 2 });
    expect(await json("profile list")).toHaveLength(3);
  });

  test("says that there is no current profile after the current profile was removed", async () => {
    const { run, json } = await withProfiles();
    const { code, err } = await run("profile remove work --yes");
    const none = "There is no current profile now. Run `gpuctl profile use NAME` to choose one.\n";
    expect({ code, err }).toEqual({ code: 0, err: none });
    expect(await run("rentals list")).toMatchObject({ code: 3, requests: [] });
    // A change to another profile does not make it the current one.
    await run("config set output json --profile play");
    expect(await run("rentals list")).toMatchObject({ code: 3, requests: [] });
    expect((await run("profile remove lab --yes")).err).toBe("");
    expect((await run("profile remove play --yes")).err).toBe("");
    expect(await json("profile list")).toEqual([]);
  });

  test("of the last profile suggests creating one", async () => {
    const { run } = await createCli();
    await run("profile add only --sandbox");
    expect(await run("profile remove only --yes")).toMatchObject({
      code: 0,
      err: "No profile is left. Run `gpuctl setup` to create one.\n",
    });
  });

  test("of the profile that --profile selects does not change the current profile", async () => {
    const { run } = await withProfiles();
    const { code, out, err } = await run("profile remove play --profile play --yes -o json");
    expect({ code, data: JSON.parse(out), err }).toEqual({
      code: 0,
      data: { removed: "play", inUse: "work" },
      err: "",
    });
  });

  test("exits with 5 for an unknown profile, without a prompt", async () => {
    const { run } = await withProfiles();
    expect(await run("profile remove lap", { terminal: 80 })).toMatchObject({ code: 5 });
  });
});
