import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type TestContext, afterAll, expect } from "vitest";
import { Browser, findChromium } from "./browser.ts";

type Work = (browser: Browser) => Promise<void>;

/**
 * A Chromium for the tests of a file, which opens a page for each and expects that no script of it fails. Where there is no
 * Chromium the test is skipped, and the closing line counts it; in CI, which installs one, it fails.
 */
export function useBrowser(): (context: TestContext, url: string, work: Work) => Promise<void> {
  let browser: Browser | null = null;
  afterAll(() => browser?.close());
  return async (context, url, work) => {
    const chromium = findChromium();
    if (chromium === null && process.env["CI"] !== "true") context.skip("no Chromium was found on the PATH");
    expect(chromium, "no Chromium was found on the PATH").not.toBeNull();
    browser ??= new Browser(chromium ?? "");
    await browser.open(url);
    await work(browser);
    expect(browser.events.filter(({ method }) => method === "Runtime.exceptionThrown")).toEqual([]);
  };
}

export function useReports(): (context: TestContext, html: string, work: Work) => Promise<void> {
  const browsing = useBrowser();
  const folder = mkdtempSync(join(tmpdir(), "edgewise-html-"));
  const file = join(folder, "report.html");
  afterAll(() => rmSync(folder, { recursive: true }));
  return async (context, html, work) => {
    writeFileSync(file, html);
    await browsing(context, pathToFileURL(file).href, async (browser) => {
      await work(browser);
      expect(browser.events.filter(({ method }) => method === "Log.entryAdded")).toEqual([]);
      expect(browser.events.filter(({ method }) => method === "Network.requestWillBeSent")).toHaveLength(1);
    });
  };
}
