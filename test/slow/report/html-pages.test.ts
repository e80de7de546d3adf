import { describe, expect, it } from "vitest";
import { renderDriftHtml } from "../../../src/report/drift-html.ts";
import { renderPlanHtml } from "../../../src/report/plan-html.ts";
import { type View, sharedBrowser } from "./in-browser.ts";
import { driftOf, finding, sampleDrift } from "../../report/sample-drift.ts";
import { change, field, operation, planOf, samplePlan } from "../../report/sample-plan.ts";

const { look, show } = sharedBrowser();
/** A policy of hundreds of rules; the one in the middle does what `type` says. */
function longPolicy(type: string) {
  return {
    on_http_request: Array.from({ length: 300 }, (_, index) => ({
      name: `rule ${index}`,
      expressions: [`conn.client_ip.inCidr('10.0.${index % 256}.0/24')`],
      actions: [{ type: index === 150 ? type : "deny", config: { status_code: 403 } }],
    })),
  };
}

const page = (mark: string): string =>
  Array.from({ length: 2000 }, (_, index) => `  <p>${index === 1000 ? mark : `line ${index}`}</p>\n`).join("");

const longDiffs = async (): Promise<string> =>
  renderPlanHtml(
    planOf([
      change("TLSEdge/api", "update", [
        field("spec.traffic_policy.value", JSON.stringify(longPolicy("deny")), JSON.stringify(longPolicy("log"))),
      ]),
      change("HTTPResponseBackend/page", "update", [field("spec.body", page("open"), page("closed"))]),
    ]),
  );

/** Four edges that pass hostports on, two of them in a circle, and an edge that is deleted. */
function movingPlan() {
  const claim = (name: string): string => `hostport:${name}.example.com:443`;
  return planOf([change("TLSEdge/a", "update", [])], {
    operations: [
      operation("op-1", {
        address: "TLSEdge/a",
        temporary: { restore: {}, takers: ["op-2"], claims: { [claim("a")]: "op-2", [claim("a2")]: "op-2" } },
      }),
      operation("op-2", {
        address: "TLSEdge/b",
        after: ["op-1"],
        waits: { "op-1": "free" },
        handsOver: { restore: {}, takers: ["op-3"], claims: { [claim("b")]: "op-3" } },
      }),
      operation("op-3", { address: "TLSEdge/a", after: ["op-1", "op-2"], waits: { "op-1": "same", "op-2": "free" } }),
      operation("op-4", {
        kind: "delete",
        method: "DELETE",
        address: "TLSEdge/gone",
        after: ["op-1", "op-2", "op-3"],
        waits: { "op-1": "last", "op-2": "last", "op-3": "last" },
      }),
    ],
  });
}

const long = "x".repeat(180);
const base64 = "QUJD".repeat(500);

/** Everything that is too long for a narrow page. */
function longPlan() {
  const address = `TLSEdge/${"n".repeat(100)}` as const;
  return planOf(
    [
      change(
        address,
        "update",
        [
          field(`spec.${long}`, `https://example.com/${long}`, `https://example.com/y${long}`, {
            impact: "routing",
            reason: `because of https://example.com/${long}`,
          }),
          field("spec.hostports", [`${long}.example.com:443`], [`y${long}.example.com:443`]),
          field("spec.body", `a\n${base64}\nb\n`, `a\n${base64}x\nb\n`),
          field("spec.one", base64, null),
        ],
        { id: long, impact: "routing", reason: long, notes: [base64], source: { file: `${long}.yaml`, line: 1 } },
      ),
    ],
    {
      baseUrl: `https://${long}.example.com/`,
      refusals: [{ code: "lockout", address, message: base64, remedy: base64 }],
      warnings: [{ code: "traffic-gap", address, message: base64 }],
      operations: [
        operation("op-1", {
          address,
          path: `/${long}`,
          temporary: { restore: {}, takers: ["op-2"], claims: { [`hostport:${long}.example.com:443`]: "op-2" } },
        }),
        operation("op-2", { address, path: `/${long}`, after: ["op-1"], waits: { "op-1": "free" }, why: base64 }),
      ],
    },
  );
}

const pages: readonly (readonly [string, () => string | Promise<string>])[] = [
  ["a plan", async () => renderPlanHtml(samplePlan(), { commit: "89abcdef" })],
  ["a plan that moves hostports", async () => renderPlanHtml(movingPlan())],
  ["a plan of long names and values", async () => renderPlanHtml(longPlan())],
  ["a plan without changes", async () => renderPlanHtml(planOf([]))],
  ["drift", async () => renderDriftHtml(sampleDrift())],
  ["no drift", async () => renderDriftHtml(driftOf([]))],
  [
    "drift of long names",
    async () => renderDriftHtml(driftOf([finding("dangling", { address: `TLSEdge/${long}`, message: base64 })])),
  ],
];

/** Elements whose content is larger than they are, and cut or scrolled. */
const hiding = `[...document.querySelectorAll("body *")].filter((each) => {
  const { overflowX, overflowY, position } = getComputedStyle(each);
  if (each.matches("input") || position === "absolute") return false;
  return (overflowX !== "visible" && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0) ||
    (overflowY !== "visible" && each.scrollHeight > each.clientHeight + 1 && each.clientHeight > 0);
}).map((each) => each.outerHTML.slice(0, 200))`;

const openAll = `for (const each of document.querySelectorAll("details")) each.open = true`;

