import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type TestContext, afterAll, expect } from "vitest";
import { Browser, findChromium } from "./browser.ts";

/** Counts the cards of a report that can be seen. */
export const shownCards =
  "[...document.querySelectorAll('[data-group]')].filter((card) => card.checkVisibility()).length";

/** Clicks the filter of a value. */
export const toggle = (value: string): string => `document.querySelector('input[value=${value}]').click()`;

/**
 * Opens a report in Chromium, and expects that it keeps its policy, fits the window and loads nothing else. Where there is
 * no Chromium the test is skipped, and the closing line counts it; in CI, which installs one, it fails.
 */
export async function inBrowser(
  context: TestContext,
  html: string,
  work: (evaluate: (script: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const chromium = chromiumFor(context);
  const folder = mkdtempSync(join(tmpdir(), "edgewise-html-"));
  const file = join(folder, "report.html");
  writeFileSync(file, html);
  const browser = new Browser(chromium);
  try {
    await browser.open(pathToFileURL(file).href);
    await work(async (script) => browser.evaluate(script));
    expect(await browser.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
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

/** How a page is looked at. */
export interface View {
  readonly width: number;
  readonly scheme?: "light" | "dark";
  readonly media?: "print";
}

/** One Chromium for all tests of a file, which ends with them. */
export function sharedBrowser(): {
  /** Opens a report where {@link inBrowser} would. */
  readonly show: (context: TestContext, html: string, view: View) => Promise<Browser>;
  /** Looks at the open report in another way. */
  readonly look: (browser: Browser, view: View) => Promise<void>;
} {
  let browser: Browser | null = null;
  const folder = mkdtempSync(join(tmpdir(), "edgewise-html-"));
  let pages = 0;
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });
  const look = async (shown: Browser, { media, scheme, width }: View): Promise<void> => {
    const metrics = { width, height: 900, deviceScaleFactor: 1, mobile: false };
    await shown.send("Emulation.setDeviceMetricsOverride", metrics);
    const features = [{ name: "prefers-color-scheme", value: scheme ?? "light" }];
    await shown.send("Emulation.setEmulatedMedia", { media: media ?? "", features });
  };
  const show = async (context: TestContext, html: string, view: View): Promise<Browser> => {
    const chromium = chromiumFor(context);
    const file = join(folder, `report-${(pages += 1)}.html`);
    writeFileSync(file, html);
    const url = pathToFileURL(file).href;
    if (browser === null) await (browser = new Browser(chromium)).open(url);
    else await browser.goTo(url);
    await look(browser, view);
    return browser;
  };
  return { look, show };
}

function chromiumFor(context: TestContext): string {
  const chromium = findChromium();
  if (chromium === null && process.env["CI"] !== "true") context.skip("no Chromium was found on the PATH");
  expect(chromium, "no Chromium was found on the PATH").not.toBeNull();
  return chromium ?? "";
}
