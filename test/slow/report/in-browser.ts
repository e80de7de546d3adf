import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type TestContext, expect } from "vitest";
import { Browser, findChromium } from "./browser.ts";

/**
 * Opens a report in Chromium, and expects that it keeps its policy and loads nothing else. Where there is no Chromium the
 * test is skipped, and the closing line counts it; in CI, which installs one, it fails.
 */
export async function inBrowser(
  context: TestContext,
  html: string,
  work: (browser: Browser) => Promise<void>,
): Promise<void> {
  const chromium = findChromium();
  if (chromium === null && process.env["CI"] !== "true") context.skip("no Chromium was found on the PATH");
  expect(chromium, "no Chromium was found on the PATH").not.toBeNull();
  const folder = mkdtempSync(join(tmpdir(), "edgewise-html-"));
  const file = join(folder, "report.html");
  writeFileSync(file, html);
  const browser = new Browser(chromium ?? "");
  try {
    await browser.open(pathToFileURL(file).href);
    await work(browser);
    const noise = browser.events.filter(
      ({ method }) => method === "Log.entryAdded" || method === "Runtime.exceptionThrown",
    );
    expect(noise).toEqual([]);
    expect(browser.events.filter(({ method }) => method === "Network.requestWillBeSent")).toHaveLength(1);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}
