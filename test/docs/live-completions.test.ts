import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createHome, runProgram } from "../support/process.ts";
import { needs } from "../support/programs.ts";
import { thorough } from "../support/thorough.ts";
import { type ShellName, shellNames, shells, zshLine } from "./completing.ts";

async function createUser() {
  const home = await createHome();
  return {
    ...home,
    offered: (shell: ShellName, line: string) => shells[shell](line, { cwd: home.folder, env: home.env }),
    /** Refreshes the cached values, as Tab does in the background. */
    refresh: (kind: string, ...flags: string[]) =>
      home.run(["__complete", kind, ...flags, "--refresh-cache"]),
    /** Replaces the values in the cache. */
    setCached: async (values: readonly string[]) => {
      const folder = join(home.folder, "state/completions");
      const [name = ""] = await readdir(folder);
      const cached = JSON.parse(await readFile(join(folder, name), "utf8"));
      const changed = { ...cached, values: values.map((value) => ({ value, description: `the ${value}` })) };
      await writeFile(join(folder, name), JSON.stringify(changed));
    },
  };
}

describe.each(shellNames)("Tab in %s", (shell) => {
  needs(shell);
  /** `test` if `position` selects this shell or the run is thorough. Otherwise, a function that does nothing. */
  const inOneShell = (position: number) =>
    thorough || shellNames[position % shellNames.length] === shell ? test : () => {};

  inOneShell(0)("offers the rentals and volumes of the service selected on the command line", async () => {
    const user = await createUser();
    const labels = ["web", "it's $(touch here)", "twin", "twin", "1001"];
    const input = JSON.stringify({
      rentals: labels.map((label) => ({ rentalType: "virtual-machine", gpuCount: 1, label })),
      volumes: [{ region: "us-central-1", label: "data-1", sizeInGb: 256 }],
    });
    expect(await user.run("sandbox seed - --yes", { input })).toMatchObject({ code: 0 });
    await user.refresh("rental", "--sandbox");
    await user.refresh("volume", "--sandbox");

    const rentals = await user.offered(shell, "gpuctl --sandbox rentals get ");
    expect(rentals.map((one) => one.replaceAll("\\", "")).sort()).toEqual([
      "1001",
      "1002",
      "1003",
      "1004",
      "1005",
      "it's $(touch here)",
      "web",
    ]);
    expect(await user.offered(shell, "gpuctl rentals wait 10 --for running --sandbox ")).toEqual([]);
    expect(await user.offered(shell, "gpuctl volumes attach --sandbox ")).toEqual(["501", "data-1"]);
    expect(await user.offered(shell, "gpuctl volumes attach --sandbox 501 1001 we")).toEqual(["web"]);
    const flag = "gpuctl rentals create bare-metal --sandbox --storage-volume ";
    expect(await user.offered(shell, flag)).toEqual(["501", "data-1"]);
    expect(await user.offered(shell, "gpuctl rentals get ")).toEqual([]);
    expect(await readdir(user.folder)).not.toContain("here");
  });

  inOneShell(0)("offers the chat models of the service, and LoRAs with a weight", async () => {
    const user = await createUser();
    await user.refresh("chat-model", "--sandbox");
    expect(await user.offered(shell, "gpuctl chat Hello --sandbox -m ")).toEqual(["sandbox-echo"]);
    expect(await user.offered(shell, "gpuctl chat Hello --sandbox --model ")).toEqual(["sandbox-echo"]);
    const loras = (await user.offered(shell, "gpuctl image cat --lora Add")).map((one) =>
      one.replaceAll("\\", ""),
    );
    expect(loras).toEqual(["Add_Detail:1"]);
  });

  inOneShell(1)("offers the fields of the operation on the line, and then their choices", async () => {
    const user = await createUser();
    const create = "POST /v2/on-demand/bare-metal-rentals";
    for (const operation of ["createBareMetalRental", "listVirtualMachineRentals", create]) {
      await user.refresh("operation-field", "", "--operation", operation, "--sandbox");
    }
    const offered = async (line: string) =>
      (await user.offered(shell, `gpuctl api call --sandbox ${line}`)).map((one) => one.replaceAll("\\", ""));
    const values = async (line: string) => (await offered(line)).map((one) => one.replace(/^.*=/, "")).sort();

    expect(await offered("createBareMetalRental -f gpu")).toEqual(["gpuCount=", "gpuType="]);
    expect(await offered("createBareMetalRental -F label=a -F storageVolume")).toContain(
      "storageVolume[id]=",
    );
    expect(await offered("createBareMetalRental -f sshPublicKeyIds")).toEqual(["sshPublicKeyIds[]="]);
    expect(await values("createBareMetalRental -f gpuType=h")).toEqual(["h100", "h200"]);
    expect(await values("listVirtualMachineRentals --raw-field includeClusterPools=")).toEqual([
      "false",
      "true",
    ]);
    expect(await offered(`${create} -f gpuT`)).toEqual(["gpuType="]);
    expect(await offered("-f gpu")).toEqual([]);
  });

  inOneShell(2)("offers profiles by name", async () => {
    const user = await createUser();
    for (const name of ["work", "play"]) {
      const line = `auth login --with-token --profile ${name} --base-url https://api.example.com`;
      await user.run(line, { input: "k-1" });
    }
    expect([...(await user.offered(shell, "gpuctl rentals list --profile "))].sort()).toEqual([
      "play",
      "work",
    ]);
    expect(await user.offered(shell, "gpuctl --profile w")).toEqual(["work"]);
  });

  inOneShell(3)("never executes text from the service", async () => {
    const user = await createUser();
    const hostile = ["a b$(touch here)", "c`touch here`", "d'\"\\e", "f;touch here", "g:h"];
    await user.refresh("rental", "--sandbox");
    await user.setCached(hostile);
    const offers = await user.offered(shell, "gpuctl rentals get --sandbox ");
    const read = await Promise.all(
      offers.map((offer) => (shell === "fish" ? offer : parsedBy(shell, offer, user.folder))),
    );
    expect(read.sort()).toEqual([...hostile].sort());
    expect(await readdir(user.folder)).not.toContain("here");
  });

  inOneShell(4)("offers nothing without a service, or with a broken configuration", async () => {
    const user = await createUser();
    expect(await user.offered(shell, "gpuctl rentals get ")).toEqual([]);
    expect(await user.offered(shell, "gpuctl rentals get --base-url http://127.0.0.1:1 ")).toEqual([]);
    expect(await user.offered(shell, "gpuctl rentals get --profile missing ")).toEqual([]);
    await mkdir(join(user.folder, "config"), { recursive: true });
    await writeFile(join(user.folder, "config/config.json"), "{ broken");
    expect(await user.offered(shell, "gpuctl rentals get ")).toEqual([]);
    expect(await user.offered(shell, "gpuctl rentals list --profile ")).toEqual([]);
  });
});

