import type { Drift, Finding } from "../plan/drift-findings.js";
import { shownCommit } from "../plan/plan-format.js";
import { guardRunner } from "../text/visible.js";
import { xmlAttribute, xmlText } from "./escape.js";
import { commentLimits, fieldViews } from "./field-view.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { fieldDiffLines } from "./markdown-parts.js";

/**
 * Drift as a JUnit report: a failed test for each finding, a skipped one for each that is pending, and a passed one when
 * nothing failed.
 */
export async function renderDriftJunit(drift: Drift): Promise<string> {
  const diff = await lineDiffFor(drift.findings);
  const skipped = drift.findings.filter(({ type }) => type === "pending").length;
  const failures = drift.findings.length - skipped;
  const found = drift.findings.map((finding) => testCase(finding, diff));
  const cases = failures === 0 ? [passedCase, ...found] : found;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="edgewise drift" ${counts}>`,
    `  <testsuite name="${xmlAttribute(drift.stack)}" ${counts}>`,
    ...commitProperties(drift),
    ...cases,
    "  </testsuite>",
    "</testsuites>",
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

/** The commit that was named, which is another one than that of the checkout. */
function commitProperties(drift: Drift): readonly string[] {
  const shown = shownCommit(drift);
  if (shown === null) return [];
  return [
    "    <properties>",
    `      <property name="commit" value="${xmlAttribute(shown.commit)}"/>`,
    `      <property name="ref" value="${xmlAttribute(shown.ref)}"/>`,
    "    </properties>",
  ];
}

const passedCase = '    <testcase classname="edgewise.drift" name="live matches the manifests"/>';

function testCase({ address, fields, impact, message, source, type }: Finding, diff: LineDiff): string {
  const place = source === null ? "" : ` file="${xmlAttribute(source.file)}" line="${source.line}"`;
  const differences = fieldDiffLines(fieldViews(fields, diff, commentLimits), "drift");
  const text = [message, `impact: ${impact}`, ...differences].join("\n");
  const outcome =
    type === "pending"
      ? `      <skipped message="${xmlAttribute(message)}"/>`
      : `      <failure type="${xmlAttribute(type)}" message="${xmlAttribute(message)}">${xmlText(text)}</failure>`;
  return [
    `    <testcase classname="edgewise.drift.${xmlAttribute(type)}" name="${xmlAttribute(address)}"${place}>`,
    outcome,
    "    </testcase>",
  ].join("\n");
}
