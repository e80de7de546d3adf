import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { guardRunner } from "../text/visible.js";
import { xmlAttribute, xmlText } from "./escape.js";

/** A manifest that was checked. */
export interface CheckedManifest {
  readonly address: string;
  readonly source: { readonly file: string; readonly line: number };
}

/** What was checked, and what is wrong. */
export interface JunitInput {
  readonly diagnostics: readonly Diagnostic[];
  /** The manifests that could be read. */
  readonly manifests: readonly CheckedManifest[];
  /** Goes before every file: the path from the repository's root to the configuration's, ending in `/`. */
  readonly pathPrefix?: string;
}

/** A manifest, or a file whose problems belong to no manifest. */
interface TestCase {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly problems: Diagnostic[];
}

/**
 * Diagnostics as a JUnit report: a test for each manifest, and for each file with problems that belong to none. Those
 * with errors fail; warnings are their output. Without any manifest, the configuration is the test.
 */
export function renderDiagnosticsJunit({ diagnostics, manifests, pathPrefix = "" }: JunitInput): string {
  const cases = testCases(diagnostics, manifests);
  const nameOf = testNames();
  const failures = cases.filter(({ problems }) => problems.some(isError)).length;
  const shown = cases.length === 0 ? [passedCase] : cases.map((each) => testCase(each, nameOf(each), pathPrefix));
  const counts = `tests="${shown.length}" failures="${failures}" errors="0"`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="edgewise validate" ${counts}>`,
    `  <testsuite name="edgewise validate" ${counts} skipped="0">`,
    ...shown,
    "  </testsuite>",
    "</testsuites>",
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

const passedCase = '    <testcase classname="edgewise.validate" name="the configuration is valid"/>';

function testCases(diagnostics: readonly Diagnostic[], manifests: readonly CheckedManifest[]): readonly TestCase[] {
  const cases = new Map<string, TestCase>();
  for (const { address, source } of manifests) {
    cases.set(keyOf(address, source.file), { name: address, ...source, problems: [] });
  }
  for (const diagnostic of diagnostics) {
    const { address, file, line } = diagnostic;
    const key = keyOf(address, file);
    const found = cases.get(key) ?? { name: address ?? file, file, line, problems: [] };
    found.problems.push(diagnostic);
    cases.set(key, found);
  }
  return [...cases.values()];
}

/** A manifest whose name is taken is another test than the one that has the name. */
function keyOf(address: string | null, file: string): string {
  return JSON.stringify([address, file]);
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

/** GitLab reads only the first of several tests with one name. */
function testNames(): (each: TestCase) => string {
  const taken = new Set<string>();
  return ({ file, name }) => {
    const own = taken.has(name) ? `${name} (${file})` : name;
    taken.add(own);
    return own;
  };
}

function testCase({ file, line, problems }: TestCase, name: string, pathPrefix: string): string {
  const place = `file="${xmlAttribute(pathPrefix + file)}" line="${line}"`;
  const opening = `    <testcase classname="edgewise.validate" name="${xmlAttribute(name)}" ${place}`;
  if (problems.length === 0) return `${opening}/>`;
  const errors = problems.filter(isError);
  const [first] = errors;
  const warnings = problems.filter((problem) => !isError(problem));
  return [
    `${opening}>`,
    ...(first === undefined
      ? []
      : [
          `      <failure type="${xmlAttribute(first.code)}" message="${xmlAttribute(messageOf(errors, first))}">${xmlText(textOf(errors, pathPrefix))}</failure>`,
        ]),
    ...(warnings.length === 0 ? [] : [`      <system-out>${xmlText(textOf(warnings, pathPrefix))}</system-out>`]),
    "    </testcase>",
  ].join("\n");
}

function messageOf(errors: readonly Diagnostic[], first: Diagnostic): string {
  return errors.length === 1 ? first.message : `${first.message} (and ${errors.length - 1} more)`;
}

function textOf(problems: readonly Diagnostic[], pathPrefix: string): string {
  return problems
    .map(({ code, column, file, line, message, remedy, severity }) => {
      const text = `${pathPrefix}${file}:${line}:${column}: ${severity}: ${message} [${code}]`;
      return remedy === null ? text : `${text}\n${remedy}`;
    })
    .join("\n");
}