describe("Tab in zsh inserts", () => {
  needs("zsh");

  async function createZshUser() {
    const user = await createUser();
    return {
      ...user,
      lineAfter: (line: string) => zshLine(`gpuctl ${line}`, { cwd: user.folder, env: user.env }),
    };
  }

  test("the name of a field without a space after it, and its value with one", async () => {
    const { lineAfter, ...user } = await createZshUser();
    await user.refresh("operation-field", "", "--operation", "createBareMetalRental", "--sandbox");
    const create = "api call --sandbox createBareMetalRental";
    expect(await lineAfter(`${create} -f gpuC`)).toBe(`gpuctl ${create} -f gpuCount=`);
    expect(await lineAfter(`${create} -f gpuType=h1`)).toBe(`gpuctl ${create} -f gpuType=h100 `);
  });

  test("the ID or label of a rental and a space, even if the label ends in =", async () => {
    const { lineAfter, ...user } = await createZshUser();
    await user.refresh("rental", "--sandbox");
    await user.setCached(["1001", "label="]);
    const terminate = "rentals terminate --sandbox";
    expect(await lineAfter(`${terminate} 10`)).toBe(`gpuctl ${terminate} 1001 `);
    expect(await lineAfter(`${terminate} la`)).toMatch(/ label\\?= $/);
  });
});

/** The argument that a shell reads from `word`, which is a part of a command line. */
async function parsedBy(shell: ShellName, word: string, cwd: string): Promise<string> {
  return (await runProgram(shell, ["-c", `printf %s ${word}`], { cwd })).out;
}
