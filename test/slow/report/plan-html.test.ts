import { describe, expect, it } from "vitest";
import { renderPlanHtml } from "../../../src/report/plan-html.ts";
import { change, samplePlan } from "../../report/sample-plan.ts";
import { inBrowser, shownCards, toggle } from "./in-browser.ts";

describe("plan as html in a browser", () => {
  it("keeps its policy, loads nothing, filters and folds", async (context) => {
    const hostile = change("TLSEdge/x<img src=http://127.0.0.1:9/ onerror=document.title='owned'>", "create", []);
    const plan = samplePlan();
    const html = await renderPlanHtml({ ...plan, changes: [...plan.changes, hostile] });
    await inBrowser(context, html, async (evaluate) => {
      const state = async (script: string): Promise<unknown> => evaluate(`${script}; ${shownCards}`);
      expect(await state("0")).toBe(10);
      expect(await state(toggle("update"))).toBe(6);
      expect(await state(toggle("irreversible"))).toBe(5);
      expect(await evaluate("document.getElementById('status').textContent")).toBe("5 of 10 shown");
      expect(await state(`${toggle("update")}; ${toggle("irreversible")}`)).toBe(10);
      const find =
        "{ const box = document.querySelector('input[type=search]'); box.value = 'office'; box.dispatchEvent(new Event('input', { bubbles: true })) }";
      expect(await state(find)).toBe(1);
      const open = "document.querySelectorAll('details.card[data-group][open]').length";
      await evaluate("document.getElementById('close').click()");
      expect(await evaluate(open)).toBe(0);
      await evaluate("document.getElementById('open').click()");
      expect(await evaluate(open)).toBeGreaterThan(5);
      expect(await evaluate("document.title")).toBe("Plan for edge-prod");
      expect(await evaluate("getComputedStyle(document.querySelector('details.card')).borderRadius")).toBe("10px");
    });
  });
});
