import type { Drift, Finding } from "../plan/drift-findings.js";
import { guardRunner } from "../text/visible.js";
import { xmlAttribute, xmlText } from "./escape.js";
import { commentLimits, fieldViews } from "./field-view.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { fieldDiffLines } from "./markdown-parts.js";

/** Drift as a JUnit report: a failed test for each finding, or a single passed one when there are none. */
export async function renderDriftJunit(drift: Drift): Promise<string> {
  const diff = await lineDiffFor(drift.findings);
  const failures = drift.findings.length;
  const cases = failures === 0 ? [passedCase] : drift.findings.map((finding) => failedCase(finding, diff));
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="0"`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="edgewise drift" ${counts}>`,
    `  <testsuite name="${xmlAttribute(drift.stack)}" ${counts}>`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

const passedCase = '    <testcase classname="edgewise.drift" name="live matches the manifests"/>';

function failedCase({ address, fields, impact, message, source, type }: Finding, diff: LineDiff): string {
  const place = source === null ? "" : ` file="${xmlAttribute(source.file)}" line="${source.line}"`;
  const differences = fieldDiffLines(fieldViews(fields, diff, commentLimits), "drift");
  const text = [message, `impact: ${impact}`, ...differences].join("\n");
  return [
    `    <testcase classname="edgewise.drift.${xmlAttribute(type)}" name="${xmlAttribute(address)}"${place}>`,
    `      <failure type="${xmlAttribute(type)}" message="${xmlAttribute(message)}">${xmlText(text)}</failure>`,
    "    </testcase>",
  ].join("\n");
}
