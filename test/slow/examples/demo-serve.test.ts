import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { plainEnvironment } from "../../../scripts/sandbox.mjs";
import { processesIn } from "../chaos/support/serve-process.ts";
import { root } from "../../repository/source-files.ts";

describe("npm run demo:serve", () => {
  it("goes as expected, and leaves no process and no file behind", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "edgewise-demo-serve-test-"));
    onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/demo-serve.mjs")], {
      encoding: "utf8",
      // Signing must not depend on who runs it.
      env: { ...plainEnvironment(), TMPDIR: temporary, GIT_DIR: "/nowhere", GIT_AUTHOR_NAME: "" },
      timeout: 240_000,
    });
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/demo: every step went as expected\n$/);
    expect(stdout).toContain('live: "Back at noon."');
    expect(stdout).toMatch(/^serve \| shop: ann@example\.com approved [0-9a-f]{12}/m);
    expect(stdout).toContain('{"approver":"ann@example.com","message":"We are still closed"}');
    expect(stdout + stderr).not.toContain("PRIVATE KEY");
    expect(readdirSync(temporary)).toEqual([]);
    expect(stdout).toMatch(/shown at http:\S+/);
    // Its port may be another server's by now. Every process that it started knows the directory.
    await expect.poll(() => processesIn(temporary)).toEqual([]);
  }, 300_000);
});
