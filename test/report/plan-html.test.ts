import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { renderPlanHtml } from "../../src/report/plan-html.ts";
import { Browser, findChromium } from "./browser.ts";
import { expectGolden } from "./expect-golden.ts";
import { change, operation, planOf, samplePlan } from "./sample-plan.ts";

describe("plan as html", () => {
  it("shows something of everything", async () => {
    expectGolden("plan.html", await renderPlanHtml(samplePlan(), { commit: "89abcdef" }));
  });

  it("draws the order of few operations, and tables that of many", async () => {
    const operations = Array.from({ length: 201 }, (_, index) =>
      operation(`op-${index}`, {
        address: `TLSEdge/e${index}`,
        after: index > 0 ? ["op-0"] : [],
        waits: index > 0 ? { "op-0": "use" } : {},
      }),
    );
    const many = await renderPlanHtml(planOf([], { operations }));
    expect(many).not.toContain("<svg");
    expect(many).toContain("TLSEdge/e200");
    const few = await renderPlanHtml(planOf([], { operations: operations.slice(0, 200) }));
    expect(few.match(/<rect/g)).toHaveLength(200);
  });
});

const chromium = findChromium();

describe("plan as html in a browser", () => {
  it("keeps its policy, loads nothing, filters and folds", { timeout: 60_000 }, async (context) => {
    if (chromium === null && process.env["CI"] !== "true") context.skip("no Chromium was found on the PATH");
    expect(chromium, "no Chromium was found on the PATH").not.toBeNull();
    const hostile = change("TLSEdge/x<img src=http://127.0.0.1:9/ onerror=document.title='owned'>", "create", []);
    const plan = samplePlan();
    const folder = mkdtempSync(join(tmpdir(), "edgewise-html-"));
    const file = join(folder, "plan.html");
    writeFileSync(file, await renderPlanHtml({ ...plan, changes: [...plan.changes, hostile] }));
    const browser = new Browser(chromium ?? "");
    try {
      await browser.open(pathToFileURL(file).href);
      const shown = "[...document.querySelectorAll('[data-group]')].filter((card) => card.checkVisibility()).length";
      const state = async (script: string): Promise<unknown> => browser.evaluate(`${script}; ${shown}`);
      const all = await state("0");
      expect(all).toBe(10);
      const toggle = (value: string): string => `document.querySelector('input[value=${value}]').click()`;
      expect(await state(toggle("update"))).toBe(6);
      expect(await state(toggle("irreversible"))).toBe(5);
      expect(await browser.evaluate("document.getElementById('status').textContent")).toBe("5 of 10 shown");
      expect(await state(`${toggle("update")}; ${toggle("irreversible")}`)).toBe(10);
      const find =
        "{ const box = document.querySelector('input[type=search]'); box.value = 'office'; box.dispatchEvent(new Event('input', { bubbles: true })) }";
      expect(await state(find)).toBe(1);
      const open = "document.querySelectorAll('details.card[data-group][open]').length";
      await browser.evaluate("document.getElementById('close').click()");
      expect(await browser.evaluate(open)).toBe(0);
      await browser.evaluate("document.getElementById('open').click()");
      expect(await browser.evaluate(open)).toBeGreaterThan(5);
      expect(await browser.evaluate("document.title")).toBe("Plan for edge-prod");
      expect(await browser.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      expect(await browser.evaluate("getComputedStyle(document.querySelector('details.card')).borderRadius")).toBe(
        "10px",
      );
      const noise = browser.events.filter(
        ({ method }) => method === "Log.entryAdded" || method === "Runtime.exceptionThrown",
      );
      expect(noise).toEqual([]);
      expect(browser.events.filter(({ method }) => method === "Network.requestWillBeSent")).toHaveLength(1);
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true });
    }
  });
});
