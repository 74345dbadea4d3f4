import { createServer } from "node:http";
import type { Page } from "puppeteer-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { servedSandbox } from "../sandbox/harness.ts";
import { inEachLook, overflowOf, seriousProblems, textOf, withBrowser } from "../support/browser.ts";
import { thorough } from "../support/thorough.ts";

const open = withBrowser();

const rentals = "/v2/on-demand/virtual-machine-rentals";
const until = (page: Page, condition: string) => page.waitForFunction(condition);
const shows = (page: Page, selector: string, text: string) =>
  until(
    page,
    `document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)})`,
  );
/** Uses the keyboard, because the page must work without a mouse. */
const press = async (page: Page, selector: string, key: "Enter" | "Space" = "Enter") => {
  await page.focus(selector);
  await page.keyboard.press(key);
};
const focused = (page: Page) =>
  page.evaluate("document.activeElement.id || document.activeElement.textContent");

// Only thorough runs include these tests, because starting Chromium takes long. Other tests read the page without a
// browser.
describe.runIf(thorough)("the page of a served sandbox in Chromium", () => {
  test("updates while requests arrive, and keeps opened details open and the focus in place", async () => {
    const { sandbox, url, post } = await servedSandbox();
    await post(rentals, { gpuCount: 1, label: "first" });
    const { page, problems, requests } = await open(url);
    await press(page, "#request-1 summary");
    expect(await page.$eval("#request-1 pre", ({ textContent }) => JSON.parse(textContent ?? ""))).toEqual({
      gpuCount: 1,
      label: "first",
    });
    await post(rentals, { gpuCount: 0 });
    await post("/v1/image/generation", { model_name: "SD1.5", prompt: "dunes", steps: 1, seed: 7 });
    await page.waitForSelector("#request-3");
    expect(
      await page.$$eval("#request-list > li", (items) =>
        items.map(({ id, textContent }) => [id, textContent?.slice(0, 3)]),
      ),
    ).toEqual([
      ["request-3", "200"],
      ["request-2", "400"],
      ["request-1", "200"],
    ]);
    expect(await page.$eval("#request-1 details", ({ open: isOpen }) => isOpen)).toBe(true);
    expect(await page.evaluate("document.activeElement.closest('li').id")).toBe("request-1");
    await until(page, "document.querySelector('#picture-list img')?.naturalWidth === 1024");
    sandbox.requests.clear();
    await shows(page, "#no-requests", "No requests yet");
    expect(await focused(page)).toBe("requests-title");
    expect(problems).toEqual([]);
    expect(requests.filter((one) => !one.startsWith(url) && !one.startsWith("data:"))).toEqual([]);
  });

  test("moves the clock, and can pause its own updates", async () => {
    const { sandbox, url, post } = await servedSandbox();
    await post(rentals, { gpuCount: 1, label: "first" });
    const { page, problems } = await open(url);
    await shows(page, "#rental-list", "Pending");
    await press(page, "#freeze");
    await shows(page, "#freeze", "Resume");
    expect(await focused(page)).toBe("freeze");
    await press(page, 'button[aria-label="Advance the clock: +1 h"]');
    await shows(page, "#time", "2026-11-20 13:00:00 UTCFrozen");
    await shows(page, "#rental-list", "Running");
    await page.select("#clock select", "days");
    await press(page, "#clock form button");
    await shows(page, "#time", "2026-11-30 13:00:00");
    expect(await textOf(page, "#message")).toBe("The clock was advanced.");

    await press(page, "#pause");
    expect(await textOf(page, "#connection")).toBe("Paused");
    sandbox.faults.add({ operation: "*", status: 503 });
    await press(page, "#pause");
    await shows(page, "#fault-list", "Every operation: returns 503");
    expect(problems).toEqual([]);
  });

  test("adds and removes a fault, adds a boot rule, and starts a scenario that removes the boot rule", async () => {
    const { sandbox, url, post } = await servedSandbox();
    const { page, problems } = await open(url);
    await press(page, "#add-fault summary");
    await page.select("#add-fault select", "createVirtualMachineRental");
    await press(page, '#add-fault input[name="reset"]', "Space");
    await press(page, "#add-fault button");
    await shows(page, "#add-fault .error", "reset cannot be combined with a status");
    expect(sandbox.faults.list()).toEqual([]);
    await press(page, '#add-fault input[name="reset"]', "Space");
    await press(page, "#add-fault button");
    await shows(page, "#fault-list", "createVirtualMachineRental: returns 503");
    expect(await textOf(page, "#add-fault .error")).toBe("");
    expect((await post(rentals, { gpuCount: 1 })).status).toBe(503);
    await shows(page, "#fault-list", "used up");
    await shows(page, "#request-1 .faulty", "fault 1");
    await press(page, "#fault-list button");
    await until(page, "document.querySelector('#fault-list').children.length === 0");
    expect(await focused(page)).toBe("faults-title");
    expect(sandbox.faults.list()).toEqual([]);

    await press(page, "#add-boot summary");
    await page.select("#add-boot select", "never");
    await page.type('#add-boot input[name="label"]', "stuck*");
    await press(page, "#add-boot button");
    await shows(page, "#boot-list", "label stuck*");
    expect(sandbox.boots.list()).toMatchObject([{ outcome: "never", label: "stuck*", times: null }]);
    await press(page, "#start-scenario summary");
    await press(page, 'button[aria-describedby="scenario-capacity-crunch"]');
    await shows(page, "#situation-list", "h100 is sold out in us-central-1, us-east-1");
    await until(page, "document.querySelector('#boot-list').children.length === 0");
    // The browser itself reports a response with an error status.
    expect(problems).toEqual([expect.stringContaining("400 (Bad Request)")]);
  });

  test("has a reference that finds an operation and sends a request", async () => {
    const { sandbox, url } = await servedSandbox();
    const { page, problems } = await open(`${url}/docs#createSshKey`);
    expect(await page.$eval("#createSshKey", ({ textContent }) => textContent)).toContain(
      "Add an SSH public key",
    );
    await page.type("#filter", "storage list");
    expect(
      await page.$$eval(".operation:not([hidden])", (operations) => operations.map(({ id }) => id)),
    ).toEqual(["listStorageVolumes"]);
    await page.$eval("#filter", (field) => {
      if ("value" in field) field.value = "";
    });
    await page.type("#filter", "createStorageVolume");
    await press(page, "#createStorageVolume summary");
    await press(page, "#createStorageVolume form button");
    await shows(page, "#createStorageVolume .result", "200");
    const response = await textOf(page, "#createStorageVolume .result pre");
    expect(JSON.parse(response)).toMatchObject({ id: 501 });
    await page.select("#createStorageVolume select", sandbox.keys.readOnly);
    await press(page, "#createStorageVolume form button");
    await shows(page, "#createStorageVolume .result", "FORBIDDEN");
    expect(sandbox.requests.list().map(({ status, key }) => [status, key])).toEqual([
      [200, "full"],
      [403, "readOnly"],
    ]);
    expect(problems).toEqual([expect.stringContaining("403 (Forbidden)")]);
  });

  test("has a reference that sends requests to the controls, and asks before it replaces the state", async () => {
    const { sandbox, url, post } = await servedSandbox();
    await post(rentals, { gpuCount: 2, label: "kept" });
    await post("/v1/image/generation", { model_name: "SD1.5", prompt: "dunes", steps: 1, seed: 7 });
    const { page, problems } = await open(`${url}/docs#control-scenario`);
    const form = (id: string) => `#control-${id} form`;
    const send = async (id: string) => {
      await page.$eval(`#control-${id}`, (details) => details.setAttribute("open", ""));
      await press(page, `${form(id)} button`);
    };
    const response = async (id: string) => JSON.parse(await textOf(page, `${form(id)} pre`));
    await send("scenario");
    await shows(page, `${form("scenario")} [role=status]`, "200");
    expect(sandbox.situations.list()).toHaveLength(2);
    await page.$eval("#control-requests", (details) => details.setAttribute("open", ""));
    await page.type(`${form("requests")} [name=where]`, "gpuCount=2\nlabel=kept");
    await send("requests");
    await shows(page, `${form("requests")} [role=status]`, "200");
    expect(await response("requests")).toMatchObject([{ number: 1 }]);

    await page.$eval("#control-media", (details) => details.setAttribute("open", ""));
    await page.type(`${form("media")} [name=id]`, "1");
    await send("media");
    await until(page, `document.querySelector("${form("media")} img")?.naturalWidth === 1024`);

    await send("snapshot");
    await shows(page, `${form("snapshot")} [role=status]`, "200");
    const snapshot = await textOf(page, `${form("snapshot")} pre`);
    // The browser of the tests dismisses every dialog.
    await send("reset");
    expect(sandbox.status().rentals.active).toBe(1);
    sandbox.reset();
    page.removeAllListeners("dialog");
    page.on("dialog", (dialog) => dialog.accept());
    await page.$eval(
      `${form("restore")} textarea`,
      (field, value) => {
        if ("value" in field) field.value = value;
      },
      snapshot,
    );
    await send("restore");
    await shows(page, `${form("restore")} [role=status]`, "200");
    expect(sandbox.status().rentals.active).toBe(1);
    await send("reset");
    await shows(page, `${form("reset")} [role=status]`, "200");
    expect(sandbox.status().rentals.active).toBe(0);
    expect(problems).toEqual(["a dialog: Replace everything in the sandbox?"]);
  });

  test("has no serious accessibility problem in light and dark colors, wide and narrow", async () => {
    const { sandbox, url, post } = await servedSandbox();
    await post(rentals, { gpuCount: 4, label: "a-label-that-is-much-longer-than-most-of-them-are" });
    await post(rentals, { gpuCount: 0 });
    await post("/v1/image/generation", { model_name: "SD1.5", prompt: "dunes", steps: 1, seed: 7 });
    await post("/v1/audio/generation", { text: "Done." });
    sandbox.scenario("flaky");
    sandbox.boots.add({ outcome: "slow", label: "a-label-that-is-much-longer-than-most-of-them-are" });
    for (const path of ["/", "/docs"]) {
      const { page } = await open(url + path);
      const opened =
        path === "/"
          ? "details"
          : "#createVirtualMachineRental, #getRental, #control-situation, #control-requests";
      await page.$$eval(opened, (found) => {
        for (const one of found) one.setAttribute("open", "");
      });
      await inEachLook(page, async () => {
        expect(await seriousProblems(page)).toEqual([]);
        expect(await overflowOf(page)).toBe(0);
      });
    }
  });

  test("cannot be controlled, embedded or read by a page of another origin", async () => {
    const { sandbox, url } = await servedSandbox();
    sandbox.clock.freeze();
    const other = createServer((_request, response) => {
      response
        .setHeader("content-type", "text/html")
        .end(`<title>other</title><iframe src="${url}/"></iframe>`);
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const { page } = await open(`http://localhost:${port}/`);
    const reached = await page.evaluate(`Promise.all([
      fetch("${url}/", { headers: { accept: "text/html" } }).then(() => "read", () => "refused"),
      fetch("${url}/_sandbox/clock/resume", { method: "POST", mode: "no-cors" }).then(({ type }) => type),
      new Promise((resolve) => {
        document.body.innerHTML += '<form method="post" target="frame" action="${url}/_sandbox/reset"></form><iframe name="frame"></iframe>';
        document.querySelector("[name=frame]").onload = () => resolve("sent");
        document.forms[0].submit();
      }),
    ])`);
    expect(reached).toEqual(["refused", "opaque", "sent"]);
    expect(page.frames().map((frame) => frame.url())).not.toContain(`${url}/`);
    expect(sandbox.clock.show().frozen).toBe(true);
  });
});
