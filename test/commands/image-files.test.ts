import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCli, temporaryFolder } from "../support/cli.ts";
import { base64, painter, tinyPng } from "../support/pictures.ts";
import { overNetwork } from "../support/service.ts";

const respond = () => Response.json({ images: [{ image: base64(tinyPng()), random_seed: 42 }] });

describe("image --out", () => {
  test.each([
    ["cat.png", "cat.png"],
    ["cat", "cat.png"],
    ["{slug}-{seed}.{ext}", "cat-42.png"],
    ["{model}/{slug}.{ext}", "SDXL1.0-base/cat.png"],
    ["new/folder/", /^new\/folder\/2026-11-20-\d{6}-cat-42-1\.png$/],
  ])("%s sets the folder and the name of the file", async (out, expected) => {
    const { run, folder } = await painter(tinyPng());
    const outcome = await run(["image", "cat", "--out", out], overNetwork());
    expect(outcome.code).toBe(0);
    const path = outcome.out.trimEnd();
    if (typeof expected === "string") expect(path).toBe(join(folder, expected));
    else expect(path.slice(folder.length + 1)).toMatch(expected);
    expect((await readFile(path)).subarray(1, 4).toString()).toBe("PNG");
  });

  test("can be left out: the default name contains the prompt, even if its letters are not Latin", async () => {
    const { run } = await painter(tinyPng());
    const { code, out } = await run(["image", "夕暮れの灯台"], overNetwork());
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("-夕暮れの灯台-42-1.png\n") });
  });

  test("can be an existing folder, in which the picture gets the default name", async () => {
    const { run, folder } = await painter(tinyPng());
    await mkdir(join(folder, "pictures"));
    const { out } = await run("image cat --out pictures", overNetwork());
    expect(out).toContain(join(folder, "pictures/2026-11-20-"));
  });

  test("- writes the bytes to stdout, but is rejected on a terminal and for several pictures, before anything is paid for", async () => {
    const { run } = await painter(tinyPng());
    const { code, bytes } = await run("image cat --out - --no-metadata", overNetwork());
    expect({ code, bytes }).toEqual({ code: 0, bytes: Buffer.from(tinyPng()) });
    expect(await run("image cat --out - -n 2", overNetwork())).toMatchObject({ code: 2, requests: [] });
    const terminal = await run("image cat --out -", { ...overNetwork(), terminal: 80 });
    expect(terminal).toMatchObject({ code: 2, out: "", requests: [] });
  });

  test.each(["link/", "link/new/", "link/{slug}.{ext}"])(
    "if link is a symbolic link to a missing folder, refuses %s before anything is paid for",
    async (out) => {
      const { run, folder } = await painter(tinyPng());
      await symlink("nowhere", join(folder, "link"));
      const outcome = await run(["image", "cat", "--out", out], overNetwork());
      expect(outcome).toMatchObject({ code: 2, out: "", requests: [] });
      expect(outcome.err).toContain("link: it is a symbolic link to nowhere, which does not exist");
      expect(await readdir(folder)).toEqual(["link"]);
    },
  );

  test("with --force, keeps every picture of a run, even if a template gives them all the same name", async () => {
    const { run, folder } = await createCli({ respond });
    await writeFile(join(folder, "cat.png"), "old");
    const { code, out } = await run("image cat -n 4 --out {slug}.{ext} --force", overNetwork());
    const names = ["cat.png", "cat-2.png", "cat-3.png", "cat-4.png"];
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n").sort()).toEqual(names.map((name) => join(folder, name)).sort());
    for (const name of names) expect(await readFile(join(folder, name))).not.toEqual(Buffer.from("old"));
  });

  test("with --force, a run of several pictures does not replace files whose names were not typed", async () => {
    const { run, folder } = await createCli({ respond });
    for (const name of ["cat.png", "cat-2.png"]) await writeFile(join(folder, name), "mine");
    const { code } = await run("image cat -n 3 --out cat.png --force", overNetwork());
    expect(code).toBe(0);
    expect(await readFile(join(folder, "cat-2.png"), "utf8")).toBe("mine");
  });

  test("with --force, keeps both pictures of one response", async () => {
    const entry = { image: base64(tinyPng()) };
    const { run, folder } = await createCli({ respond: () => Response.json({ images: [entry, entry] }) });
    const { code } = await run("image cat --out cat.png --force", overNetwork());
    expect(code).toBe(0);
    expect((await readdir(folder)).sort()).toEqual(["cat-2.png", "cat.png"]);
  });

  test("--force replaces a file whose name is the typed name plus an extension", async () => {
    const { run, folder } = await painter(tinyPng());
    await writeFile(join(folder, "logo.v2.png"), "old");
    expect((await run("image cat --out logo.v2 --force", overNetwork())).out).toBe(
      `${join(folder, "logo.v2.png")}\n`,
    );
  });

  test("replaces an existing file only with --force", async () => {
    const { run, folder } = await painter(tinyPng());
    await writeFile(join(folder, "cat.png"), "mine");
    expect((await run("image cat --out cat.png", overNetwork())).out).toBe(`${join(folder, "cat-2.png")}\n`);
    expect(await readFile(join(folder, "cat.png"), "utf8")).toBe("mine");
    expect((await run("image cat --out cat.png --force", overNetwork())).out).toBe(
      `${join(folder, "cat.png")}\n`,
    );
    expect(await readFile(join(folder, "cat.png"), "utf8")).not.toBe("mine");
  });

  test.each(["cat.jpg", "{slug}.jpg"])(
    "--force with %s does not replace a file that has another extension",
    async (out) => {
      const { run, folder } = await painter(tinyPng());
      await writeFile(join(folder, "cat.png"), "mine");
      const { code, err } = await run(`image cat --out ${out} --force`, overNetwork());
      expect(code).toBe(0);
      expect(err).toContain(`The response is image/png, so it was saved as ${join(folder, "cat-2.png")}`);
      expect(await readFile(join(folder, "cat.png"), "utf8")).toBe("mine");
    },
  );

  test.each(["nowhere/cat.png", "{colour}.png", "cat{.png", "taken/cat.png", ""])(
    "rejects %j before anything is paid for",
    async (out) => {
      const { run, folder } = await painter(tinyPng());
      await writeFile(join(folder, "taken"), "a file");
      const outcome = await run(["image", "cat", "--out", out], overNetwork());
      expect(outcome).toMatchObject({ code: 2, out: "", requests: [] });
    },
  );
});

