import { readFileSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const files = readdirSync(join(import.meta.dirname, "test"), { recursive: true, encoding: "utf8" })
  .map((path) => `test/${path.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".test.ts") && !/\/(fixtures|node_modules)\//.test(path));
// What is mocked stays mocked in its process.
const isAlone = (path: string) => /^vi\.(mock|hoisted)\(/m.test(readFileSync(join(import.meta.dirname, path), "utf8"));

/** Two projects: files that share their process, so that the sources load once, and files that have one of their own. */
function projects(name: string, wanted: readonly string[]) {
  return [
    { extends: true, test: { name, include: wanted.filter((path) => !isAlone(path)), isolate: false } },
    { extends: true, test: { name: `${name}-alone`, include: wanted.filter(isAlone), isolate: true } },
  ] as const;
}

export default defineConfig({
  test: {
    projects: [
      ...projects(
        "fast",
        files.filter((path) => !path.startsWith("test/slow/")),
      ),
      ...projects(
        "slow",
        files.filter((path) => path.startsWith("test/slow/")),
      ),
    ],
    globalSetup: "./scripts/tables.mjs",
    pool: "forks",
    // Slow tests wait more than they compute: more files at once than there are cores, when those are few.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // End-to-end tests start processes; two slow cores need patience, and a test that passes takes no longer for it. No test
    // asserts a time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // How long a condition is waited for: vitest would give up after a second.
    expect: { poll: { timeout: 120_000 } },
    reporters: ["default", "./scripts/closing-line-reporter.ts"],
  },
});
