// A Chromium for the page's tests. CTest (CMakeLists.txt) gives the samples' directory in
// SLACKLINE_SAMPLES, web/ in SLACKLINE_WEB and a Chromium in SLACKLINE_CHROMIUM.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before } from "node:test";

const { SLACKLINE_SAMPLES: samples, SLACKLINE_WEB: web, SLACKLINE_CHROMIUM: chromium } = process.env;
const playwright = createRequire(join(web, "package.json"))("playwright-core");

let browser;

export async function launch(...more) {
  const root = process.getuid() === 0; // Chromium's sandbox refuses to run as root
  const args = ["--disable-dev-shm-usage", "--disable-background-networking", "--enable-unsafe-swiftshader"];
  return playwright.chromium.launch({
    executablePath: chromium,
    args: [...args, ...(root ? ["--no-sandbox"] : []), ...more],
  });
}

before(async () => {
  browser = await launch();
});

after(() => browser.close());

export const samplePath = (sample) => join(samples, `${sample}.html`);

/** What the software renderer of a machine without a graphics card says. */
const RENDERER = /GL Driver Message|software WebGL/;

/** Opens a page, runs `look` and checks that it neither complained nor asked for anything. */
export async function withFile(path, { hash = "", init, browser: other = browser, ...options }, look) {
  const context = await other.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  if (init) await page.addInitScript(init);
  const complaints = [];
  const requests = [];
  page.on("console", (message) => {
    if (!RENDERER.test(message.text())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  const url = pathToFileURL(path).href;
  await page.goto(url + hash);
  if (options.javaScriptEnabled !== false) await page.locator("h1").waitFor();
  await look(page);
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.map((request) => request.split("#")[0]), [url]);
  await context.close();
}

export const withPage = (sample, options, look) => withFile(samplePath(sample), options, look);

export const texts = (page, selector) => page.locator(selector).allInnerTexts();

/**
 * Follows a link within the page, until the page has heard of it. By the keyboard: the page may scroll at any time, and a
 * button pressed above one thing and released above another is no click.
 */
export async function followLink(page, link) {
  await page.evaluate(() => {
    window.heard = false;
    addEventListener("hashchange", () => (window.heard = true), { once: true });
  });
  await link.press("Enter");
  await until(page, () => window.heard);
}

/** Whether any pixel of a canvas has been drawn on. */
export const isDrawn = (canvas) =>
  canvas.evaluate((element) => {
    const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
    return data.some((byte) => byte !== 0);
  });

/** Waits until `holds(argument)`, evaluated in the page, does. (Playwright's own waitForFunction asks
 * again by eval, which the page's security policy forbids.) */
export async function until(page, holds, argument) {
  const deadline = Date.now() + 30_000;
  while (!(await page.evaluate(holds, argument))) {
    assert.ok(Date.now() < deadline, `still not so: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Until nothing is being read and the pictures and the address have stayed the same for 400 ms of the page's own timers,
 * however slow the machine is.
 */
export async function atRest(page) {
  await page.evaluate(async () => {
    const reads = () => document.querySelector("[aria-busy=true]") !== null;
    const pause = () => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 100));
    const state = () => location.hash + [...document.querySelectorAll("canvas")].map((c) => c.toDataURL()).join();
    let before = state();
    for (let same = 0; same < 4; ) {
      await pause();
      const now = state();
      same = now === before && !reads() ? same + 1 : 0;
      before = now;
    }
  });
}
