import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "puppeteer-core";
import { describe, expect, test, vi } from "vitest";
import {
  inEachLook,
  overflowOf,
  seriousProblems,
  textOf,
  type Viewed,
  withBrowser,
} from "../support/browser.ts";
import { tinyPng } from "../support/pictures.ts";
import { readRequest, withPngText } from "../support/png-text.ts";
import { createHome, type Home } from "../support/process.ts";
import { thorough } from "../support/thorough.ts";

const open = withBrowser();

/** Opens the gallery of a home from its file. */
async function view({ folder }: Pick<Home, "folder">): Promise<Viewed> {
  const viewed = await open(pathToFileURL(join(folder, "pictures", "index.html")).href);
  await viewed.page.waitForFunction(
    `[...document.querySelectorAll("#pictures img")].every(({ complete }) => complete)`,
  );
  return viewed;
}

/** A home with a gallery of three pictures that the sandbox drew. */
async function homeWithGallery(): Promise<Home> {
  const home = await createHome();
  for (const line of [
    'image "a lighthouse, it\'s dusk" --seed 7 --steps 9 -n 2 --out pictures/ --sandbox',
    'image "dunes" --size 1536x640 --seed 3 -m SD1.5 --lora Lineart:0.5 --out pictures/ --sandbox',
    "image gallery pictures",
  ]) {
    const { code, err } = await home.run(line);
    expect(code, err).toBe(0);
  }
  return home;
}

const isOpen = (page: Page): Promise<boolean> => page.$eval("dialog", ({ open }) => open);
const focused = (page: Page): Promise<string> =>
  page.$eval(":focus", ({ id, textContent }) => id || textContent || "");
const shownTitles = (page: Page): Promise<string[]> =>
  page.$$eval("#pictures li:not([hidden]) .title", (titles) =>
    titles.map(({ textContent }) => textContent ?? ""),
  );

