import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The slowest files, slowest first. Started last, one of them would leave the other cores idle. */
const long: readonly RegExp[] = [
  /\/test\/chaos\//,
  /\/test\/conformance\//,
  /\/test\/(examples|ci)\//,
  /\/test\/security\//,
  /\/test\/(fuzz|cli|repository)\//,
  /\.property\.test\.ts$/,
];

function rank({ moduleId, project }: TestSpecification): number {
  // A process that has loaded the sources ends when the next file wants one of its own: those come before all others.
  if (project.config.isolate) return -1;
  const found = long.findIndex((pattern) => pattern.test(moduleId));
  return found === -1 ? long.length : found;
}

/** Starts files with long tests first. Among equals, vitest's order counts: what failed or took long the last time. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
