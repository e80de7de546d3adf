import { describe, expect, it } from "vitest";
import { renderPlanHtml } from "../../src/report/plan-html.ts";
import { expectGolden } from "./expect-golden.ts";
import { inBrowser, shownCards, toggle } from "./in-browser.ts";
import { change, operation, planOf, samplePlan } from "./sample-plan.ts";

describe("plan as html", () => {
  it("shows something of everything", async () => {
    expectGolden("plan.html", await renderPlanHtml(samplePlan(), { commit: "89abcdef" }));
  });

  it("draws operations that wait alike as one, and tables all of them", async () => {
    const operations = Array.from({ length: 201 }, (_, index) =>
      operation(`op-${index}`, {
        address: `TLSEdge/e${index}`,
        after: index > 0 ? ["op-0"] : [],
        waits: index > 0 ? { "op-0": "use" } : {},
      }),
    );
    const html = await renderPlanHtml(planOf([], { operations }));
    expect(html.match(/<g class=/g)).toHaveLength(2);
    expect(html).toContain("200 × update");
    for (const { address } of operations) expect(html).toContain(`<td class="mono">${address}</td>`);
  });
});

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
