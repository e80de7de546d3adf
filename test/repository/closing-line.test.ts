import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { closingLine } from "../../scripts/closing-line-reporter.ts";
import { root } from "./source-files.ts";

function runFixture(...files: readonly string[]) {
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/vitest/vitest.mjs"), "run", ...files],
    {
      cwd: join(root, "test/repository/fixtures/closing-line"),
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1" },
    },
  );
  return { status, lastLine: stdout.trimEnd().split("\n").at(-1) };
}

describe("the closing line", () => {
  it("names skipped tests only when there are some", () => {
    expect(closingLine({ passed: 3, failed: 0, skipped: 0 })).toBe("3 passed, 0 failed");
    expect(closingLine({ passed: 3, failed: 1, skipped: 2 })).toBe("3 passed, 1 failed, 2 skipped");
  });

  it("counts failed tests, files that can't be loaded, and errors that no test caught", () => {
    expect(runFixture("passing", "failing", "unloadable", "unhandled")).toEqual({
      status: 1,
      lastLine: "4 passed, 3 failed, 1 skipped",
    });
  });

  it("never says that nothing failed when nothing ran", () => {
    expect(runFixture("no-such-file")).toEqual({ status: 1, lastLine: "0 passed, 1 failed" });
  });
});
