import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/**/fixtures/**"],
    pool: "forks",
    // End-to-end tests start processes; two slow cores need patience. No test asserts a time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ["default", "./scripts/closing-line-reporter.ts"],
  },
});
