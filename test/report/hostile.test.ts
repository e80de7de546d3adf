import fc from "fast-check";
import { isDrift } from "../../src/plan/drift-findings.ts";
import { describe, expect, it } from "vitest";
import { planView } from "../../src/report/plan-view.ts";
import { driftView } from "../../src/report/drift-view.ts";
import { renderHtml } from "../../src/report/report-html.ts";
import { renderMarkdown } from "../../src/report/report-markdown.ts";
import { renderText } from "../../src/report/report-text.ts";
import { safeJson } from "../../src/core/visible.ts";
import { renderJunit } from "../../src/report/junit-report.ts";
import { renderGithub } from "../../src/report/github-annotations.ts";
import { runs } from "../support/runs.ts";
import { hostileDrift, hostilePlan } from "./hostile.ts";
import { proseOf } from "./markdown-prose.ts";

/**
 * Checks that a text is well-formed XML of the plain sort that reports use (no CDATA, comments or own entities) and
 * counts its elements by name. Throws where it is not.
 */
function checkXml(xml: string): ReadonlyMap<string, number> {
  const illegal = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.exec(xml);
  if (illegal !== null) throw new Error(`illegal character at ${illegal.index}`);
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!xml.startsWith(declaration)) throw new Error("no declaration");
  const counts = new Map<string, number>();
  const open: string[] = [];
  const token =
    /<(\/?)([a-z-]+)((?: [a-z]+="(?:[^<>"&]|&(?:amp|lt|gt|quot|apos|#\d+);)*")*)(\/?)>|((?:[^<>&]|&(?:amp|lt|gt|quot|#\d+);)+)/gy;
  token.lastIndex = declaration.length;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const match = token.exec(xml);
    if (match === null) throw new Error(`not well-formed at ${at}: ${xml.slice(at, at + 40)}`);
    const [, closing, name, , empty, text] = match;
    if (text !== undefined || name === undefined) continue;
    if (closing === "/") {
      if (open.pop() !== name) throw new Error(`</${name}> closes something else`);
      continue;
    }
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (empty !== "/") open.push(name);
  }
  if (open.length > 0) throw new Error(`<${open.join("><")}> left open`);
  return counts;
}

const active = /(?!\n|\t|\u200b)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{E0100}-\u{E01EF}]/u;

function expectQuiet(output: string): void {
  expect(output).not.toMatch(active);
  expect(output).not.toMatch(/^\s*::/m);
  expect(output).not.toMatch(/##\w*\[/);
}

function expectMarkdown(output: string, report: string): void {
  expectQuiet(output);
  expect(output.length).toBeLessThan(65_536);
  const [marker = "", ...rest] = output.split("\n");
  expect(marker).toMatch(new RegExp(`^<!-- edgewise:${report}:[^<>]* -->$`));
  expect(marker.slice(4, -3)).not.toMatch(/--/);
  const prose = proseOf(rest.join("\n"));
  expect(prose.openFence).toBe(false);
  expect(prose.text.replace(/<\/?(details|summary|code)>/g, "")).not.toMatch(/<(?=[a-z!/?])/i);
  expect(prose.text).not.toMatch(/@(?=[a-z0-9])/i);
  expect(prose.text).not.toMatch(/(?<!&)#(?=\d)/);
  expect(prose.text).not.toMatch(/\bGH-\d/i);
  expect(prose.text).not.toMatch(/https?:\/\//i);
  expect(prose.text).not.toMatch(/(?<!\\)\]\(/);
}

function expectHtml(output: string): void {
  expect(output.replaceAll("\n", "")).not.toMatch(active);
  expect(output).not.toContain("<script");
  expect(output).not.toContain("<x-evil");
  const tags = new Set(Array.from(output.matchAll(/<\/?([a-z0-9-]+)/gi), (match) => match[1]));
  const known =
    "html head meta title style body main header h1 h2 div span code b a nav ul ol li dl dt dd p section details summary small ins del i table thead tbody tr th td footer".split(
      " ",
    );
  for (const tag of tags) expect(known).toContain(tag);
  for (const [tag] of output.slice(output.indexOf("<main>"), output.indexOf("</main>")).matchAll(/<[a-z][^>]*>/gi)) {
    expect(tag.replace(/"[^"]*"/g, '""')).toMatch(/^<[a-z0-9]+(?: [a-zA-Z-]+(?:="")?)*\/?>$/);
    expect(tag.replace(/"[^"]*"/g, '""')).not.toMatch(/ on/);
  }
}

function expectGithub(output: string, lines: number): void {
  const all = output.split("\n");
  expect(all.pop()).toBe("");
  expect(all).toHaveLength(lines);
  for (const line of all) {
    expect(line).toMatch(/^::(?:notice|warning|error) (?:file=[^,:]*,line=\d+,)?title=[^,:]*::/);
    expect(line).not.toMatch(active);
    expect(line).not.toMatch(/##\w*\[/);
  }
}

describe("reports of hostile data", () => {
  it("plan as text", () =>
    fc.assert(
      fc.asyncProperty(hostilePlan(), fc.boolean(), async (plan, compact) => {
        expectQuiet(renderText(planView(plan), { color: false, compact }));
        expect(renderText(planView(plan), { color: true }).replace(/\u001b\[[0-9;]+m/g, "")).not.toMatch(active);
      }),
      runs(10),
    ));

  it("plan as markdown", () =>
    fc.assert(
      fc.asyncProperty(hostilePlan(1, 200), async (plan) => expectMarkdown(renderMarkdown(planView(plan)), "plan")),
      runs(10),
    ));

  it("plan as html", () =>
    fc.assert(
      fc.asyncProperty(hostilePlan(), async (plan) => expectHtml(renderHtml(planView(plan)))),
      runs(8),
    ));

  it("plan as annotations", () =>
    fc.assert(
      fc.property(hostilePlan(), (plan) => {
        const { refusals, sections, warnings } = planView(plan);
        const lines = sections.flatMap(({ items }) => items).length + refusals.length + warnings.length;
        expectGithub(renderGithub(planView(plan)), Math.max(1, lines));
      }),
      runs(10),
    ));

  it("plan and drift as JSON", () =>
    fc.assert(
      fc.property(hostilePlan(), hostileDrift, (plan, drift) => {
        for (const [text, data] of [
          [safeJson(plan), plan],
          [safeJson(drift), drift],
        ] as const) {
          expect(text.replaceAll("\n", "")).not.toMatch(active);
          expect(text).not.toMatch(/##\w*\[/);
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(data)));
        }
      }),
      runs(10),
    ));

  it("drift in every format", () =>
    fc.assert(
      fc.asyncProperty(hostileDrift, async (drift) => {
        expectQuiet(renderText(driftView(drift), { color: false }));
        expectMarkdown(renderMarkdown(driftView(drift)), "drift");
        expectHtml(renderHtml(driftView(drift)));
        expectGithub(renderGithub(driftView(drift)), Math.max(1, drift.findings.length));
        const junit = renderJunit(driftView(drift));
        expectQuiet(junit);
        const failures = drift.findings.filter(isDrift).length;
        expect(checkXml(junit).get("failure") ?? 0).toBe(failures);
        expect(checkXml(junit).get("skipped") ?? 0).toBe(drift.findings.length - failures);
      }),
      runs(10),
    ));
});
