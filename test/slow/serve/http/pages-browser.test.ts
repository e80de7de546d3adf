import { describe, expect, it } from "vitest";
import type { Browser } from "../../report/browser.ts";
import { useBrowser } from "../../report/in-browser.ts";
import { stackOf, startFake } from "../../../serve/http/fake-view.ts";
import { fleetForPages } from "../../../serve/http/pages-fleet.ts";

const browsing = useBrowser();

function logsOf(browser: Browser): readonly unknown[] {
  return browser.events.filter(({ method }) => method === "Log.entryAdded");
}

async function press(browser: Browser, key: string): Promise<void> {
  const code = { Tab: 9, Enter: 13 }[key] ?? 0;
  const text = key === "Enter" ? { text: "\r" } : {};
  for (const type of ["keyDown", "keyUp"])
    await browser.send("Input.dispatchKeyEvent", { type, key, code: key, windowsVirtualKeyCode: code, ...text });
}

async function until(browser: Browser, condition: string): Promise<void> {
  await expect.poll(async () => browser.evaluate(condition)).toBe(true);
}

/** Lets the page read itself again, as its timer does, until something is so: a page is put together once a second. */
async function untilRead(browser: Browser, condition: string): Promise<void> {
  const refresh = "document.dispatchEvent(new Event('visibilitychange'))";
  await expect.poll(async () => browser.evaluate(`${refresh}; ${condition}`), { interval: 300 }).toBe(true);
}

const focused = "document.activeElement.textContent || document.activeElement.name";

describe("pages in a browser", () => {
  it("keep their policy, load nothing, and fit 400 pixels, light and dark", async (context) => {
    const fleet = fleetForPages();
    fleet.stacks.push(stackOf("long", { state: "failed", message: `${"0".repeat(500)}: no such directory` }));
    const { url } = await startFake(fleet);
    await browsing(context, "about:blank", async (browser) => {
      for (const [path, scheme] of [
        ["/", "light"],
        ["/stacks/prod", "dark"],
        ["/stacks/long", "light"],
      ]) {
        await browser.goTo(`${url}${path}`);
        const features = [{ name: "prefers-color-scheme", value: scheme }];
        await browser.send("Emulation.setEmulatedMedia", { features });
        const size = { width: 400, height: 800, deviceScaleFactor: 1, mobile: false };
        await browser.send("Emulation.setDeviceMetricsOverride", size);
        expect(await browser.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        expect(
          await browser.evaluate("getComputedStyle(document.querySelector('.headline, table.fleet')).borderRadius"),
        ).toBe("10px");
      }
      expect(logsOf(browser)).toEqual([]);
      const asked = browser.events.filter(({ method }) => method === "Network.requestWillBeSent");
      expect(asked).toHaveLength(3);
    });
  });

  it("bring themselves up to date, and leave the focus and what is typed", async (context) => {
    const fleet = fleetForPages();
    const { url } = await startFake(fleet);
    await browsing(context, `${url}/`, async (browser) => {
      await browser.evaluate("document.querySelector('a.name[href=\"stacks/prod\"]').focus()");
      fleet.stacks.push(stackOf("added", { state: "failed" }));
      await untilRead(browser, "document.querySelector('a.name').textContent === 'added'");
      expect(await browser.evaluate(focused)).toBe("prod");
      await browser.evaluate(
        "{ const box = document.querySelector('input[type=search]'); box.focus(); box.value = 'acme' }",
      );
      fleet.stacks.pop();
      await untilRead(browser, "document.querySelector('a.name').textContent !== 'added'");
      expect(await browser.evaluate("document.activeElement.value")).toBe("acme");
    });
  });

  it("say so when nobody answers, so that nothing looks newer than it is", async (context) => {
    const server = await startFake(fleetForPages());
    await browsing(context, `${server.url}/stacks/prod`, async (browser) => {
      expect(await browser.evaluate("document.getElementById('stale').checkVisibility()")).toBe(false);
      await server.close();
      await untilRead(
        browser,
        "document.getElementById('stale').textContent.startsWith('edgewise serve does not answer')",
      );
    });
  });

  it("show approval and a changed plan without a reload", async (context) => {
    const fleet = fleetForPages();
    const { url } = await startFake(fleet);
    await browsing(context, `${url}/stacks/prod`, async (browser) => {
      fleet.stacks = [stackOf("prod")];
      fleet.plans.clear();
      await untilRead(browser, "document.querySelector('.headline .state').textContent === 'synced'");
      expect(await browser.evaluate("document.getElementById('approval').textContent")).toBe("");
      expect(await browser.evaluate("document.getElementById('stale').textContent")).toContain("The plan has changed");
    });
  });

  it("work with the keyboard alone", async (context) => {
    const { url } = await startFake(fleetForPages());
    await browsing(context, `${url}/`, async (browser) => {
      const met: unknown[] = [];
      for (let at = 0; at < 12; at += 1) {
        await press(browser, "Tab");
        met.push(await browser.evaluate(focused));
      }
      expect(met).toEqual([
        "q",
        "Find",
        "8all",
        "1failed",
        "1refused",
        "1unknown",
        "1orphaned",
        "2waiting",
        "1pending",
        "1synced",
        "tenants/acme",
        "tenants/initech",
      ]);
      expect(await browser.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
      await press(browser, "Enter");
      await until(browser, "location.pathname === '/stacks/tenants%2Finitech' && document.readyState === 'complete'");
    });
  });

  it("work without a script, and read themselves again", async (context) => {
    const { url } = await startFake(fleetForPages());
    await browsing(context, "about:blank", async (browser) => {
      await browser.send("Emulation.setScriptExecutionDisabled", { value: true });
      await browser.send("Page.navigate", { url: `${url}/` });
      await until(browser, "document.readyState === 'complete' && document.querySelectorAll('a.name').length === 8");
      expect(await browser.evaluate("document.querySelector('meta[http-equiv=refresh]').content")).toBe("30");
      const click = "document.querySelector('.tiles a[href=\"?state=waiting\"]').click()";
      await browser.evaluate(click);
      await until(browser, "document.readyState === 'complete' && document.querySelectorAll('a.name').length === 2");
      await browser.evaluate("document.querySelector('input[type=search]').value = 'globex'");
      await browser.evaluate("document.querySelector('form.search button').click()");
      await until(
        browser,
        "location.search === '?state=waiting&q=globex' && document.querySelectorAll('a.name').length === 1",
      );
    });
  });
});