// Starting Chromium takes long. Other tests read the page without a browser.
describe.runIf(thorough)("a gallery in Chromium", () => {
  test("works from its file: thumbnails, settings, keyboard, filter and a command line that runs", async () => {
    const home = await homeWithGallery();
    const { page, problems, requests } = await view(home);
    expect(await textOf(page, "#count")).toBe("3 pictures");
    const widths = await page.$$eval("#pictures img", (images) =>
      images.map(({ naturalWidth }) => naturalWidth),
    );
    expect(widths).toEqual([1024, 1024, 1536]);

    await page.click("#pictures li:nth-child(3) button");
    expect(await textOf(page, "#title")).toBe("dunes");
    expect(
      await page.$$eval("#settings div", (rows) =>
        rows.map(({ children }) => [...children].map((one) => one.textContent)),
      ),
    ).toEqual([
      ["Size", "1536×640"],
      ["Model", "SD1.5"],
      ["Steps", "30"],
      ["CFG scale", "5"],
      ["Seed", "3"],
      ["LoRA", "Lineart 0.5"],
    ]);

    await page.keyboard.press("ArrowRight");
    expect(await textOf(page, "#position")).toBe("1 of 3");
    expect(await focused(page)).toBe("title");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Escape");
    expect(await isOpen(page)).toBe(false);
    expect(await focused(page)).toContain("dunes");

    await page.focus("#filter");
    await page.keyboard.type("LIGHTHOUSE dusk-8");
    expect(await textOf(page, "#count")).toBe("1 of 3 pictures");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await isOpen(page)).toBe(true);
    await page.click("#copy");
    await page.waitForSelector("#copied:not(:empty)");
    expect(await textOf(page, "#copied")).toBe("Copied");
    await page.keyboard.press("Escape");
    // On a busy machine, the dialog may still be closing, and then it gets the first paste.
    const copied = await vi.waitFor(
      async () => {
        await page.$eval("#filter", (field) => {
          if ("value" in field) field.value = "";
        });
        await page.focus("#filter");
        await page.keyboard.press("KeyV", { commands: ["Paste"] });
        const text = await page.$eval("#filter", (field) => ("value" in field ? String(field.value) : ""));
        expect(text).not.toBe("");
        return text;
      },
      { timeout: 30_000 },
    );

    const again = await home.shell(`${copied} --sandbox --out again.png`).ended;
    expect(again.code, again.err).toBe(0);
    expect(readRequest(await readFile(join(home.folder, "again.png")))).toMatchObject({
      prompt: "a lighthouse, it's dusk",
      seed: 8,
      steps: 9,
    });
    expect(problems).toEqual([]);
    expect(requests.filter((url) => !url.startsWith("file://"))).toEqual([]);
  });

  test("with --embed, shows its pictures even if it is in another folder and the picture files were deleted", async () => {
    const home = await homeWithGallery();
    await mkdir(join(home.folder, "sent"));
    const path = join(home.folder, "sent", "page.html");
    expect(await home.run(`image gallery pictures --embed --out ${path}`)).toMatchObject({ code: 0 });
    await rm(join(home.folder, "pictures"), { recursive: true });
    const { page, problems, requests } = await open(pathToFileURL(path).href);
    await page.waitForFunction(
      `[...document.querySelectorAll("#pictures img")].every(({ complete }) => complete)`,
    );
    await page.click("#pictures li:nth-child(1) button");
    const widths = await page.$$eval("#pictures img, #large", (images) =>
      images.map(({ naturalWidth }) => naturalWidth),
    );
    expect(widths.sort()).toEqual([1024, 1024, 1024, 1536]);
    expect(await page.$eval("#full", (link) => link.hasAttribute("href"))).toBe(false);
    expect(problems).toEqual([]);
    expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([pathToFileURL(path).href]);
  });

  test("has no serious accessibility problem in light and dark colors, wide and narrow", async () => {
    const home = await createHome();
    const folder = join(home.folder, "pictures");
    await mkdir(folder);
    const request = {
      prompt: "a lighthouse",
      width: 1024,
      height: 1024,
      seed: 7,
      image: "sha256:1" as const,
      lora: { Lineart: 1 },
    };
    await writeFile(join(folder, "a.png"), withPngText(tinyPng(), request, "1"));
    await writeFile(join(folder, "b.png"), tinyPng());
    expect(await home.run("image gallery pictures")).toMatchObject({ code: 0 });
    const { page } = await view(home);
    await inEachLook(page, async () => {
      expect(await seriousProblems(page)).toEqual([]);
      await page.click("#pictures button");
      expect(await seriousProblems(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      await page.click("#close");
    });
  });

  test("shows the text in pictures and file names as plain text, and never runs it as code", async () => {
    const home = await createHome();
    const folder = join(home.folder, "pictures");
    await mkdir(folder);
    const attacks = [
      "</script><script>alert(1)</script>",
      '"><img src=x onerror=alert(2)>',
      "' onload='alert(3)",
      "<!-- ]]> &quot;&#34; \u2028 \0",
      "{{7*7}} javascript:alert(5)",
      "<style>*{display:none}</style><base href=https://example.com/><meta http-equiv=refresh content=0>",
    ];
    for (const [at, attack] of attacks.entries()) {
      const request = {
        prompt: attack,
        negative_prompt: attack,
        sampler: attack,
        model_name: attack,
        seed: attack,
      };
      await writeFile(join(folder, `${at}.png`), withPngText(tinyPng(), request, "1"));
    }
    const names = ["a\"b'c&d<e>.png", "100%25 #1?.png", "javascript:alert(6).png"];
    for (const name of names) await writeFile(join(folder, name), tinyPng());
    expect(await home.run("image gallery pictures")).toMatchObject({ code: 0 });

    const { page, problems, requests } = await view(home);
    const visible = (text: string) => text.replace("\0", "\ufffd");
    expect((await shownTitles(page)).sort()).toEqual([...attacks.map(visible), ...names].sort());
    const loaded = await page.$$eval("#pictures img", (images) =>
      images.map(({ naturalWidth }) => naturalWidth),
    );
    expect(loaded).toEqual(loaded.map(() => 1));
    for (let at = 1; at <= attacks.length + names.length; at++) {
      await page.click(`#pictures li:nth-child(${at}) button`);
      await page.click("#close");
    }
    expect(await page.$$eval("script, style, base, meta[http-equiv=refresh]", (found) => found.length)).toBe(
      2,
    );
    expect(problems).toEqual([]);
    expect(requests.filter((url) => !url.startsWith(pathToFileURL(folder).href))).toEqual([]);
  });
});
