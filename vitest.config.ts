import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "./scripts/validators.mjs",
    exclude: ["**/node_modules/**", "test/**/fixtures/**"],
    pool: "forks",
    // Left to itself, vitest keeps one core free: on two cores that doubles the time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // End-to-end tests start processes; two slow cores need patience. No test asserts a time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default", "./scripts/closing-line-reporter.ts"],
  },
});
