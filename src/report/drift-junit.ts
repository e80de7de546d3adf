import type { Drift, Finding } from "../plan/drift-findings.js";
import { shownCommit } from "../plan/plan-format.js";
import { guardRunner } from "../text/visible.js";
import { xmlAttribute, xmlText } from "./escape.js";
import { commentLimits, driftLegend, driftViews } from "./field-view.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { findingSentence } from "./headline.js";
import { fieldDiffLines } from "./markdown-parts.js";
import { names, otherFields } from "./report-entries.js";

/**
 * Drift as a JUnit report: a failed test for each finding, a skipped one for each that is pending, and a passed one when
 * nothing failed.
 * @param options `pathPrefix` goes before every file: the path from the repository's root to the configuration's,
 *   ending in `/`
 */
export async function renderDriftJunit(
  drift: Drift,
  { pathPrefix = "" }: { readonly pathPrefix?: string } = {},
): Promise<string> {
  const diff = await lineDiffFor(drift.findings);
  const skipped = drift.findings.filter(({ type }) => type === "pending").length;
  const failures = drift.findings.length - skipped;
  const nameOf = testNames();
  const found = drift.findings.map((finding) => testCase(finding, nameOf(finding), diff, pathPrefix));
  const cases = failures === 0 ? [passedCase, ...found] : found;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0"`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="edgewise drift" ${counts}>`,
    `  <testsuite name="${xmlAttribute(drift.stack)}" ${counts} skipped="${skipped}">`,
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

/**
 * Names that differ within each type: GitLab reads only the first of several tests with one name, and two resources may
 * carry the marker of one address.
 */
function testNames(): (finding: Finding) => string {
  const taken = new Set<string>();
  // The last number of each address: an account may hold very many resources of one address.
  const numbers = new Map<string, number>();
  return ({ address, id, type }) => {
    const first = `${type} ${address}`;
    let name = taken.has(first) && id !== null ? `${address} (${id})` : address;
    let number = numbers.get(first) ?? 1;
    while (taken.has(`${type} ${name}`)) {
      number += 1;
      name = `${address} #${number}`;
    }
    numbers.set(first, number);
    taken.add(`${type} ${name}`);
    return name;
  };
}

/** GitLab shows the text of a failure alone, Jenkins its message and then the text: what is longer is in the text only. */
function testCase(finding: Finding, name: string, diff: LineDiff, pathPrefix: string): string {
  const { fields, id, impact, source, type } = finding;
  const place = source === null ? "" : ` file="${xmlAttribute(pathPrefix + source.file)}" line="${source.line}"`;
  const differences = fieldDiffLines(driftViews(fields, diff, commentLimits));
  const message = findingSentence(finding);
  const text = [
    `${message}${differences.length > 0 ? "" : otherFields(finding)}`,
    ...(id === null || names(message, id) || name.endsWith(`/${id}`) ? [] : [`id: ${id}`]),
    `impact: ${impact}`,
    ...(differences.length === 0 ? [] : [`${driftLegend}:`, ...differences]),
  ];
  const outcome =
    type === "pending"
      ? `      <skipped message="${xmlAttribute(message)}">${xmlText(message)}</skipped>`
      : `      <failure type="${xmlAttribute(type)}" message="${xmlAttribute(message)}">${xmlText(text.join("\n"))}</failure>`;
  return [
    `    <testcase classname="edgewise.drift.${xmlAttribute(type)}" name="${xmlAttribute(name)}"${place}>`,
    outcome,
    "    </testcase>",
  ].join("\n");
}
