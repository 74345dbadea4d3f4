import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { needs, pathOf } from "./programs.ts";
import { thorough } from "./thorough.ts";

export interface Viewed {
  readonly page: Page;
  /** What the page reported: errors, console messages, failed requests and dialogs. */
  readonly problems: readonly string[];
  /** The URLs that the page requested. */
  readonly requests: readonly string[];
}

/**
 * Starts Chromium for the tests of a file, but only in a thorough run. If Chromium is not installed, `needs` skips the
 * tests or makes them fail. Returns a function that opens a page in Chromium.
 */
export function withBrowser(): (url: string) => Promise<Viewed> {
  const { CHROMIUM_PATH: executablePath = pathOf("chromium") } = process.env;
  if (executablePath === undefined) needs("chromium");
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (executablePath === undefined || !thorough) return;
    const { launch } = await import("puppeteer-core");
    // In a container, Chromium cannot create the namespaces that its sandbox needs.
    browser = await launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  });
  afterAll(() => browser?.close());
  return async (url) => {
    if (browser === undefined) throw new Error("Chromium did not start");
    const context = await browser.createBrowserContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const problems: string[] = [];
    const requests: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("console", (message) => problems.push(message.text()));
    page.on("requestfailed", (request) => problems.push(`${request.url()} failed`));
    page.on("dialog", async (dialog) => {
      problems.push(`a dialog: ${dialog.message()}`);
      await dialog.dismiss();
    });
    page.on("request", (request) => requests.push(request.url()));
    await page.setViewport({ width: 1280, height: 800 });
    await page.goto(url, { waitUntil: "load" });
    return { page, problems, requests };
  };
}

export const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (element) => element.textContent ?? "");

/** The accessibility problems of a page that axe rates as serious or critical. */
export async function seriousProblems(page: Page): Promise<unknown> {
  const { default: axe } = await import("axe-core");
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => ({ id, targets: nodes.map(({ target, failureSummary }) => [target, failureSummary]) })))`);
}

const looks = [
  { colors: "light", width: 1280 },
  { colors: "dark", width: 390 },
  { colors: "dark", width: 1280 },
  { colors: "light", width: 390 },
] as const;

/** Runs checks in light and in dark colors, each at the width of a laptop and of a phone. */
export async function inEachLook(page: Page, look: () => Promise<void>): Promise<void> {
  for (const { colors, width } of looks) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: colors }]);
    await page.setViewport({ width, height: 800 });
    await look();
  }
}

/** By how many pixels a page is wider than its window. */
export const overflowOf = (page: Page): Promise<unknown> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
