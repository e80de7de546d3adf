import { expect, it } from "vitest";
import { planView } from "../../../src/report/plan-view.ts";
import { driftView } from "../../../src/report/drift-view.ts";
import { renderHtml } from "../../../src/report/report-html.ts";
import { sampleDrift } from "../../report/sample-drift.ts";
import { change, field, planOf, samplePlan } from "../../report/sample-plan.ts";
import { useReports } from "./in-browser.ts";

const inBrowser = useReports();

const long = "x".repeat(180);
const base64 = "QUJD".repeat(500);

function longPlan() {
  const address = `TLSEdge/${"n".repeat(100)}` as const;
  const fields = [
    field(`spec.${long}`, `https://example.com/${long}`, `https://example.com/y${long}`, {
      impact: "routing",
      reason: `because of https://example.com/${long}`,
    }),
    field("spec.body", `a\n${base64}\nb\n`, `a\n${base64}x\nb\n`),
  ];
  return planOf([change(address, "update", fields, { id: long, impact: "routing", reason: long, notes: [base64] })], {
    baseUrl: `https://${long}.example.com/`,
    refusals: [{ code: "lockout", address, message: base64, remedy: base64 }],
    warnings: [{ code: "traffic-gap", address, message: base64 }],
  });
}

const hiding = `[...document.querySelectorAll("body *")].filter((each) => {
  const { overflowX, overflowY, position } = getComputedStyle(each);
  if (each.matches("input") || position === "absolute") return false;
  return (overflowX !== "visible" && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0) ||
    (overflowY !== "visible" && each.scrollHeight > each.clientHeight + 1 && each.clientHeight > 0);
}).map((each) => each.outerHTML.slice(0, 200))`;
const deadLinks = `[...document.querySelectorAll("a")].map((a) => a.getAttribute("href")).filter((href) => !document.getElementById(href.slice(1)))`;

it.for([
  ["a plan", async () => renderHtml(planView(samplePlan()))],
  ["a plan of long names and values", async () => renderHtml(planView(longPlan()))],
  ["drift", async () => renderHtml(driftView(sampleDrift()))],
] as const)("the page of %s fits the window, and its links lead somewhere", async ([, render], context) => {
  await inBrowser(context, await render(), async (browser) => {
    await browser.evaluate(`for (const each of document.querySelectorAll("details")) each.open = true`);
    for (const width of [1280, 320]) {
      const metrics = { width, height: 900, deviceScaleFactor: 1, mobile: false };
      await browser.send("Emulation.setDeviceMetricsOverride", metrics);
      expect(await browser.evaluate("document.scrollingElement.scrollWidth"), `${width}`).toBeLessThanOrEqual(width);
      expect(await browser.evaluate(hiding), `${width} wide`).toEqual([]);
    }
    expect(await browser.evaluate(deadLinks)).toEqual([]);
  });
});

it("a plan as html keeps its policy, loads nothing and folds", async (context) => {
  const hostile = change("TLSEdge/x<img src=http://127.0.0.1:9/ onerror=document.title='owned'>", "create", []);
  const plan = samplePlan();
  await inBrowser(context, renderHtml(planView({ ...plan, changes: [...plan.changes, hostile] })), async (browser) => {
    const open = "document.querySelectorAll('section > details.card[open]').length";
    const before = Number(await browser.evaluate(open));
    expect(before).toBeGreaterThan(0);
    await browser.evaluate("document.querySelector('section > details.card[open] > summary').click()");
    expect(await browser.evaluate(open)).toBe(before - 1);
    expect(await browser.evaluate("document.title")).toBe("Plan for edge-prod");
  });
});