it.for(pages)("the page of %s", async ([, render], context) => {
  const browser = await show(context, await render(), { width: 1280 });
  await browser.evaluate(openAll);
  for (const width of [1280, 700, 320]) {
    await look(browser, { width });
    expect(await browser.evaluate("document.scrollingElement.scrollWidth"), `${width} wide`).toBeLessThanOrEqual(width);
    expect(await browser.evaluate(hiding), `${width} wide`).toEqual([]);
  }
  for (const [scheme, background] of [
    ["light", "rgb(246, 247, 249)"],
    ["dark", "rgb(17, 21, 28)"],
  ] as const) {
    await look(browser, { width: 1280, scheme });
    expect(await browser.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(background);
    expect(await browser.evaluate(poorContrasts)).toEqual([]);
  }
  expect(await browser.evaluate(deadLinks)).toEqual([]);
  expect(await browser.evaluate(namelessControls)).toEqual([]);
  expect(await browser.evaluate(repeatedIds)).toEqual([]);
});

const deadLinks = `[...document.querySelectorAll("a")].map((a) => a.getAttribute("href")).filter((href) => !document.getElementById(href.slice(1)))`;
const namelessControls = `[...document.querySelectorAll("input, button")].filter((each) => !(each.ariaLabel || each.textContent || each.closest("label")?.textContent)).map((each) => each.outerHTML)`;
const repeatedIds = `[...document.querySelectorAll("[id]")].map(({ id }) => id).filter((id, index, all) => all.indexOf(id) !== index)`;

/** Visible texts whose colour is too near to what is behind them. */
const poorContrasts = `(() => {
  const channels = (color) => (color.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((value) => value / 255).map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      const color = getComputedStyle(each).backgroundColor;
      if (color !== "rgba(0, 0, 0, 0)") return color;
    }
    return "rgb(255, 255, 255)";
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join("");
    if (text === "" || !element.checkVisibility() || element.closest("script, title")) continue;
    const style = getComputedStyle(element);
    const [a, b] = [luminance(style.color), luminance(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(element.outerHTML.slice(0, 120) + " " + contrast.toFixed(2));
  }
  return found;
})()`;

describe("a long difference", () => {
  const wide: View = { width: 1280 };
  const changed = `[...document.querySelectorAll(".diff > ins, .diff > del")].map((line) => [line.textContent, line.checkVisibility()])`;

  it("shows what changes with what is around it, and emphasises where", async (context) => {
    const browser = await show(context, await longDiffs(), wide);
    expect(await browser.evaluate(changed)).toEqual([
      ["-       - type: deny", true],
      ["+       - type: log", true],
      ["-   <p>open</p>", true],
      ["+   <p>closed</p>", true],
    ]);
    const texts = (selector: string): string =>
      `[...document.querySelectorAll("${selector}")].map((each) => each.textContent)`;
    expect(await browser.evaluate(texts(".diff > del b, .diff > ins b"))).toEqual(["deny", "log", "open", "closed"]);
    expect(await browser.evaluate(texts(".fold > summary"))).toEqual([
      "⋮ 1052 unchanged lines",
      "⋮ 1042 unchanged lines",
      "⋮ 997 unchanged lines",
      "⋮ 996 unchanged lines",
    ]);
    // In one window, without scrolling.
    expect(
      await browser.evaluate("document.querySelector('.diff > ins').getBoundingClientRect().bottom < innerHeight"),
    ).toBe(true);
  });

  it("is printed whole, without controls, and folded again afterwards", async (context) => {
    const html = await longDiffs();
    const browser = await show(context, html, { width: 718, media: "print", scheme: "dark" });
    const lines = `[...document.querySelectorAll(".diff span, .diff ins")].filter((each) => each.checkVisibility()).length`;
    const all = 1 + 300 * 7 + 2000;
    expect(await browser.evaluate(lines)).toBe(all);
    expect(
      await browser.evaluate(
        "[...document.querySelectorAll('input, button')].filter((each) => each.checkVisibility()).length",
      ),
    ).toBe(0);
    expect(await browser.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    expect(await browser.evaluate(hiding)).toEqual([]);
    const open = "document.querySelectorAll('details[open]').length";
    const count = await browser.evaluate(open);
    const { data } = await browser.send("Page.printToPDF", { printBackground: true });
    expect(String(data).length).toBeGreaterThan(10_000);
    expect(await browser.evaluate(open)).toBe(count);
  });
});

describe("the page of many changes or findings", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      address: `TLSEdge/e${index}` as const,
      impact: index % 40 === 39 ? ("security" as const) : ("routing" as const),
      fields: [field("spec.description", "old", "new")],
    }));
  const opened = `[...document.querySelectorAll("details.card[open]")].map((card) => card.querySelector(".name").textContent)`;
  const first = `document.querySelector(".card .name").textContent`;

  it("begins with the gravest, which are open", async (context) => {
    const changes = many(120).map(({ address, fields, impact }) => change(address, "update", fields, { impact }));
    const findings = many(120).map((each) => finding("modified", each));
    for (const html of [await renderPlanHtml(planOf(changes)), await renderDriftHtml(driftOf(findings))]) {
      const browser = await show(context, html, { width: 1280 });
      expect(await browser.evaluate(first)).toBe("TLSEdge/e39");
      expect(await browser.evaluate(opened)).toEqual(["TLSEdge/e39", "TLSEdge/e79", "TLSEdge/e119"]);
    }
  });
});
