import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "../../repository/source-files.ts";

interface Entry {
  integrity?: string;
  dev?: boolean;
  optional?: boolean;
  version?: string;
}

interface Lock {
  readonly packages: { [path: string]: Entry };
}

const text = readFileSync(join(root, "package-lock.json"), "utf8");
const script = join(root, "scripts/complete-lock.mjs");

function check(file: string): { readonly status: number | null; readonly stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [script, "--check", file], { encoding: "utf8" });
  return { status, stderr };
}

/** What the check says of the lock file after a change. */
function checkAfter(change: (packages: Lock["packages"]) => void): ReturnType<typeof check> {
  const directory = mkdtempSync(join(tmpdir(), "edgewise-lock-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const lock = JSON.parse(text) as Lock;
  change(lock.packages);
  const file = join(directory, "package-lock.json");
  writeFileSync(file, JSON.stringify(lock));
  return check(file);
}

describe("the lock file", () => {
  it("passes as it is", () => {
    expect(checkAfter(() => {})).toEqual({ status: 0, stderr: "" });
  });

  it.each<readonly [string, (packages: Lock["packages"]) => void]>([
    ["a released package without a hash", (packages) => delete packages["node_modules/yaml"]?.integrity],
    [
      "another version than the one that its parent names",
      (packages) => {
        const entry = packages["node_modules/@oxlint/binding-darwin-arm64"];
        if (entry !== undefined) entry.version = "0.0.1";
      },
    ],
    [
      "a package of a platform that nothing asks for",
      (packages) => {
        packages["node_modules/evil-linux-x64"] = { version: "1.0.0", dev: true, optional: true };
      },
    ],
  ])("does not pass with %s", (_, change) => {
    const { status, stderr } = checkAfter(change);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^package-lock\.json has no .+: run n.+\n$/u);
  });

  it.each(["package-lock.json", "docs/site/package-lock.json"])("names no host: %s", (file) => {
    expect(readFileSync(join(root, file), "utf8")).not.toMatch(/"resolved"|https?:\/\/[^"]*registry/);
  });
});
