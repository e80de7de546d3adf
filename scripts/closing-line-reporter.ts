import type { Reporter, TestModule } from "vitest/node";

/** The counts of a test run. */
interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The closing line of a test run: `12 passed, 0 failed`, with `, 3 skipped` when some were. */
function closingLine(counts: Counts): string {
  const skipped = counts.skipped === 0 ? "" : `, ${counts.skipped} skipped`;
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}

/**
 * Counts every test once. A file that could not be loaded, a failed hook, an unhandled error and a run without any
 * file count as one failure each, so `0 failed` is never the last line of a run that did not succeed.
 */
function count(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): Counts {
  let passed = 0;
  let failed = unhandledErrors.length + (modules.length === 0 ? 1 : 0);
  let skipped = 0;
  for (const module of modules) {
    let failedHere = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") passed += 1;
      else if (state === "skipped") skipped += 1;
      else failedHere += 1;
    }
    const own = module.errors().length + [...module.children.allSuites()].flatMap((suite) => suite.errors()).length;
    failed += failedHere + (own > 0 ? own : module.state() === "failed" && failedHere === 0 ? 1 : 0);
  }
  return { passed, failed, skipped };
}

/**
 * Prints the closing line at the very end of the process, after the summaries of all other reporters, so that the end
 * of a log shows the counts.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const line = closingLine(count(modules, unhandledErrors));
    process.once("exit", () => process.stdout.write(`\n${line}\n`));
  }
}
