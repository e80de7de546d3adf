import { readFileSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/longest-first.ts";

// Loading the sources anew for each file would take as long as half of the tests. What is mocked stays mocked in its
// process, though: files that do so get one of their own.
const sensitive = new Set([
  // Expects the code of a failed TLS handshake: what other files did with keys may change it.
  "test/api/failures.test.ts",
  // Expects pauses after some time: other files turn the clock forward and back.
  "test/manifest/pauses.test.ts",
]);
const mocking = readdirSync(join(import.meta.dirname, "test"), { recursive: true, encoding: "utf8" })
  .map((path) => `test/${path.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".test.ts") && !path.includes("/fixtures/"))
  .filter(
    (path) =>
      /^vi\.(mock|hoisted)\(/m.test(readFileSync(join(import.meta.dirname, path), "utf8")) || sensitive.has(path),
  );
const exclude = ["**/node_modules/**", "test/**/fixtures/**"];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: "shared", include: ["test/**/*.test.ts"], exclude: [...exclude, ...mocking], isolate: false },
      },
      { extends: true, test: { name: "alone", include: mocking, exclude, isolate: true } },
    ],
    globalSetup: "./scripts/validators.mjs",
    pool: "forks",
    // Left to itself, vitest keeps one core free: on two cores that doubles the time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // End-to-end tests start processes; two slow cores need patience, and a test that passes takes no longer for it. No test
    // asserts a time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // How long a condition is waited for: vitest would give up after a second.
    expect: { poll: { timeout: 120_000 } },
    reporters: ["default", "./scripts/closing-line-reporter.ts"],
  },
});
