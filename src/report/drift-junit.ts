import { type Drift, type Finding } from "../plan/drift-findings.js";
import { shownCommit } from "../plan/plan-format.js";
import { guardRunner } from "../core/visible.js";
import { findingItem, names, otherFields } from "./drift-view.js";
import { xmlAttribute, xmlText } from "./escape.js";
import { commentLimits, driftLegend } from "./field-view.js";
import { fieldDiffLines } from "./markdown-parts.js";
import { itemFields } from "./report-view.js";

/**
 * Drift as a JUnit report: a failed test for each finding, a skipped one for each that is pending, and a passed one when
 * nothing failed.
 * @param options `pathPrefix` goes before every file: the path from the repository's root to the configuration's,
 *   ending in `/`
 */
export function renderDriftJunit(drift: Drift, { pathPrefix = "" }: { readonly pathPrefix?: string } = {}): string {
  const skipped = drift.findings.filter(({ type }) => type === "pending").length;
  const failures = drift.findings.length - skipped;
  const nameOf = testNames();
  const found = drift.findings.map((finding) => testCase(finding, nameOf(finding), pathPrefix));
  const passed = '    <testcase classname="edgewise.drift" name="live matches the manifests"/>';
  const cases = failures === 0 ? [passed, ...found] : found;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0"`;
  const shown = shownCommit(drift);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="edgewise drift" ${counts}>`,
    `  <testsuite name="${xmlAttribute(drift.stack)}" ${counts} skipped="${skipped}">`,
    ...(shown === null
      ? []
      : [
          "    <properties>",
          `      <property name="commit" value="${xmlAttribute(shown.commit)}"/>`,
          `      <property name="ref" value="${xmlAttribute(shown.ref)}"/>`,
          "    </properties>",
        ]),
    ...cases,
    "  </testsuite>",
    "</testsuites>",
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

/** Names that differ within each type: GitLab reads only the first of several tests with one name. */
function testNames(): (finding: Finding) => string {
  const numbers = new Map<string, number>();
  return ({ address, type }) => {
    const number = (numbers.get(`${type} ${address}`) ?? 0) + 1;
    numbers.set(`${type} ${address}`, number);
    return number === 1 ? address : `${address} #${number}`;
  };
}

/** GitLab shows the text of a failure alone, Jenkins its message and then the text: what is longer is in the text only. */
function testCase(finding: Finding, name: string, pathPrefix: string): string {
  const { id, impact, source, type } = finding;
  const place = source === null ? "" : ` file="${xmlAttribute(pathPrefix + source.file)}" line="${source.line}"`;
  const item = findingItem(finding);
  const differences = fieldDiffLines(itemFields(item, commentLimits));
  const message = item.sentence;
  const text = [
    `${message}${differences.length > 0 ? "" : otherFields(finding)}`,
    ...(id === null || names(message, id) || name.endsWith(`/${id}`) ? [] : [`id: ${id}`]),
    `impact: ${impact}`,
    ...(differences.length === 0 ? [] : [`${driftLegend}:`, ...differences]),
  ];
  const outcome =
    type === "pending"
      ? `<skipped message="${xmlAttribute(message)}">${xmlText(message)}</skipped>`
      : `<failure type="${type}" message="${xmlAttribute(message)}">${xmlText(text.join("\n"))}</failure>`;
  return `    <testcase classname="edgewise.drift.${type}" name="${xmlAttribute(name)}"${place}>
      ${outcome}
    </testcase>`;
}
