import { escapeHtml } from "./escape.js";
import { commentLimits, driftLegend, itemFields } from "./field-view.js";
import { fieldDiffLines } from "./report-markdown.js";
import { type ReportItem, type ReportView, present } from "./report-view.js";

/** A failed test for each finding; skipped for what is pending or tolerated. */
export function renderJunit({ from, sections, stack }: ReportView, pathPrefix = ""): string {
  const items = sections.flatMap((section) => section.items);
  const skipped = items.filter(isApart).length;
  const failures = items.length - skipped;
  const passed = '    <testcase classname="edgewise.drift" name="live matches the manifests"/>';
  const found = items.map((item) => testCase(item, pathPrefix));
  const cases = failures === 0 ? [passed, ...found] : found;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0"`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="edgewise drift" ${counts}>`,
    `  <testsuite name="${xmlAttribute(stack)}" ${counts} skipped="${skipped}">`,
    ...present([from && `    <properties><property name="manifests" value="${xmlAttribute(from)}"/></properties>`]),
    ...cases,
    "  </testsuite>",
    "</testsuites>",
  ];
  return `${lines.join("\n")}\n`;
}

/** GitLab shows the text alone, Jenkins the message before it. */
function testCase(item: ReportItem, pathPrefix: string): string {
  const { address, group, id, impact, notes, sentence, source } = item;
  const place = source === null ? "" : ` file="${xmlAttribute(pathPrefix + source.file)}" line="${source.line}"`;
  const differences = fieldDiffLines(itemFields(item, commentLimits));
  const text = [
    sentence,
    ...present([id && `id: ${id}`]),
    `impact: ${impact}`,
    ...notes,
    ...(differences.length === 0 ? [] : [`${driftLegend}:`, ...differences]),
  ];
  const message = xmlAttribute(sentence);
  const outcome = isApart(item)
    ? `<skipped message="${message}">${xmlText(sentence)}</skipped>`
    : `<failure type="${group}" message="${message}">${xmlText(text.join("\n"))}</failure>`;
  return `    <testcase classname="edgewise.drift.${group}" name="${xmlAttribute(address)}"${place}>
      ${outcome}
    </testcase>`;
}

function xmlAttribute(text: string): string {
  return xmlText(text).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
}

function xmlText(text: string): string {
  return escapeHtml(text).replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD");
}

function isApart({ group }: ReportItem): boolean {
  return group === "pending" || group === "tolerated";
}