describe("a picture that was paid for is always kept", () => {
  test("in the current folder if the folder of --out was deleted meanwhile", async () => {
    const { run, folder } = await createCli({
      respond: async () => {
        await rm(join(folder, "pictures"), { recursive: true });
        return respond();
      },
    });
    await mkdir(join(folder, "pictures"));
    const { code, out, err } = await run("image cat --out pictures/cat.png", overNetwork());
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const [, path = ""] = /Saved to (\S+) instead, because you were charged for it\./.exec(err) ?? [];
    expect(path).toContain(join(folder, "2026-11-20-"));
    expect((await readFile(path)).subarray(1, 4).toString()).toBe("PNG");
  });

  test("in the temporary folder if the current folder was deleted, too", async () => {
    const { run, folder } = await createCli({
      respond: async () => {
        await rename(folder, `${folder}-away`);
        await writeFile(folder, "a file in the folder's place");
        return respond();
      },
    });
    const { code, out, err } = await run("image cat --out cat.png", overNetwork());
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const [, path = ""] = /Saved to (\S+) instead/.exec(err) ?? [];
    expect(path).toContain(join(temporaryFolder(folder), "2026-11-20-"));
    expect((await readFile(path)).subarray(1, 4).toString()).toBe("PNG");
    await rm(`${folder}-away`, { recursive: true });
  });

  test("and its path is in the error if a later picture fails", async () => {
    let left = 2;
    const { run, folder } = await createCli({
      respond: () => {
        left -= 1;
        return left < 0 ? new Response("", { status: 500 }) : respond();
      },
    });
    const { code, err } = await run("image cat -n 3 --out cat.png", overNetwork());
    expect(code).toBe(10);
    expect(err).toContain(
      `Saved before the failure: ${join(folder, "cat-1.png")}, ${join(folder, "cat-2.png")}`,
    );
    expect((await readdir(folder)).sort()).toEqual(["cat-1.png", "cat-2.png"]);
  });

  test("and its path is in the error document with -o json if a later picture fails", async () => {
    let left = 1;
    const { run } = await createCli({
      respond: () => {
        left -= 1;
        return left < 0 ? new Response("", { status: 500 }) : respond();
      },
    });
    const { err } = await run("image cat -n 2 -o json", overNetwork());
    expect(JSON.parse(err).error.hint).toContain("Saved before the failure");
  });
});
